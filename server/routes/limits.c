/* GET /v1/limits: every limit of api/limits.h, and the numbers that the service was started with. */
#include <ctype.h>

#include "api/json/writer.h"
#include "api/limits.h"
#include "server/app.h"
#include "server/config/options.h"
#include "server/routes/handlers.h"

#define ROW(name)                                                                                                      \
  {                                                                                                                    \
#name, (long long)LIMIT_##name                                                                                     \
  }
/* As api/limits.h has them; a test compares. */
static const struct limit {
  const char *name;
  long long value;
} limits[] = {
  ROW(JSON_DEPTH),
  ROW(XML_DEPTH),
  ROW(XML_ATTRIBUTES),
  ROW(URDF_LINKS),
  ROW(FAULTS),
  ROW(NUMBER_LENGTH),
  ROW(CSV_LINE),
  ROW(MODEL_BODY),
  ROW(MESH_BODY),
  ROW(MESH_TRIANGLES),
  ROW(SAMPLES_BODY),
  ROW(SAMPLES),
  ROW(SAMPLE_NUMBER),
  ROW(ANSWER),
  ROW(BODIES_IN_FLIGHT),
  ROW(MAP_POINTS),
  ROW(KINEMATIC_STARTS),
  ROW(URL),
  ROW(HEADERS),
  ROW(HEADER_COUNT),
  ROW(QUERY_PARAMETERS),
  ROW(LIST),
  ROW(WAYPOINTS),
  ROW(INTERVALS),
  ROW(STARTS),
  ROW(DURATIONS),
  ROW(PERIODS),
  ROW(TRIALS),
  ROW(FRICTION_RUNS),
  ROW(SERIES_ROWS),
  ROW(DATASETS),
  ROW(EVALUATION_MODELS),
  ROW(EVALUATION_CURVES),
  ROW(PAYLOAD_DIFFERENCE_ROWS),
  ROW(COLLISION_EVENTS),
  ROW(DATASET_ROWS),
  ROW(RUN_SAMPLES),
  ROW(PLOT_POINTS),
  ROW(SIMULATION_TIME),
  ROW(SIMULATION_STEPS),
  ROW(FRAME),
  ROW(JOBS_QUEUED),
  ROW(JOB_ATTEMPTS),
  ROW(JOB_TIME),
  ROW(WRITES_QUEUED),
  ROW(READERS),
  ROW(ROBOTS_CACHED),
  ROW(TAGS),
  ROW(TAG),
  ROW(NOTES),
  ROW(SEARCH),
  ROW(SEARCH_TIME),
  ROW(AXES),
  ROW(KEYS),
  ROW(WEBHOOKS),
  ROW(WEBHOOK_URL),
  ROW(DELIVERIES),
  ROW(KEY_CONTROLLERS),
  ROW(MAP_FIELDS),
  ROW(EVENTS),
  ROW(EVENT_NAMES),
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
