/* Where and as whom events are published: the options --mqtt-*, checked. */
#ifndef SERVER_MQTT_BROKER_H
#define SERVER_MQTT_BROKER_H

#include <mosquitto.h>
#include <stdbool.h>

#include "armdyn/status.h"

struct options;

struct broker {
  char host[256]; /* "" = MQTT is off */
  int port;
  bool tls;
  const struct options *options;
};
/* EINPUT: the error names the option and the value. */
enum armdyn_status broker_read(const struct options *options, struct broker *broker, struct armdyn_error *error);

/* User, password, as its file has it now, and TLS of a connection to come. EINPUT. */
enum armdyn_status broker_introduce(const struct broker *broker, struct mosquitto *client, struct armdyn_error *error);

#endif
