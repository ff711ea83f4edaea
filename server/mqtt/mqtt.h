/* The log of events, published to an MQTT broker (3.1.1), if there is one: as retained messages in JSON, the last of each kind
 * of event of each controller, with a birth and a death (last will) of the service itself.
 *
 * The log in the store is the queue: one thread reads it behind the last event that the broker has acknowledged, and keeps that
 * number. So a broker that is away, slow or restarted delays nobody, its events come in order when it is back, a bounded
 * number at a time, and none is left out; some may come twice, under the same number. After each connecting the last known
 * of every topic is published first, for brokers that forget. It only publishes, and subscribes to nothing. */
#ifndef SERVER_MQTT_MQTT_H
#define SERVER_MQTT_MQTT_H

#include "api/wire/buffer.h"
#include "server/store/store.h"

struct mqtt;
struct options;

struct mqtt_setup {
  struct store *store;
  const struct options *options;
  void (*write)(const struct store_event *event, struct buffer *out); /* the payload */
};
/* *mqtt stays NULL where no broker is named. EINPUT: an option is wrong. */
enum armdyn_status mqtt_start(const struct mqtt_setup *setup, struct mqtt **mqtt, struct armdyn_error *error);
void mqtt_stop(struct mqtt *mqtt); /* NULL is fine */

void mqtt_write_metrics(struct mqtt *mqtt, struct buffer *out); /* NULL: none */

#endif
