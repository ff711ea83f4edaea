#include "server/transfers/held_part.h"

#include <pthread.h>

#include "api/codec/carried.h"
#include "server/app.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void held_part_lock(void)
{
  pthread_mutex_lock(&lock);
}

void held_part_unlock(void)
{
  pthread_mutex_unlock(&lock);
}

static bool same_numbers(const double *a, const double *b, size_t count)
{
  size_t k = 0;
  while (k < count && a[k] == b[k]) k++;
  return k == count;
}

static bool same_body(const struct armdyn_body *a, const struct armdyn_body *b)
{
  const struct armdyn_inertia *p = &a->inertia, *q = &b->inertia;
  return a->mass == b->mass && same_numbers(a->com, b->com, 3) && p->xx == q->xx && p->yy == q->yy && p->zz == q->zz &&
         p->xy == q->xy && p->xz == q->xz && p->yz == q->yz;
}

static bool is_nothing(const struct armdyn_body *body)
{
  const struct armdyn_inertia *i = &body->inertia;
  return body->mass == 0 && i->xx == 0 && i->yy == 0 && i->zz == 0;
}

/* Do both weigh on the joints alike? The tool matters only for what is in it. */
static bool same_load(const struct armdyn_robot_description *a, const struct armdyn_robot_description *b)
{
  if (!same_numbers(a->gravity, b->gravity, 3) || !same_body(&a->payload, &b->payload)) return false;
  return is_nothing(&a->payload) ||
         (same_numbers(a->tool.translation, b->tool.translation, 3) && same_numbers(a->tool.rpy, b->tool.rpy, 3));
}

/* The controller's model with the part that its arm holds; "" is none. */
static enum armdyn_status held_model(struct prepared_transfer *p, const struct robot_entry **entry)
{
  const struct app *app = p->app;
  struct carried held = { .has_part = false };
  struct store_part row = { .version = 0 };
  enum armdyn_status status = ARMDYN_OK;
  if (*p->held) {
    status = store_part_get(app->store, p->controller.robot, p->held, &row);
    if (!status) status = carried_of_part(row.document, &held);
    store_part_release(&row);
  }
  return status ? status
                : robots_get_with(app->robots, p->controller.robot, p->bound_to->revision, &held.overrides, entry);
}

static enum armdyn_status read_held(const struct prepared_transfer *p, char part[ARMDYN_NAME_SIZE])
{
  struct store_controller row = { .version = 0 };
  enum armdyn_status status = store_controller_get(p->app->store, p->controller.name, &row);
  if (!status) memcpy(part, row.part, sizeof row.part);
  store_controller_release(&row);
  return status;
}

/* "part 'A7'", "a payload, tool or gravity of its own", "no part". */
static void say_planned(const struct carried *planned, char *out, size_t size)
{
  if (planned->has_part)
    snprintf(out, size, "part '%s'", planned->part.name);
  else
    snprintf(out, size, "%s", carried_any(planned) ? "a payload, tool or gravity of its own" : "no part");
}

static void answer_mismatch(struct prepared_transfer *p, const struct carried *planned, bool changed)
{
  char what[PART_NAME_SIZE + 32], holds[PART_NAME_SIZE + 32] = "none, as far as was said";
  const char *overrule =
      p->acknowledges_nothing ? "" : ", or send the motion with \"acknowledge\": [\"part_mismatch\"]";
  say_planned(planned, what, sizeof what);
  if (*p->held) snprintf(holds, sizeof holds, "'%s'", p->held);
  if (changed)
    refusal_say(&p->why, PROBLEM_PART_MISMATCH,
                "the motion was planned for %s as it was then; its payload or tool, or the gravity, is another now: "
                "plan again%s",
                what, overrule);
  else
    refusal_say(&p->why, PROBLEM_PART_MISMATCH,
                "the motion was planned for %s; the part that the arm of controller '%s' holds is %s. Torques for a "
                "part that is not there move the arm: PUT /v1/controllers/%s/part says what it holds%s",
                what, p->controller.name, holds, p->controller.name, overrule);
}

bool held_part_agrees(struct prepared_transfer *p)
{
  struct carried planned;
  const struct robot_entry *held = NULL;
  enum armdyn_status status = carried_read(p->trajectory.document, &planned);
  if (!status) status = read_held(p, p->held);
  if (status) return refusal_status(&p->why, status);
  p->overrides = planned.overrides;
  if (p->request.part_mismatch || (!carried_any(&planned) && !*p->held)) return true;
  const bool named = !planned.has_part || strcmp(planned.part.name, p->held) == 0;
  if (named && !(status = held_model(p, &held)) &&
      same_load(armdyn_robot_description(p->robot->robot), armdyn_robot_description(held->robot))) {
    robots_release(p->app->robots, held);
    return true;
  }
  robots_release(p->app->robots, held);
  if (status && status != ARMDYN_ENOTFOUND)
    refusal_status(&p->why, status);
  else
    answer_mismatch(p, &planned, planned.has_part && named);
  return false;
}

bool held_part_stayed(struct prepared_transfer *p)
{
  char now[ARMDYN_NAME_SIZE];
  enum armdyn_status status = read_held(p, now);
  if (status)
    refusal_status(&p->why, status);
  else if (strcmp(now, p->held) != 0)
    refusal_say(&p->why, PROBLEM_PART_MISMATCH, "what the arm of controller '%s' holds has changed just now",
                p->controller.name);
  return !status && strcmp(now, p->held) == 0;
}
