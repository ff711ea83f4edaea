#include <math.h>
#include <string.h>

#include "lib/dynamics/workspace.h"
#include "lib/geometry/distance.h"
#include "lib/geometry/scene.h"

void scene_place(const struct armdyn_scene *scene, const double *q, struct armdyn_scene_workspace *workspace)
{
  pose_joints(scene->robot, q, workspace->joint);
  workspace->link[0] = workspace->joint[0];
  for (size_t i = 1; i < scene->robot->joint_count; i++)
    pose_multiply(&workspace->link[i], &workspace->link[i - 1], &workspace->joint[i]);
  for (size_t i = 0; i < scene->body_count; i++) {
    const struct moving_body *body = &scene->bodies[i];
    struct placed_body *placed = &workspace->placed[i];
    if (body->link < 0)
      placed->body = body->body;
    else
      convex_move(&workspace->link[body->link], &body->body, &placed->body);
    convex_bounds(&placed->body, placed->lower, placed->upper);
  }
}

/* Of two boxes along the axes; where they overlap, -INFINITY: bodies in them may be as deep as they like. */
static double boxes_apart(const struct placed_body *a, const struct box_node *b)
{
  double square = 0;
  for (int k = 0; k < 3; k++) {
    const double gap = fmax(0, fmax(a->lower[k] - b->upper[k], b->lower[k] - a->upper[k]));
    square += gap * gap;
  }
  return square > 0 ? sqrt(square) : -INFINITY;
}

struct search {
  const struct armdyn_scene *scene;
  const struct placed_body *placed;
  size_t body;
  double time, best;
  size_t *obstacle;
};

static void try_obstacle(struct search *s, size_t obstacle)
{
  const double allowance = touch_allowance(s->scene, s->body, obstacle, s->time);
  if (isinf(allowance)) return;
  const double distance = convex_distance(&s->placed->body, &s->scene->standing[obstacle].body, NULL) + allowance;
  if (distance < s->best) s->best = distance, *s->obstacle = obstacle;
}

double distance_to_cell(const struct armdyn_scene *scene, const struct armdyn_scene_workspace *workspace, size_t body,
                        double time, double cutoff, size_t *obstacle)
{
  struct search s = { scene, &workspace->placed[body], body, time, cutoff, obstacle };
  struct {
    size_t node;
    double apart;
  } stack[64], near, far;
  size_t waiting = 0;
  for (size_t i = 0; i < scene->open_count; i++) try_obstacle(&s, i);
  if (!scene->node_count) return s.best;
  stack[waiting].node = 0, stack[waiting++].apart = boxes_apart(s.placed, scene->nodes);
  while (waiting) {
    near = stack[--waiting];
    if (near.apart >= s.best) continue;
    const struct box_node *node = &scene->nodes[near.node];
    if (!node->left) {
      try_obstacle(&s, node->body);
      continue;
    }
    near.node = node->left, near.apart = boxes_apart(s.placed, &scene->nodes[node->left]);
    far.node = node->right, far.apart = boxes_apart(s.placed, &scene->nodes[node->right]);
    const bool turned = far.apart < near.apart;
    stack[waiting++] = turned ? near : far;
    stack[waiting++] = turned ? far : near;
  }
  return s.best;
}

double distance_of_pair(const struct armdyn_scene *scene, const struct armdyn_scene_workspace *workspace,
                        const struct self_pair *pair, double time, double cutoff)
{
  const struct convex *a = &workspace->placed[pair->a].body, *b = &workspace->placed[pair->b].body;
  const double c[3] = { a->center[0] - b->center[0], a->center[1] - b->center[1], a->center[2] - b->center[2] };
  const double most = cutoff + a->reach + b->reach;
  if (most <= 0 || dot3(c, c) < most * most) {
    const double allowance = scene->touch_count ? pair_allowance(scene, pair, time) : 0;
    return isinf(allowance) ? cutoff : fmin(cutoff, convex_distance(a, b, NULL) + allowance);
  }
  return cutoff;
}

