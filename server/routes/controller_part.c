/* The part that a controller's arm holds, as its cell says. */
#include "api/codec/carried.h"
#include "api/read_only.h"
#include "server/app.h"
#include "server/routes/handlers.h"
#include "server/routes/motion.h"
#include "server/transfers/held_part.h"

struct held_part {
  char part[PART_NAME_SIZE]; /* "": none */
  bool none;                 /* null was written */
};
static const struct json_field held_fields[] = {
  { TEXT(struct held_part, part), MATCHES(part_name_pattern), NULLED(struct held_part, none) },
  READ_ONLY_HELD_PART,
};
enum { GIVEN_PART = 1 };

/* An empty hand is said, too: no oversight empties it. */
static void held_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  const struct held_part *held = object;
  (void)context;
  if (!(given & GIVEN_PART) && !held->none)
    json_fault(r, "/part", FAULT_REQUIRED, "is missing: the name of a part of the robot, or null for none");
}
static const struct json_type held_type =
    JSON_TYPE("what an arm holds", held_fields, struct held_part, NULL, held_check);

static void answer_held(struct exchange *x)
{
  const char *name = exchange_segment(x, "controller");
  struct store_controller row = { .version = 0 };
  struct buffer body = BUFFER(KB(4));
  struct json_writer w = { .out = &body };
  enum armdyn_status status = store_controller_get(exchange_app(x)->store, name, &row);
  if (!status) {
    json_begin_object(&w);
    json_key(&w, "controller"), json_write_text(&w, row.name);
    json_key(&w, "robot"), json_write_text(&w, row.robot);
    json_key(&w, "part"), json_write_text(&w, *row.part ? row.part : NULL);
    json_key(&w, "said_at"), json_write_text(&w, *row.part_at ? row.part_at : NULL);
    json_end_object(&w);
    answer_json(x, 200, &body);
  } else if (status == ARMDYN_ENOTFOUND) {
    answer_problem(x, PROBLEM_NOT_FOUND, "there is no controller '%.64s'", name);
  } else {
    answer_status(x, status, NULL);
  }
  store_controller_release(&row);
}

enum outcome controller_part_get(struct exchange *x)
{
  answer_held(x);
  return ANSWERED;
}

/* Not while a transfer holds the controller: its torques belong to what was held when it was taken. */
static bool hold(struct exchange *x, const char *controller, const char *part)
{
  held_part_lock();
  const bool free = controller_is_free(x, controller);
  enum armdyn_status status = free ? store_controller_hold(exchange_app(x)->store, controller, part) : ARMDYN_OK;
  held_part_unlock();
  if (status == ARMDYN_ECONFLICT) {
    fault_add(exchange_faults(x), FAULT_AT_POINTER, "/part", FAULT_INCONSISTENT,
              "the robot of controller '%s' has no part '%s'", controller, part);
    answer_problem(x, PROBLEM_INVALID, NULL);
  } else if (status) {
    answer_status(x, status, NULL);
  }
  return free && !status;
}

enum outcome controller_part_put(struct exchange *x)
{
  const char *name = exchange_segment(x, "controller");
  size_t length;
  const char *body = exchange_body(x, &length);
  struct controller_description controller;
  struct held_part held;
  if (!controller_of_request(x, name, &controller, NULL) || !exchange_may_move(x, name)) return ANSWERED;
  enum armdyn_status status = json_decode(body, length, &held_type, &held, NULL, exchange_faults(x));
  if (status)
    answer_status(x, status, NULL);
  else if (hold(x, name, held.part))
    answer_held(x);
  return ANSWERED;
}
