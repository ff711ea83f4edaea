#include "server/gateway/guard.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/codec/cell.h"

/* Samples that are looked at at once, so that who waits for STOP does not wait for the whole motion. */
enum { PIECE = 512 };

static const double finest = 5e-6; /* m: how exactly a clearance that was proved before is found again, at most */
static const double usual = 1e-4;  /* m: of another cell */

static size_t joints_of(const struct guard *guard)
{
  return guard->models[0].joint_count;
}

size_t guard_size(const struct guard *guard)
{
  return sizeof *guard + (guard->carries ? guard->samples * joints_of(guard) * sizeof(float) : 0);
}

void guard_cell_release(struct guard_cell *cell)
{
  free(cell->text);
  cell->text = NULL;
}

void guard_free(struct guard *guard)
{
  if (!guard) return;
  guard_cell_release(&guard->cell);
  guard_cell_release(&guard->newer);
  free(guard);
}

enum armdyn_status guard_offer(struct guard *guard, const struct guard_cell *cell)
{
  if (strcmp(guard->cell.name, cell->name)) return ARMDYN_OK;
  char *text = malloc(cell->length + 1);
  if (!text) return ARMDYN_EMEMORY;
  memcpy(text, cell->text, cell->length);
  text[cell->length] = '\0';
  guard_cell_release(&guard->newer);
  guard->newer = *cell;
  guard->newer.text = text;
  return ARMDYN_OK;
}

bool guard_take_newer(struct guard *guard, struct guard_cell *cell)
{
  if (!*guard->newer.name) return false;
  *cell = guard->newer;
  memset(&guard->newer, 0, sizeof guard->newer);
  return true;
}

static bool tells_positions(const struct profile *profile)
{
  return profile->head.format == FORMAT_POSITION_TORQUE || profile->head.format == FORMAT_MOTION;
}

static struct guard *allocate(size_t samples, size_t joints)
{
  return calloc(1, sizeof(struct guard) + samples * joints * sizeof(float));
}

struct guard *guard_new(const struct profile *profile, const struct armdyn_robot_description *const *models,
                        size_t model_count, const double *q)
{
  const size_t samples = profile->head.total, joints = models[0]->joint_count;
  struct guard *guard = allocate(samples, joints);
  if (!guard) return NULL;
  guard->samples = samples;
  guard->model_count = model_count;
  for (size_t i = 0; i < model_count; i++) guard->models[i] = *models[i];
  guard->carries = !tells_positions(profile);
  for (size_t i = 0; guard->carries && i < samples * joints; i++) guard->q[i] = (float)q[i];
  return guard;
}

/* As the controller will understand its words. */
static void take_positions(struct guard *guard, const struct profile *profile)
{
  const size_t joints = joints_of(guard);
  for (size_t k = 0; k < guard->samples; k++)
    for (uint32_t i = 0; i < profile->head.axis_count; i++) {
      const struct profile_axis *axis = &profile->head.axes[i];
      if (axis->joint_index >= joints) continue;
      guard->q[k * joints + axis->joint_index] =
          (float)((profile_position(profile, k, i) - axis->position_offset) / axis->position_scale);
    }
}

struct guard *guard_open(const void *bytes, size_t size, const struct profile *profile)
{
  struct guard *head = size >= sizeof *head ? malloc(sizeof *head) : NULL;
  struct guard *guard = NULL;
  if (!head) return NULL;
  memcpy(head, bytes, sizeof *head);
  const size_t length = head->cell.length;
  const bool sound = head->samples == profile->head.total && head->model_count >= 1 &&
                     head->model_count <= GUARD_MODELS_MOST && joints_of(head) <= ARMDYN_JOINTS_MAX && length <= size &&
                     guard_size(head) == size - length;
  if (sound) guard = allocate(head->samples, joints_of(head));
  char *text = guard ? malloc(length + 1) : NULL;
  if (text) {
    memcpy(guard, bytes, size - length);
    memcpy(text, (const char *)bytes + (size - length), length);
    text[length] = '\0';
    guard->cell.text = text;
    memset(&guard->newer, 0, sizeof guard->newer);
    if (!guard->carries) take_positions(guard, profile);
  } else {
    free(guard);
    guard = NULL;
  }
  free(head);
  return guard;
}

