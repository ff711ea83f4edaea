/* GET /v1/limits: every limit of api/limits.h, and the numbers that the service was started with. */
#include <ctype.h>

#include "api/json/writer.h"
#include "api/limits.h"
#include "server/app.h"
#include "server/config/options.h"
#include "server/routes/handlers.h"

static const struct limit {
  const char *name;
  long long value;
} limits[] = {
#define ROW(name) { #name, (long long)LIMIT_##name },
#include "api/limits_table.h"
#undef ROW
};

/* "WORKER_MEMORY" and "--worker-memory" as a field's name. */
static void write_name(struct json_writer *w, const char *name)
{
  char key[64];
  size_t length = 0;
  for (name += strspn(name, "-"); *name && length + 1 < sizeof key; name++)
    key[length++] = *name == '-' ? '_' : (char)tolower((unsigned char)*name);
  key[length] = '\0';
  json_key(w, key);
}

static void write_option(void *context, const char *flag, long value, bool none)
{
  struct json_writer *w = context;
  write_name(w, flag);
  if (none)
    json_write_null(w);
  else
    json_write_integer(w, value);
}

enum outcome limits_get(struct exchange *x)
{
  struct buffer body = BUFFER(KB(64));
  struct json_writer w = { .out = &body };
  json_begin_object(&w);
  json_key(&w, "limits"), json_begin_object(&w);
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
    write_name(&w, limits[i].name), json_write_integer(&w, limits[i].value);
  json_end_object(&w);
  json_key(&w, "options"), json_begin_object(&w);
  options_numbers(exchange_app(x)->options, write_option, &w);
  json_end_object(&w);
  json_end_object(&w);
  answer_json(x, 200, &body);
  return ANSWERED;
}
