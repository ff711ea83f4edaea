/* Webhooks and their deliveries in JSON. */
#ifndef API_CODEC_WEBHOOK_H
#define API_CODEC_WEBHOOK_H

#include "api/json/fields.h"
#include "api/wire/faults.h"
#include "armdyn/robot.h"

struct webhook_request {
  char name[ARMDYN_NAME_SIZE];
  char url[LIMIT_WEBHOOK_URL + 1];
  bool enabled;
  unsigned events; /* bit i: it is told of the i-th of webhook_events in webhook.c */
};
/* OK, ESYNTAX, EINPUT, EMEMORY. */
enum armdyn_status webhook_request_decode(const char *text, size_t length, struct webhook_request *request,
                                          struct faults *faults);

/* Those types as a JSON list. */
void webhook_events_encode(unsigned events, struct buffer *out);

/* Times "" = null. */
struct webhook_resource {
  const char *name, *url, *created_at, *former_until;
  bool enabled;
  const char *events; /* JSON */
  const char *secret; /* NULL: left out; it is shown to who makes it, once */
};
void webhook_resource_encode(const struct webhook_resource *webhook, struct json_writer *w);

struct delivery_resource {
  const char *job, *transfer, *order, *event; /* "" = null */
  const char *webhook, *state;
  int attempts, http_status; /* 0 = null */
  const char *error, *created_at, *last_at, *next_at;
};
void delivery_resource_encode(const struct delivery_resource *delivery, struct json_writer *w);

#endif
