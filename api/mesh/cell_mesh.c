#include "api/mesh/cell_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/mesh/mesh.h"
#include "armdyn/enclose.h"

static const double filled = 0.02; /* of its volume: a polytope that is so much larger than the piece fills it up */

struct gathering {
  double scale;
  double *triangles;
  size_t count, room;
};

static enum armdyn_status take(void *context, const double *triangles, size_t count)
{
  struct gathering *g = context;
  if (g->count + count > g->room) {
    const size_t room = 2 * g->room + count;
    double *more = realloc(g->triangles, room * MESH_CORNERS * sizeof *more);
    if (!more) return ARMDYN_EMEMORY;
    g->triangles = more, g->room = room;
  }
  for (size_t i = 0; i < count * MESH_CORNERS; i++)
    g->triangles[g->count * MESH_CORNERS + i] = g->scale * triangles[i] + 0.0; /* no -0: corners are compared */
  g->count += count;
  return ARMDYN_OK;
}

/* -- pieces: sets of triangles that share corners -- */

struct corner {
  const double *at;
  size_t triangle;
};

static int by_place(const void *left, const void *right)
{
  const struct corner *a = left, *b = right;
  for (int k = 0; k < 3; k++)
    if (a->at[k] < b->at[k] || a->at[k] > b->at[k]) return a->at[k] < b->at[k] ? -1 : 1;
  return 0;
}

static size_t root_of(size_t *above, size_t i)
{
  while (above[i] != i) i = above[i] = above[above[i]];
  return i;
}

/* piece_of[i]: the number of the piece of triangle i, by its first triangle. Answers how many; 0: out of memory. */
static size_t find_pieces(const struct gathering *g, size_t *piece_of)
{
  struct corner *corners = malloc(3 * g->count * sizeof *corners);
  size_t pieces = 0;
  if (!corners) return 0;
  for (size_t i = 0; i < 3 * g->count; i++) corners[i] = (struct corner){ g->triangles + 3 * i, i / 3 };
  for (size_t i = 0; i < g->count; i++) piece_of[i] = i;
  qsort(corners, 3 * g->count, sizeof *corners, by_place);
  for (size_t i = 1; i < 3 * g->count; i++) {
    if (by_place(&corners[i - 1], &corners[i])) continue;
    const size_t a = root_of(piece_of, corners[i - 1].triangle), b = root_of(piece_of, corners[i].triangle);
    if (a < b)
      piece_of[b] = a;
    else
      piece_of[a] = b;
  }
  /* the root of a set is its first triangle, so it is met first */
  for (size_t i = 0; i < g->count; i++) {
    const size_t root = root_of(piece_of, i);
    corners[i].triangle = root == i ? pieces++ : corners[root].triangle;
  }
  for (size_t i = 0; i < g->count; i++) piece_of[i] = corners[i].triangle;
  free(corners);
  return pieces;
}

/* Triangles in the order of their pieces; first[k] is where piece k begins, first[pieces] the end. */
static bool sort_by_piece(struct gathering *g, const size_t *piece_of, size_t pieces, size_t *first)
{
  double *sorted = malloc(g->count * MESH_CORNERS * sizeof *sorted);
  if (!sorted) return false;
  memset(first, 0, (pieces + 2) * sizeof *first);
  for (size_t i = 0; i < g->count; i++) first[piece_of[i] + 2]++;
  for (size_t k = 2; k < pieces + 2; k++) first[k] += first[k - 1];
  for (size_t i = 0; i < g->count; i++)
    memcpy(sorted + MESH_CORNERS * first[piece_of[i] + 1]++, g->triangles + MESH_CORNERS * i,
           MESH_CORNERS * sizeof *sorted);
  free(g->triangles);
  g->triangles = sorted;
  return true;
}

/* -- bodies -- */

struct filling {
  double most; /* of a piece's volume */
  size_t count;
};

