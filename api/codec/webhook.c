#include "api/codec/webhook.h"

#include "api/codec/words.h"
#include "api/read_only.h"

/* What a webhook may be told of without a request that names it. To add a type: here, and in api/schemas/webhook.yaml and
 * api/webhooks.yaml. */
static const char *const webhook_events[] = { "controller.lost",   "controller.back", "queue.blocked",
                                              "queue.released",    "alarm.raised",    "alarm.cleared",
                                              "alarm.acknowledged" };

static void init(void *object)
{
  *(struct webhook_request *)object = (struct webhook_request){ .enabled = true };
}

static const struct json_field fields[] = {
  { TEXT(struct webhook_request, name), MATCHES(json_name_pattern), REQUIRED },
  { TEXT(struct webhook_request, url), REQUIRED },
  { TRUTH(struct webhook_request, enabled) },
  { WORDS(struct webhook_request, events, webhook_events,
          "a list of types: [\"controller.lost\", \"queue.blocked\"]") },
  READ_ONLY_WEBHOOK_REQUEST,
};
static const struct json_type type = JSON_TYPE("a webhook", fields, struct webhook_request, init, NULL);

enum armdyn_status webhook_request_decode(const char *text, size_t length, struct webhook_request *request,
                                          struct faults *faults)
{
  return json_decode(text, length, &type, request, NULL, faults);
}

void webhook_events_encode(unsigned events, struct buffer *out)
{
  struct json_writer w = { .out = out };
  json_begin_array(&w);
  for (size_t k = 0; k < sizeof webhook_events / sizeof *webhook_events; k++)
    if (events >> k & 1) json_write_text(&w, webhook_events[k]);
  json_end_array(&w);
}

void webhook_resource_encode(const struct webhook_resource *webhook, struct json_writer *w)
{
  json_begin_object(w);
  json_member_given(w, "name", webhook->name);
  json_member_given(w, "url", webhook->url);
  json_key(w, "enabled"), json_write_truth(w, webhook->enabled);
  json_key(w, "events"), json_write_raw(w, webhook->events);
  json_member_given(w, "created_at", webhook->created_at);
  json_member_given(w, "former_secret_until", webhook->former_until);
  if (webhook->secret) json_member_given(w, "secret", webhook->secret);
  json_end_object(w);
}

void delivery_resource_encode(const struct delivery_resource *d, struct json_writer *w)
{
  json_begin_object(w);
  json_member_given(w, "job", d->job);
  json_member_given(w, "transfer", d->transfer);
  json_member_given(w, "order", d->order);
  json_member_given(w, "event", d->event);
  json_member_given(w, "webhook", d->webhook);
  json_member_given(w, "state", d->state);
  json_key(w, "attempts"), json_write_integer(w, d->attempts);
  json_key(w, "http_status");
  d->http_status ? json_write_integer(w, d->http_status) : json_write_null(w);
  json_member_given(w, "error", d->error);
  json_member_given(w, "created_at", d->created_at);
  json_member_given(w, "last_at", d->last_at);
  json_member_given(w, "next_at", d->next_at);
  json_end_object(w);
}
