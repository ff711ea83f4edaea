/* Which bodies are near each other, and how fast that can change. */
#include <math.h>
#include <string.h>

#include "lib/geometry/distance.h"
#include "lib/geometry/scene.h"

/* -- how far bodies reach from joints -- */

/* The farthest point of a body from the origin of its frame; planar: from the z axis. */
static double farthest(const struct convex *body, bool planar)
{
  const bool segment = body->core == CORE_SEGMENT;
  double square[2] = { 0, 0 };
  for (int end = 0; end < 2; end++) {
    for (int k = 0; k < (planar ? 2 : 3); k++) {
      const double x = body->center[k] + (segment ? (end ? 1 : -1) * body->axis[0][k] : 0);
      square[end] += x * x;
    }
  }
  return sqrt(fmax(square[0], square[1])) + (segment ? body->radius : body->reach);
}

/* Inwards from its own link: what is beyond a joint may be stretched out, and slides as far out as they go. */
void body_reach(const struct armdyn_scene *scene, size_t body, int first, const double *slid, double *reach)
{
  const struct armdyn_robot *robot = scene->robot;
  const struct moving_body *moving = &scene->bodies[body];
  double beyond = farthest(&moving->body, false); /* of the origin of frame j + 1 */
  memset(reach, 0, robot->joint_count * sizeof *reach);
  for (int j = moving->link; j >= first; j--) {
    double arm = farthest(&moving->body, true);
    if (j < moving->link) {
      const double *p = robot->joints[j + 1].parent.p;
      if (robot->joints[j + 1].prismatic) beyond += slid[j + 1];
      arm = beyond + hypot(p[0], p[1]);
      beyond += sqrt(dot3(p, p));
    }
    reach[j] = robot->joints[j].prismatic ? 1 : arm;
  }
}

void body_pair_reach(const struct armdyn_scene *scene, const struct body_pair *pair, const double *slid, double *reach)
{
  const bool own = pair->obstacle == NO_OBSTACLE;
  body_reach(scene, own ? pair->b : pair->a, own ? scene->bodies[pair->a].link + 1 : 0, slid, reach);
}

/* -- what is near -- */

/* Are the boxes of a placed body and of a node farther apart than that along any axis? */
static bool beyond(const struct placed_body *a, const struct box_node *b, double within)
{
  for (int k = 0; k < 3; k++)
    if (a->lower[k] - b->upper[k] >= within || b->lower[k] - a->upper[k] >= within) return true;
  return false;
}

struct finding {
  const struct armdyn_scene *scene;
  const struct armdyn_scene_workspace *workspace;
  double time, within;
  void (*found)(void *context, const struct body_pair *pair, double distance);
  void *context;
};

static void try_pair(const struct finding *f, struct body_pair pair)
{
  const double allowance = body_pair_allowance(f->scene, &pair, f->time);
  if (isinf(allowance)) return;
  const double distance = body_pair_distance(f->scene, f->workspace, &pair, NULL) + allowance;
  if (distance < f->within) f->found(f->context, &pair, distance);
}

static void near_in_cell(const struct finding *f, size_t body)
{
  const struct armdyn_scene *scene = f->scene;
  size_t stack[64] = { 0 }, waiting = scene->node_count ? 1 : 0;
  for (size_t i = 0; i < scene->open_count; i++) try_pair(f, (struct body_pair){ body, body, i });
  while (waiting) {
    const struct box_node *node = &scene->nodes[stack[--waiting]];
    if (beyond(&f->workspace->placed[body], node, f->within)) continue;
    if (node->left)
      stack[waiting++] = node->left, stack[waiting++] = node->right;
    else
      try_pair(f, (struct body_pair){ body, body, node->body });
  }
}

void scene_near(const struct armdyn_scene *scene, const struct armdyn_scene_workspace *workspace, double time,
                double within, void (*found)(void *context, const struct body_pair *pair, double distance),
                void *context)
{
  const struct finding f = { scene, workspace, time, within, found, context };
  for (size_t i = 0; i < scene->body_count; i++)
    if (scene->bodies[i].link >= 0) near_in_cell(&f, i);
  for (size_t i = 0; i < scene->pair_count; i++) {
    const struct convex *a = &workspace->placed[scene->pairs[i].a].body,
                        *b = &workspace->placed[scene->pairs[i].b].body;
    const double apart[3] = { a->center[0] - b->center[0], a->center[1] - b->center[1], a->center[2] - b->center[2] };
    const double most = within + a->reach + b->reach;
    if (dot3(apart, apart) >= most * most) continue;
    try_pair(&f, (struct body_pair){ scene->pairs[i].a, scene->pairs[i].b, NO_OBSTACLE });
  }
}
