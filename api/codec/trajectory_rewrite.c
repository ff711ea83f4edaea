/* A request again, with another duration. */
#include <math.h>

#include "api/codec/trajectory.h"

static void copy_value(struct json_reader *r, struct json_writer *w)
{
  struct json_slice raw = { 0 };
  if (json_skip(r, &raw)) json_write_raw_n(w, raw.data, raw.length);
}

static void copy_key(struct json_writer *w, struct json_slice key)
{
  char name[LIMIT_TAG + 1];
  json_slice_decode(key, name, sizeof name);
  json_key(w, name);
}

static void rewrite_waypoint(struct json_reader *r, struct json_writer *w, double time_scale)
{
  struct json_slice key;
  double time;
  json_begin_object(w);
  json_enter_object(r, NULL);
  while (json_next_member(r, &key)) {
    copy_key(w, key);
    if (!json_slice_is(key, "time") || json_peek(r) != JSON_NUMBER)
      copy_value(r, w);
    else if (json_read_number(r, NULL, &time))
      json_write_number(w, time_scale > 0 ? time_scale * time : NAN);
  }
  json_end_object(w);
}

void trajectory_request_rewrite(const char *text, size_t length, double duration, double time_scale, double deadline,
                                struct buffer *out)
{
  struct json_reader r;
  struct json_writer w = { .out = out };
  struct json_slice key;
  json_reader_init(&r, text, length, NULL);
  json_begin_object(&w);
  json_enter_object(&r, NULL);
  while (json_next_member(&r, &key)) {
    /* durations to compare may end before the times of waypoints now */
    if (json_slice_is(key, "duration") || json_slice_is(key, "duration_min") || json_slice_is(key, "duration_max") ||
        json_slice_is(key, "durations") || (json_slice_is(key, "deadline") && !isnan(deadline))) {
      json_skip(&r, NULL);
      continue;
    }
    copy_key(&w, key);
    if (!json_slice_is(key, "waypoints")) {
      copy_value(&r, &w);
      continue;
    }
    json_begin_array(&w);
    json_enter_array(&r, NULL);
    while (json_next_element(&r)) rewrite_waypoint(&r, &w, time_scale);
    json_end_array(&w);
  }
  json_key(&w, "duration"), json_write_number(&w, duration);
  if (!isnan(deadline)) json_key(&w, "deadline"), json_write_number(&w, deadline);
  json_end_object(&w);
}
