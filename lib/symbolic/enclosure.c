/* A program that may be off by so much: within the limits of the arm, or along a motion. */
#include <math.h>

#include "lib/symbolic/abridge.h"
#include "lib/symbolic/program.h"
#include "lib/trajectory/polynomial.h"

enum { PARTS = 64 /* that a motion is cut into */, DEGREE_MOST = 15 };

/* ---------------------------------------------------------------- a motion */

/* Values of a polynomial of rising powers on [from, to]: between the least and the largest of its Bernstein coefficients
 * (Farouki, The Bernstein polynomial basis: a centennial retrospective, 2012), which are rounded by less than `slack`. */
static struct range range_of_polynomial(const double *c, size_t degree, double from, double to)
{
  double moved[DEGREE_MOST + 1] = { 0 }, size = 0, power = 1, width = 1;
  struct range out = { INFINITY, -INFINITY };
  polynomial_add_shifted(c, degree, from, 1, moved);
  for (size_t k = 0; k <= degree; k++) {
    size += fabs(c[k]) * power;
    moved[k] *= width;
    power *= fmax(fabs(from), fabs(to));
    width *= to - from;
  }
  for (size_t i = 0; i <= degree; i++) {
    double b = 0, share = 1; /* share: binomials i over k through degree over k */
    for (size_t k = 0; k <= i; k++) {
      b += share * moved[k];
      share *= (double)(i - k) / (double)(degree - k > 0 ? degree - k : 1);
    }
    out.least = fmin(out.least, b);
    out.most = fmax(out.most, b);
  }
  const double slack = 1e-13 * size + 1e-300;
  return (struct range){ out.least - slack, out.most + slack };
}

static void widen(struct range *out, struct range by)
{
  out->least = fmin(out->least, by.least);
  out->most = fmax(out->most, by.most);
}

/* Position, velocity and acceleration of a joint on a part of one piece. */
static void enclose_piece(const struct armdyn_trajectory *motion, size_t piece, size_t joint, double from, double to,
                          struct range out[3])
{
  const size_t degree = motion->degree;
  double c[DEGREE_MOST + 1];
  memcpy(c, motion->coefficients + (piece * motion->joint_count + joint) * (degree + 1), (degree + 1) * sizeof *c);
  for (size_t order = 0; order < 3; order++) {
    widen(&out[order], range_of_polynomial(c, degree, from, to));
    for (size_t k = 0; k < degree; k++) c[k] = c[k + 1] * (double)(k + 1);
    c[degree] = 0;
  }
}

static void enclose_part(const struct armdyn_trajectory *motion, double begin, double end, size_t joint,
                         struct range out[3])
{
  for (int order = 0; order < 3; order++) out[order] = (struct range){ INFINITY, -INFINITY };
  for (size_t k = 0; k < motion->piece_count; k++) {
    const double first = motion->breaks[k], last = motion->breaks[k + 1];
    if (last < begin || first > end) continue;
    enclose_piece(motion, k, joint, fmax(begin, first) - first, fmin(end, last) - first, out);
  }
}

/* ---------------------------------------------------------------- boxes */

static void enclose_limits(const struct armdyn_limits *limits, struct range out[3])
{
  out[0] = (struct range){ limits->position[0], limits->position[1] };
  out[1] = (struct range){ -limits->velocity, limits->velocity };
  out[2] = (struct range){ -limits->acceleration, limits->acceleration };
}

static void fill_boxes(const struct armdyn_code *code, struct boxes *boxes)
{
  const struct armdyn_trajectory *motion = code->request.motion;
  const struct armdyn_joint *joints = armdyn_robot_description(code->robot)->joints;
  const double duration = motion ? armdyn_trajectory_duration(motion) : 0, parts = (double)boxes->count;
  for (size_t box = 0; box < boxes->count; box++) {
    for (size_t joint = 0; joint < code->joint_count; joint++) {
      struct range state[3];
      if (motion)
        enclose_part(motion, duration * (double)box / parts, duration * (double)(box + 1) / parts, joint, state);
      else
        enclose_limits(&joints[joint].limits, state);
      for (size_t k = 0; k < code->input_count; k++) {
        boxes->of[box * boxes->width + code->first[k] + joint] = state[code->kinds[k] - INPUT_Q];
      }
    }
  }
}