static enum armdyn_status add_piece(const struct gathering *g, size_t from, size_t to, struct cell_document *cell,
                                    struct filling *fill, struct armdyn_error *error)
{
  const size_t number = cell->cell.obstacle_count++;
  struct armdyn_obstacle *body = &cell->obstacles[number];
  double *points = cell->points + number * 3 * ARMDYN_CONVEX_POINTS_MAX, volumes[2];
  body->shape = (struct armdyn_shape){ .kind = ARMDYN_CONVEX, .points = points };
  const enum armdyn_status status = armdyn_enclose_convex(g->triangles + MESH_CORNERS * from, to - from, points,
                                                          &body->shape.point_count, volumes, error);
  if (status) return status;
  const double more = volumes[1] > 0 ? volumes[0] / volumes[1] - 1 : INFINITY;
  const bool fills = more > filled;
  fill->count += fills;
  fill->most = fmax(fill->most, more);
  snprintf(body->name, sizeof body->name, "piece-%zu%s", number + 1, fills ? "-filled" : "");
  return ARMDYN_OK;
}

static void describe(const struct mesh_summary *summary, const struct filling *fill, struct cell_document *cell)
{
  char filling[64] = "";
  if (isfinite(fill->most) && fill->count)
    snprintf(filling, sizeof filling, ", %zu filled up by up to %.3g %%", fill->count, 100 * fill->most);
  else if (fill->count)
    snprintf(filling, sizeof filling, ", %zu filled up or open", fill->count);
  snprintf(cell->description, sizeof cell->description, "%s of %zu triangles, %zu convex pieces%s", summary->format,
           summary->triangles, cell->cell.obstacle_count, filling);
}

static enum armdyn_status make_cell(struct gathering *g, size_t *piece_of, struct cell_document *cell,
                                    struct filling *fill, struct armdyn_error *error)
{
  const size_t pieces = find_pieces(g, piece_of);
  enum armdyn_status status = ARMDYN_OK;
  if (pieces > ARMDYN_OBSTACLES_MAX)
    return armdyn_refuse(error, ARMDYN_ELIMIT, "", "its triangles are of %zu pieces that share no corner, more than %d",
                         pieces, ARMDYN_OBSTACLES_MAX);
  size_t *first = malloc((pieces + 2) * sizeof *first);
  cell->obstacles = calloc(pieces + 1, sizeof *cell->obstacles);
  cell->points = malloc((pieces + 1) * 3 * ARMDYN_CONVEX_POINTS_MAX * sizeof *cell->points);
  if (!pieces || !first || !cell->obstacles || !cell->points || !sort_by_piece(g, piece_of, pieces, first))
    status = ARMDYN_EMEMORY;
  for (size_t k = 0; k < pieces && !status; k++) status = add_piece(g, first[k], first[k + 1], cell, fill, error);
  cell->cell.obstacles = cell->obstacles;
  free(first);
  return status;
}

enum armdyn_status cell_mesh_decode(const char *bytes, size_t length, const struct cell_mesh_options *options,
                                    struct cell_document *cell, struct armdyn_error *error)
{
  struct gathering g = { .scale = options->scale };
  struct mesh_summary summary;
  struct filling fill = { 0 };
  memset(cell, 0, sizeof *cell);
  enum armdyn_status status = mesh_read(bytes, length, &(struct mesh_sink){ take, &g }, &summary, error);
  size_t *piece_of = status ? NULL : malloc(g.count * sizeof *piece_of);
  if (!status) status = piece_of ? make_cell(&g, piece_of, cell, &fill, error) : ARMDYN_EMEMORY;
  if (!status) {
    snprintf(cell->name, sizeof cell->name, "%s", options->name);
    describe(&summary, &fill, cell);
    status = armdyn_cell_check(&cell->cell, error);
  }
  if (status) cell_release(cell);
  free(piece_of);
  free(g.triangles);
  return status;
}
