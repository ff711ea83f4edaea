#include "api/codec/webhook.h"

static void init(void *object)
{
  *(struct webhook_request *)object = (struct webhook_request){ .enabled = true };
}

static const struct json_field fields[] = {
  { TEXT(struct webhook_request, name), MATCHES(json_name_pattern), REQUIRED },
  { TEXT(struct webhook_request, url), REQUIRED },
  { TRUTH(struct webhook_request, enabled) },
  { READ_ONLY("created_at") },
  { READ_ONLY("former_secret_until") },
};
static const struct json_type type = JSON_TYPE("a webhook", fields, struct webhook_request, init, NULL);

enum armdyn_status webhook_request_decode(const char *text, size_t length, struct webhook_request *request,
                                          struct faults *faults)
{
  return json_decode(text, length, &type, request, NULL, faults);
}

static void member(struct json_writer *w, const char *name, const char *text)
{
  json_key(w, name), json_write_text(w, *text ? text : NULL);
}

void webhook_resource_encode(const struct webhook_resource *webhook, struct json_writer *w)
{
  json_begin_object(w);
  member(w, "name", webhook->name);
  member(w, "url", webhook->url);
  json_key(w, "enabled"), json_write_truth(w, webhook->enabled);
  member(w, "created_at", webhook->created_at);
  member(w, "former_secret_until", webhook->former_until);
  if (webhook->secret) member(w, "secret", webhook->secret);
  json_end_object(w);
}

void delivery_resource_encode(const struct delivery_resource *d, struct json_writer *w)
{
  json_begin_object(w);
  member(w, "job", d->job);
  member(w, "transfer", d->transfer);
  member(w, "order", d->order);
  member(w, "event", d->event);
  member(w, "webhook", d->webhook);
  member(w, "state", d->state);
  json_key(w, "attempts"), json_write_integer(w, d->attempts);
  json_key(w, "http_status");
  d->http_status ? json_write_integer(w, d->http_status) : json_write_null(w);
  member(w, "error", d->error);
  member(w, "created_at", d->created_at);
  member(w, "last_at", d->last_at);
  member(w, "next_at", d->next_at);
  json_end_object(w);
}