void clearance_tell(const struct armdyn_scene *scene, const struct armdyn_scene_workspace *workspace, size_t a,
                    size_t b, size_t obstacle, struct armdyn_clearance *out)
{
  struct nearest found;
  const bool stands = obstacle != NO_OBSTACLE;
  convex_distance(&workspace->placed[a].body, stands ? &scene->standing[obstacle].body : &workspace->placed[b].body,
                  &found);
  out->distance = found.distance;
  out->a = scene->bodies[a].name;
  out->b = stands ? scene->standing[obstacle].name : scene->bodies[b].name;
  memcpy(out->point_a, found.a, sizeof found.a);
  memcpy(out->point_b, found.b, sizeof found.b);
  memcpy(out->normal, found.normal, sizeof found.normal);
}

/* d distance / d q_j = normal . (velocity of a's point - that of b's) as joint j moves: it carries bodies of link j and on. */
static void gradient_of(const struct armdyn_scene *scene, const struct armdyn_scene_workspace *workspace, int link_a,
                        int link_b, const struct nearest *at, double *gradient)
{
  for (int j = 0; j < (int)scene->robot->joint_count; j++) {
    const struct pose *frame = &workspace->link[j];
    const double z[3] = { frame->r[2], frame->r[5], frame->r[8] };
    gradient[j] = 0;
    for (int side = 0; side < 2; side++) {
      const double *point = side ? at->b : at->a;
      const double arm[3] = { point[0] - frame->p[0], point[1] - frame->p[1], point[2] - frame->p[2] };
      double velocity[3];
      if (j > (side ? link_b : link_a)) continue;
      cross3(velocity, z, arm);
      if (scene->robot->joints[j].prismatic) memcpy(velocity, z, sizeof velocity);
      gradient[j] += (side ? -1 : 1) * dot3(at->normal, velocity);
    }
  }
}

static const struct convex *other_body(const struct armdyn_scene *scene, const struct armdyn_scene_workspace *workspace,
                                       const struct body_pair *pair)
{
  return pair->obstacle == NO_OBSTACLE ? &workspace->placed[pair->b].body : &scene->standing[pair->obstacle].body;
}

double body_pair_distance(const struct armdyn_scene *scene, const struct armdyn_scene_workspace *workspace,
                          const struct body_pair *pair, double *gradient)
{
  const int link_b = pair->obstacle == NO_OBSTACLE ? scene->bodies[pair->b].link : -1;
  struct nearest found;
  if (!gradient) return convex_distance(&workspace->placed[pair->a].body, other_body(scene, workspace, pair), NULL);
  convex_distance(&workspace->placed[pair->a].body, other_body(scene, workspace, pair), &found);
  gradient_of(scene, workspace, scene->bodies[pair->a].link, link_b, &found, gradient);
  return found.distance;
}

double body_pair_allowance(const struct armdyn_scene *scene, const struct body_pair *pair, double time)
{
  const struct self_pair own = { pair->a, pair->b };
  if (!scene->touch_count) return 0;
  return pair->obstacle == NO_OBSTACLE ? pair_allowance(scene, &own, time)
                                       : touch_allowance(scene, pair->a, pair->obstacle, time);
}

void armdyn_clearance(const struct armdyn_scene *scene, const double *q, struct armdyn_scene_workspace *workspace,
                      struct armdyn_clearance *out, double *gradient)
{
  size_t a = 0, b = 0, obstacle = NO_OBSTACLE;
  double best = INFINITY;
  scene_place(scene, q, workspace);
  for (size_t i = 0; i < scene->body_count; i++) {
    if (scene->bodies[i].link < 0) continue;
    const double distance = distance_to_cell(scene, workspace, i, NAN, best, &obstacle);
    if (distance < best) best = distance, a = i;
  }
  for (size_t i = 0; i < scene->pair_count; i++) {
    const struct self_pair *pair = &scene->pairs[i];
    const double distance = distance_of_pair(scene, workspace, pair, NAN, best);
    if (distance < best) best = distance, a = pair->a, b = pair->b, obstacle = NO_OBSTACLE;
  }
  memset(out, 0, sizeof *out);
  out->distance = INFINITY;
  if (gradient) memset(gradient, 0, scene->robot->joint_count * sizeof *gradient);
  if (!(best < INFINITY)) return;
  clearance_tell(scene, workspace, a, b, obstacle, out);
  out->distance = best;
  const struct body_pair pair = { a, b, obstacle };
  if (gradient) body_pair_distance(scene, workspace, &pair, gradient);
}