/* What the program reads must have ends; a joint that turns may do so for ever. */
static enum armdyn_status check_limits(const struct armdyn_code *code, const struct boxes *boxes,
                                       struct armdyn_error *error)
{
  static const char *const names[3] = { "position", "velocity", "acceleration" };
  const struct armdyn_joint *joints = armdyn_robot_description(code->robot)->joints;
  for (size_t k = 0; k < code->graph.count; k++) {
    const struct expr_node *node = &code->graph.nodes[k];
    if (node->op != EXPR_INPUT || isfinite(range_size(boxes->of[node->a]))) continue;
    const size_t order = node->a / code->joint_count, joint = node->a % code->joint_count;
    if (order == 0 && joints[joint].type != ARMDYN_PRISMATIC) continue;
    return armdyn_refuse(error, ARMDYN_EINPUT, "/error_bound",
                         "needs the %s limits of joint '%s', which has none: give the model limits, or name a motion",
                         names[order], joints[joint].name);
  }
  return ARMDYN_OK;
}

static enum armdyn_status drop_terms(struct armdyn_code *code, const struct boxes *boxes)
{
  double left[ARMDYN_CODE_JOINTS_MAX];
  memcpy(left, code->request.error_bound, sizeof left);
  for (size_t dropped = 1; dropped > 0;) {
    if (!abridge(&code->graph, code->roots, code->output_size, boxes, left, &dropped)) return ARMDYN_EMEMORY;
    if (dropped > 0 && !code_refine(&code->graph, EXPR_SUMS_OF_TWO, code->roots, code->output_size, NULL)) {
      return ARMDYN_EMEMORY;
    }
    code->bound.dropped += dropped;
  }
  if (!code_refine(&code->graph, EXPR_WHOLE_SUMS, code->roots, code->output_size, NULL)) return ARMDYN_EMEMORY;
  for (size_t i = 0; i < code->output_size; i++) code->bound.torque[i] = code->request.error_bound[i] - left[i];
  return ARMDYN_OK;
}

static enum armdyn_status check_request(const struct armdyn_code *code, struct armdyn_error *error)
{
  const struct armdyn_code_request *r = &code->request;
  const bool torque = r->function == ARMDYN_CODE_INVERSE_DYNAMICS || r->function == ARMDYN_CODE_GRAVITY ||
                      r->function == ARMDYN_CODE_FRICTION || r->function == ARMDYN_CODE_CORIOLIS;
  if (!torque) {
    return armdyn_refuse(error, ARMDYN_EINPUT, "/error_bound",
                         "is for torques of the arm: inverse_dynamics, gravity, friction and coriolis");
  }
  if (r->parameters != ARMDYN_CODE_FOLDED)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/error_bound",
                         "needs the parameters folded: it holds for their numbers");
  for (size_t i = 0; i < code->joint_count; i++) {
    if (!(r->error_bound[i] >= 0) || !isfinite(r->error_bound[i]))
      return armdyn_refuse(error, ARMDYN_EINPUT, "/error_bound", "must be a torque of 0 or more, got %g",
                           r->error_bound[i]);
  }
  if (r->motion && (r->motion->joint_count != code->joint_count || r->motion->degree > DEGREE_MOST)) {
    return armdyn_refuse(error, ARMDYN_EINPUT, "/trajectory", "has %zu joints, the robot %zu", r->motion->joint_count,
                         code->joint_count);
  }
  return ARMDYN_OK;
}

enum armdyn_status code_abridge(struct armdyn_code *code, struct armdyn_error *error)
{
  struct boxes boxes = { .count = code->request.motion ? PARTS : 1, .width = code->input_size };
  enum armdyn_status rc = check_request(code, error);
  if (rc) return rc;
  boxes.of = calloc(boxes.count * boxes.width, sizeof *boxes.of);
  if (!boxes.of) return ARMDYN_EMEMORY;
  fill_boxes(code, &boxes);
  rc = check_limits(code, &boxes, error);
  if (!rc) rc = drop_terms(code, &boxes);
  free(boxes.of);
  return rc;
}
