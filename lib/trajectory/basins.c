/* Minima without the obstacles, which cost little to find, as starts for a search with them: most minima with obstacles are in
 * the basin of one without, and none in that basin is cheaper. So they are tried in the order of their costs, up to what is
 * known already. */
#include <math.h>

#include "lib/trajectory/planner.h"

enum { INTERVALS = 13, PER_SEGMENT = 8, DRAWN = 12 };
/* Of a mesh this coarse the cost is known up to this part. */
static const double ROUGHLY = 0.02;

static void insert(struct basins *b, struct candidate *c)
{
  size_t at = 0;
  for (size_t k = 0; k < b->count; k++) {
    if (!candidates_same(&b->list[k], c)) continue;
    candidate_free(c);
    return;
  }
  if (b->count == BASINS_MAX) {
    candidate_free(c);
    return;
  }
  while (at < b->count && b->list[at].solved.cost <= c->solved.cost) at++;
  memmove(b->list + at + 1, b->list + at, (b->count - at) * sizeof *b->list);
  b->list[at] = *c;
  b->count++;
}

static enum armdyn_status draw(struct planner *p, size_t start, struct armdyn_optimal_result *log, bool *over)
{
  const size_t least = PER_SEGMENT * (p->request->waypoint_count + 1);
  struct candidate c = { 0 };
  enum armdyn_status rc = guess_start(p, start, &c);
  if (!rc) rc = ladder_begin(p, &p->cost, p->free_duration, least > INTERVALS ? least : INTERVALS, &c, log);
  if (!rc && c.solved.end == END_CANCELLED) rc = ARMDYN_ECANCELLED;
  *over = rc || mesh_ended(&c);
  if (!rc && candidate_feasible(&c))
    insert(&p->basins, &c);
  else
    candidate_free(&c);
  return rc;
}

enum armdyn_status basins_find(struct planner *p, struct armdyn_optimal_result *log)
{
  struct obstacles *obstacles = p->obstacles;
  enum armdyn_status rc = ARMDYN_OK;
  bool over = false;
  p->obstacles = NULL;
  for (size_t k = 0; k < DRAWN && !over; k++) rc = draw(p, k, log, &over);
  p->obstacles = obstacles;
  return rc;
}

bool basin_is_dearer(const struct candidate *basin, const struct candidate *known)
{
  return candidate_feasible(known) && basin->solved.cost * (1 - ROUGHLY) > known->solved.cost;
}

void basins_free(struct basins *basins)
{
  for (size_t k = 0; k < basins->count; k++) candidate_free(&basins->list[k]);
  basins->count = 0;
}
