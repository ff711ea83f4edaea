#include "api/codec/controller_test.h"

#include <math.h>

#include "api/json/fields.h"
#include "api/json/writer.h"

static const char *const state_names[] = {
  [TEST_RUNNING] = "running",
  [TEST_DONE] = "done",
  [TEST_FAILED] = "failed",
  [TEST_CANCELLED] = "cancelled",
};
static const char *const result_names[CHECK_RESULTS] = {
  [CHECK_RIGHT] = "right",
  [CHECK_WRONG] = "wrong",
  [CHECK_NOT_TRIED] = "not_tried",
};

#define REQUEST struct controller_test_request
static const struct json_field request_fields[] = {
  { TRUTH(REQUEST, allow_motion) },
  { TEXT(REQUEST, only) },
};
static const struct json_type request_type = JSON_TYPE("a test of a controller", request_fields, REQUEST, NULL, NULL);

enum armdyn_status controller_test_request_decode(const char *text, size_t length, struct controller_test_request *out,
                                                  struct faults *faults)
{
  const struct json_context context = { 0 };
  *out = (struct controller_test_request){ 0 };
  return json_decode(text, length, &request_type, out, &context, faults);
}

void controller_test_check_encode(const struct controller_test_check *check, struct buffer *out)
{
  struct json_writer w = { .out = out };
  json_begin_object(&w);
  json_member_text(&w, "group", check->group);
  json_member_text(&w, "name", check->name);
  json_member_text(&w, "result", result_names[check->result]);
  json_member_text(&w, "seen", check->seen);
  json_member_text(&w, "mend", check->mend);
  json_end_object(&w);
}

void controller_test_identity_encode(const struct controller_test_identity *is, struct buffer *out)
{
  struct json_writer w = { .out = out };
  json_begin_object(&w);
  json_member_integer(&w, "axes", is->axes);
  json_key(&w, "formats"), json_begin_array(&w);
  for (unsigned f = 1; is->formats >> (f - 1); f++)
    if (is->formats >> (f - 1) & 1) json_write_integer(&w, f);
  json_end_array(&w);
  json_member_integer(&w, "window_places", is->places);
  json_member_integer(&w, "window_words", is->window_words);
  json_member_integer(&w, "samples_max", is->samples_max);
  json_member_truth(&w, "streams", is->streams);
  json_member_truth(&w, "holds", is->holds);
  json_member_truth(&w, "at_once", is->at_once);
  json_member_truth(&w, "epochs", is->epochs);
  json_member_truth(&w, "measures", is->measures);
  json_end_object(&w);
}

void controller_test_figures_encode(const struct controller_test_figures *figures, struct buffer *out)
{
  struct json_writer w = { .out = out };
  json_begin_object(&w);
  json_member_number(&w, "cycle", figures->cycle);
  json_member_truth(&w, "cycle_is_bound", figures->fastest);
  json_member_number(&w, "answer", figures->answer);
  json_member_number(&w, "clock_rate", figures->clock_rate);
  json_member_number(&w, "windows_per_second", figures->windows_per_second > 0 ? figures->windows_per_second : NAN);
  json_end_object(&w);
}

static const char *or_null(const char *text)
{
  return text && *text ? text : NULL;
}

void controller_test_encode(const struct controller_test_view *view, struct buffer *out)
{
  struct json_writer w = { .out = out };
  json_begin_object(&w);
  json_member_text(&w, "controller", view->controller);
  json_member_text(&w, "state", state_names[view->state]);
  json_member_truth(&w, "allow_motion", view->request->allow_motion);
  json_member_text(&w, "only", or_null(view->request->only));
  json_member_text(&w, "begun_at", view->begun_at);
  json_member_text(&w, "ended_at", or_null(view->ended_at));
  json_member_integer(&w, "expected", (long long)view->expected);
  for (size_t k = 0; k < CHECK_RESULTS; k++) json_member_integer(&w, result_names[k], (long long)view->counts[k]);
  json_key(&w, "identity"), json_write_raw(&w, view->identity);
  json_key(&w, "checks"), json_begin_array(&w);
  if (or_null(view->checks)) json_write_raw(&w, view->checks);
  json_end_array(&w);
  json_key(&w, "measured"), json_write_raw(&w, view->figures);
  json_member_text(&w, "detail", or_null(view->detail));
  json_end_object(&w);
}
