/* A request again, with another duration. */
#include <math.h>

#include "api/codec/trajectory.h"
#include "api/json/document.h"

static bool is_one_of(const char *name, const char *const *names)
{
  while (*names && strcmp(*names, name) != 0) names++;
  return *names != NULL;
}

static void rewrite_waypoint(struct json_writer *w, const cJSON *waypoint, double time_scale)
{
  const cJSON *member;
  json_begin_object(w);
  cJSON_ArrayForEach (member, waypoint) {
    json_key(w, member->string);
    if (!strcmp(member->string, "time") && cJSON_IsNumber(member))
      json_write_number(w, time_scale > 0 ? time_scale * member->valuedouble : NAN);
    else
      document_write(w, member);
  }
  json_end_object(w);
}

void trajectory_request_rewrite(const char *text, size_t length, double duration, double time_scale, double deadline,
                                struct buffer *out)
{
  /* durations to compare may end before the times of waypoints now */
  static const char *const durations[] = { "duration", "duration_min", "duration_max", "durations", NULL };
  cJSON *request;
  const cJSON *member, *waypoint;
  struct json_writer w = { .out = out };
  const enum armdyn_status status = document_parse(text, length, NULL, &request);
  if (status) out->failure = status;
  json_begin_object(&w);
  cJSON_ArrayForEach (member, request) {
    if (is_one_of(member->string, durations) || (!strcmp(member->string, "deadline") && !isnan(deadline))) continue;
    json_key(&w, member->string);
    if (strcmp(member->string, "waypoints") != 0) {
      document_write(&w, member);
      continue;
    }
    json_begin_array(&w);
    cJSON_ArrayForEach (waypoint, member) rewrite_waypoint(&w, waypoint, time_scale);
    json_end_array(&w);
  }
  json_key(&w, "duration"), json_write_number(&w, duration);
  if (!isnan(deadline)) json_key(&w, "deadline"), json_write_number(&w, deadline);
  json_end_object(&w);
  document_close(request);
}
