/* What two joints carry over a grid of their positions. */
#include <stdatomic.h>

#include "api/codec/gravity_map.h"
#include "armdyn/terms.h"
#include "server/app.h"
#include "server/base/pool.h"
#include "server/base/scratch.h"
#include "server/routes/dynamics.h"
#include "server/routes/robots.h"

static const double INLINE_POINTS = 2000; /* about a millisecond */

struct map {
  const struct armdyn_robot *robot;
  const struct gravity_map_request *request;
  double *torque; /* 2 x points[0] x points[1] */
  _Atomic bool out_of_memory;
};

/* Points [first, last) of the grid, counted row by row. */
static void compute_points(void *context, size_t first, size_t last)
{
  struct map *map = context;
  const struct gravity_map_request *r = map->request;
  struct scratch *scratch = scratch_here();
  if (!scratch) {
    atomic_store(&map->out_of_memory, true);
    return;
  }
  size_t columns = (size_t)r->points[1], points = (size_t)r->points[0] * columns;
  double q[ARMDYN_JOINTS_MAX], tau[ARMDYN_JOINTS_MAX];
  memcpy(q, r->q, sizeof q);
  for (size_t p = first; p < last; p++) {
    q[r->joints[0]] = gravity_map_position(r, 0, p / columns);
    q[r->joints[1]] = gravity_map_position(r, 1, p % columns);
    armdyn_gravity_torque(map->robot, q, scratch->workspace, tau);
    map->torque[p] = tau[r->joints[0]];
    map->torque[points + p] = tau[r->joints[1]];
  }
}

static void answer_map(struct exchange *x, const struct robot_entry *entry, const struct gravity_map_request *request,
                       const struct armdyn_robot *robot)
{
  size_t points = (size_t)request->points[0] * (size_t)request->points[1];
  struct map map = { .robot = robot, .request = request, .torque = malloc(2 * points * sizeof(double)) };
  if (map.torque) pool_for(exchange_app(x)->pool, points, (size_t)INLINE_POINTS, compute_points, &map);
  if (!map.torque || map.out_of_memory) {
    answer_status(x, ARMDYN_EMEMORY, NULL);
  } else {
    struct buffer body = BUFFER(LIMIT_ANSWER);
    gravity_map_encode(&body, request, armdyn_robot_description(robot), (long long)entry->revision, map.torque);
    exchange_set_revision(x, entry->revision);
    answer_json(x, 200, &body);
  }
  free(map.torque);
}

enum outcome gravity_map(struct exchange *x)
{
  const struct robot_entry *entry;
  enum outcome outcome;
  if (!robot_of_request(x, exchange_query(x, "revision"), &entry, &outcome)) return outcome;

  const struct armdyn_robot_description *model = armdyn_robot_description(entry->robot);
  struct armdyn_robot_description *changed = NULL;
  struct armdyn_robot *own = NULL;
  struct gravity_map_request request;
  size_t length;
  const char *body = exchange_body(x, &length);
  enum armdyn_status status = gravity_map_decode(body, length, model, &request, exchange_faults(x));
  if (!status) status = overrides_apply(&request.overrides, model, &changed);
  if (status) {
    answer_status(x, status, NULL);
  } else if (request.points[0] * request.points[1] > INLINE_POINTS && !exchange_may_block(x)) {
    outcome = BLOCKS;
    goto out;
  } else {
    const struct armdyn_robot *robot = robot_for_call(x, entry, changed, &own);
    if (robot) answer_map(x, entry, &request, robot);
  }
  outcome = ANSWERED;
out:
  armdyn_robot_free(own);
  free(changed);
  robots_release(exchange_app(x)->robots, entry);
  return outcome;
}
