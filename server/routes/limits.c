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
static void write_member(struct json_writer *w, const char *name, long long value)
{
  char key[64];
  size_t length = 0;
  for (name += strspn(name, "-"); *name && length + 1 < sizeof key; name++)
    key[length++] = *name == '-' ? '_' : (char)tolower((unsigned char)*name);
  key[length] = '\0';
  json_key(w, key), json_write_integer(w, value);
}

static void write_option(void *context, const char *flag, long value)
{
  write_member(context, flag, value);
}

enum outcome limits_get(struct exchange *x)
{
  struct buffer body = BUFFER(KB(64));
  struct json_writer w = { .out = &body };
  json_begin_object(&w);
  json_key(&w, "limits"), json_begin_object(&w);
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) write_member(&w, limits[i].name, limits[i].value);
  json_end_object(&w);
  json_key(&w, "options"), json_begin_object(&w);
  options_numbers(exchange_app(x)->options, write_option, &w);
  json_end_object(&w);
  json_end_object(&w);
  answer_json(x, 200, &body);
  return ANSWERED;
}