/* -- the check -- */

struct checking {
  const struct guard *guard;
  double period, tolerance;
  guard_pause *pause;
  void *context;
  double *q; /* PIECE + 1 samples */
};

/* Samples [first, first + count) in doubles. */
static void piece_of(const struct checking *c, size_t first, size_t count)
{
  const size_t joints = joints_of(c->guard);
  for (size_t i = 0; i < count * joints; i++) c->q[i] = (double)c->guard->q[first * joints + i];
}

static enum armdyn_status check_scene(struct checking *c, const struct armdyn_scene *scene, size_t from,
                                      struct armdyn_error *error)
{
  double deviation[ARMDYN_JOINTS_MAX];
  enum armdyn_status status = ARMDYN_OK;
  for (size_t j = 0; j < ARMDYN_JOINTS_MAX; j++) deviation[j] = c->guard->deviation;
  for (size_t first = from; first < c->guard->samples && !status; first += PIECE) {
    const size_t left = c->guard->samples - first, count = left < PIECE + 1 ? left : PIECE + 1;
    struct armdyn_motion_clearance found;
    piece_of(c, first, count);
    const struct armdyn_played_motion motion = { count, c->period, c->q, (double)first * c->period };
    status = armdyn_motion_clearance(scene, &motion, deviation, c->tolerance, &found, error);
    if (status) break;
    if (!(found.bound > 0))
      return armdyn_refuse(error, ARMDYN_ELIMIT, "", "%s may touch %s at %.3f s: the clearance is %.4f m", found.at.a,
                           found.at.b, found.time, found.bound);
    if (!c->pause(c->context)) return ARMDYN_ECANCELLED;
  }
  return status;
}

static enum armdyn_status check_model(struct checking *c, const struct armdyn_robot_description *model,
                                      const struct armdyn_cell *cell, size_t from, struct armdyn_error *error)
{
  const struct touches *touches = &c->guard->touches;
  struct armdyn_robot *robot = NULL;
  struct armdyn_scene *scene = NULL;
  enum armdyn_status status = armdyn_robot_new(model, &robot, error);
  if (!status) status = armdyn_scene_new(robot, cell, touches->items, touches->count, &scene, error);
  if (!status) status = check_scene(c, scene, from, error);
  if (scene) armdyn_scene_free(scene);
  armdyn_robot_free(robot);
  return status == ARMDYN_ECANCELLED && *error->message ? ARMDYN_EINPUT : status; /* too fine to be told */
}

enum armdyn_status guard_check(const struct guard *guard, uint32_t from, uint32_t period_us, guard_pause *pause,
                               void *context, struct armdyn_error *error)
{
  struct cell_document cell;
  struct checking c = { .guard = guard, .period = period_us * 1e-6, .pause = pause, .context = context };
  c.tolerance = guard->proved > 0 ? fmax(guard->proved / 2, finest) : usual;
  if (isinf(c.tolerance)) c.tolerance = usual;
  error->message[0] = '\0';
  if (!guard->cell.revision) return armdyn_refuse(error, ARMDYN_EINPUT, "", "it is gone");
  enum armdyn_status status = cell_decode(guard->cell.text, guard->cell.length, &cell, NULL);
  if (status) return armdyn_refuse(error, status, "", "it cannot be read");
  c.q = malloc((PIECE + 1) * joints_of(guard) * sizeof *c.q);
  if (!c.q) status = armdyn_refuse(error, ARMDYN_EMEMORY, "", "not enough memory");
  for (size_t i = 0; i < guard->model_count && !status; i++)
    status = check_model(&c, &guard->models[i], &cell.cell, from < guard->samples ? from : guard->samples - 1, error);
  free(c.q);
  cell_release(&cell);
  return status;
}
