/* GET /v1/storage: what takes how much room, what is left, and how long things are kept. */
#include <sys/statvfs.h>

#include "api/json/writer.h"
#include "server/app.h"
#include "server/config/options.h"
#include "server/routes/handlers.h"
#include "server/store/store.h"

static void write_kind(void *context, const struct store_usage_kind *kind)
{
  struct json_writer *w = context;
  json_begin_object(w);
  json_key(w, "kind"), json_write_text(w, kind->kind);
  json_key(w, "count"), json_write_integer(w, kind->count);
  json_key(w, "pinned"), json_write_integer(w, kind->pinned);
  json_key(w, "series_bytes"), json_write_integer(w, kind->series_bytes);
  json_end_object(w);
}

static void write_store(struct json_writer *w, const struct store_usage *usage)
{
  json_key(w, "store"), json_begin_object(w);
  json_key(w, "bytes"), json_write_integer(w, usage->bytes);
  json_key(w, "unused_bytes"), json_write_integer(w, usage->unused_bytes);
  json_key(w, "log_bytes"), json_write_integer(w, usage->log_bytes);
  json_end_object(w);
}

/* null where the system does not tell. */
static void write_disk(struct json_writer *w, const char *data)
{
  struct statvfs disk;
  json_key(w, "disk");
  if (statvfs(data, &disk)) {
    json_write_null(w);
    return;
  }
  json_begin_object(w);
  json_key(w, "bytes"), json_write_integer(w, (long long)disk.f_blocks * (long long)disk.f_frsize);
  json_key(w, "free_bytes"), json_write_integer(w, (long long)disk.f_bavail * (long long)disk.f_frsize);
  json_end_object(w);
}

static void write_days(struct json_writer *w, const char *name, long days)
{
  json_key(w, name);
  days ? json_write_integer(w, days) : json_write_null(w);
}

static void write_retention(struct json_writer *w, const struct options *options)
{
  json_key(w, "retention"), json_begin_object(w);
  write_days(w, "jobs_days", options->keep_jobs);
  write_days(w, "orders_days", options->keep_orders);
  write_days(w, "alarms_days", options->keep_alarms);
  json_end_object(w);
}

enum outcome storage_get(struct exchange *x)
{
  const struct app *app = exchange_app(x);
  struct buffer body = BUFFER(KB(64));
  struct json_writer w = { .out = &body };
  struct store_usage usage;
  json_begin_object(&w);
  json_key(&w, "kinds"), json_begin_array(&w);
  enum armdyn_status status = store_usage(app->store, &usage, write_kind, &w);
  json_end_array(&w);
  if (status) {
    buffer_release(&body);
    answer_status(x, status, NULL);
    return ANSWERED;
  }
  write_store(&w, &usage);
  write_disk(&w, app->options->data);
  write_retention(&w, app->options);
  json_end_object(&w);
  answer_json(x, 200, &body);
  return ANSWERED;
}
