/* Poses, Jacobian and regressor on an arm of expressions. */
#include "lib/model/parameters.h"
#include "lib/symbolic/arm.h"

/* A frame in the base. */
struct frame_in_base {
  expr x[3], y[3], z[3], p[3]; /* columns of the rotation; origin */
};

/* The frame whose pose in `at` is constant. */
static struct frame_in_base placed(struct expr_graph *g, const struct frame_in_base *at, const struct pose *pose)
{
  struct frame_in_base out;
  expr *columns[3] = { out.x, out.y, out.z }, r[9], p[3];
  expr_vector(g, r, pose->r, 9);
  expr_vector(g, p, pose->p, 3);
  for (int k = 0; k < 3; k++) {
    const expr row[3] = { at->x[k], at->y[k], at->z[k] };
    for (int j = 0; j < 3; j++) columns[j][k] = expr_dot(g, row, (const expr[3]){ r[j], r[3 + j], r[6 + j] });
    out.p[k] = expr_add(g, at->p[k], expr_dot(g, row, p));
  }
  return out;
}

static struct frame_in_base base_frame(struct expr_graph *g)
{
  const expr one = expr_number(g, 1);
  return (struct frame_in_base){ .x = { one, 0, 0 }, .y = { 0, one, 0 }, .z = { 0, 0, one } };
}

/* The frame of joint i at q. `first` is where the axes of its chain of parallel joints began, turned by the sum of their
 * angles, of which `cosine` and `sine` are. */
struct turning {
  struct frame_in_base first;
  expr cosine, sine;
};

static struct frame_in_base joint_frame(const struct arm *arm, size_t i, const struct frame_in_base *before,
                                        struct turning *chain)
{
  struct expr_graph *g = arm->graph;
  const struct arm_joint *joint = &arm->joints[i];
  const expr c = chain->cosine, s = chain->sine;
  struct frame_in_base at = placed(g, before, &joint->before), out = at;
  if (joint->parallel && arm->chains) {
    chain->cosine = expr_cross_element(g, c, joint->cosine, s, joint->sine);
    chain->sine = expr_add(g, expr_multiply(g, s, joint->cosine), expr_multiply(g, c, joint->sine));
  } else {
    *chain = (struct turning){ at, joint->cosine, joint->sine };
  }
  for (int k = 0; k < 3; k++) {
    const expr x = chain->first.x[k], y = chain->first.y[k];
    out.x[k] = expr_add(g, expr_multiply(g, chain->cosine, x), expr_multiply(g, chain->sine, y));
    out.y[k] = expr_cross_element(g, chain->cosine, y, chain->sine, x);
    if (joint->slides) out.p[k] = expr_add(g, out.p[k], expr_multiply(g, joint->q, out.z[k]));
  }
  return out;
}

void code_arm_kinematics(const struct arm *arm, expr *tool, expr *jacobian)
{
  struct expr_graph *g = arm->graph;
  const size_t n = arm->n;
  struct frame_in_base links[ARMDYN_JOINTS_MAX], at = base_frame(g);
  struct turning chain = { .cosine = 0 };
  for (size_t i = 0; i < n; i++) at = links[i] = joint_frame(arm, i, &at, &chain);
  const struct pose last = code_arm_constant_pose(arm, &arm->robot->tool);
  at = placed(g, &at, &last);
  for (size_t k = 0; k < 3 && tool; k++) {
    const expr row[4] = { at.x[k], at.y[k], at.z[k], at.p[k] };
    memcpy(tool + 4 * k, row, sizeof row);
  }
  if (tool) {
    tool[12] = tool[13] = tool[14] = 0;
    tool[15] = expr_number(g, 1);
  }
  for (size_t i = 0; i < n && jacobian; i++) {
    expr arm_to_tool[3], linear[3];
    for (int k = 0; k < 3; k++) arm_to_tool[k] = expr_subtract(g, at.p[k], links[i].p[k]);
    expr_cross(g, linear, links[i].z, arm_to_tool);
    for (size_t k = 0; k < 3; k++) {
      jacobian[k * n + i] = arm->joints[i].slides ? links[i].z[k] : linear[k];
      jacobian[(3 + k) * n + i] = arm->joints[i].slides ? 0 : links[i].z[k];
    }
  }
}

/* ---------------------------------------------------------------- the regressor */

/* A link's frame of the convention: its motion, and what joints before it give it for each unit of their speed, all in its
 * own axes: [u; l] turns and moves its origin. */
struct link_frame {
  expr w[3], wd[3], a[3], K[9];
  expr u[ARMDYN_JOINTS_MAX][3], l[ARMDYN_JOINTS_MAX][3];
};

/* v = B v of the pose, seen from its own axes; l and a move to its origin first. */
static void seen_from(struct expr_graph *g, struct link_frame *x, size_t joints, const expr p[3], const double r[9])
{
  for (int k = 0; k < 3; k++) x->a[k] = expr_add(g, x->a[k], expr_dot(g, x->K + 3 * k, p));
  expr_unrotate(g, r, x->a);
  expr_unrotate(g, r, x->w);
  expr_unrotate(g, r, x->wd);
  for (size_t i = 0; i < joints; i++) {
    expr swing[3];
    expr_cross(g, swing, x->u[i], p);
    expr_vector_add(g, x->l[i], swing, 3);
    expr_unrotate(g, r, x->u[i]);
    expr_unrotate(g, r, x->l[i]);
  }
}

static void set_matrix(struct expr_graph *g, struct link_frame *x)
{
  const expr *w = x->w, *d = x->wd;
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const expr jk = expr_multiply(g, w[j], w[k]);
    const expr squares = expr_add(g, expr_multiply(g, w[j], w[j]), expr_multiply(g, w[k], w[k]));
    x->K[4 * i] = expr_negate(g, squares);
    x->K[3 * j + k] = expr_subtract(g, jk, d[i]);
    x->K[3 * k + j] = expr_add(g, jk, d[i]);
  }
}

/* From the canonical frame before joint i to its own. */
static void link_step(const struct arm *arm, size_t i, struct link_frame *x)
{
  struct expr_graph *g = arm->graph;
  const struct arm_joint *joint = &arm->joints[i];
  const expr c = joint->cosine, s = joint->sine;
  expr p[3];
  expr_vector(g, p, joint->before.p, 3);
  for (int k = 0; k < 3 && joint->slides; k++) {
    p[k] = expr_add(g, p[k], expr_multiply(g, expr_number(g, joint->before.r[3 * k + 2]), joint->q));
  }
  seen_from(g, x, i, p, joint->before.r);
  expr_unturn(g, c, s, x->a);
  expr_unturn(g, c, s, x->w);
  expr_unturn(g, c, s, x->wd);
  for (size_t k = 0; k < i; k++) {
    expr_unturn(g, c, s, x->u[k]);
    expr_unturn(g, c, s, x->l[k]);
  }
  const expr one = expr_number(g, 1);
  for (int k = 0; k < 3; k++) x->u[i][k] = x->l[i][k] = 0;
  if (joint->slides) {
    const expr twice = expr_multiply(g, expr_number(g, 2), joint->qd);
    x->a[0] = expr_add(g, x->a[0], expr_multiply(g, twice, x->w[1]));
    x->a[1] = expr_subtract(g, x->a[1], expr_multiply(g, twice, x->w[0]));
    x->a[2] = expr_add(g, x->a[2], joint->qdd);
    x->l[i][2] = one;
  } else {
    x->wd[0] = expr_add(g, x->wd[0], expr_multiply(g, joint->qd, x->w[1]));
    x->wd[1] = expr_subtract(g, x->wd[1], expr_multiply(g, joint->qd, x->w[0]));
    x->wd[2] = expr_add(g, x->wd[2], joint->qdd);
    x->w[2] = expr_add(g, x->w[2], joint->qd);
    x->u[i][2] = one;
  }
  set_matrix(g, x);
}

/* What the ten parameters of a link give a joint's torque; see lib/dynamics/regressor_kernel.h. */
static void link_row(struct expr_graph *g, const struct link_frame *m, size_t joint, expr out[10])
{
  const expr *w = m->w, *d = m->wd, *u = m->u[joint], *l = m->l[joint];
  static const int row[6] = { 0, 0, 1, 0, 1, 2 }, column[6] = { 0, 1, 1, 2, 2, 2 };
  expr c[3], across[3];
  out[0] = expr_dot(g, l, m->a);
  expr_cross(g, across, m->a, u);
  for (int k = 0; k < 3; k++) {
    const expr of_K[3] = { m->K[k], m->K[3 + k], m->K[6 + k] };
    out[1 + k] = expr_add(g, expr_dot(g, of_K, l), across[k]);
  }
  expr_cross(g, c, u, w);
  for (int k = 0; k < 6; k++) {
    const int i = row[k], j = column[k];
    expr sum = expr_add(g, expr_multiply(g, u[i], d[j]), expr_multiply(g, c[i], w[j]));
    if (i != j) {
      sum = expr_add(g, sum, expr_add(g, expr_multiply(g, u[j], d[i]), expr_multiply(g, c[j], w[i])));
    }
    out[4 + k] = sum;
  }
}

static void link_columns_of(const struct arm *arm, size_t width, expr *regressor)
{
  struct expr_graph *g = arm->graph;
  struct link_frame x = { .w = { 0 } };
  for (int k = 0; k < 3; k++) x.a[k] = expr_number(g, arm->upward[k]);
  for (size_t k = 0; k < arm->n; k++) {
    const struct pose frame = code_arm_constant_pose(arm, &arm->robot->joints[k].frame);
    expr p[3];
    link_step(arm, k, &x);
    struct link_frame link = x;
    expr_vector(g, p, frame.p, 3);
    seen_from(g, &link, k + 1, p, frame.r);
    set_matrix(g, &link);
    for (size_t i = 0; i <= k; i++) link_row(g, &link, i, regressor + i * width + 10 * k);
  }
}

/* Torques are linear in the parameters of drives: a column is the torque of one that is 1, all others 0. */
static void drive_columns_of(const struct arm *arm, size_t width, expr *regressor)
{
  struct expr_graph *g = arm->graph;
  struct arm one = *arm;
  expr qdd[ARMDYN_JOINTS_MAX], unit[ARMDYN_JOINTS_MAX * (1 + FRICTION_ROW_MAX)] = { 0 };
  for (size_t i = 0; i < arm->n; i++) qdd[i] = arm->joints[i].qdd;
  for (size_t column = 10 * arm->n; column < width; column++) {
    expr tau[ARMDYN_JOINTS_MAX] = { 0 };
    unit[column - 10 * arm->n] = expr_number(g, 1);
    code_arm_take_drives(&one, unit);
    unit[column - 10 * arm->n] = 0;
    code_arm_rotors_add(&one, qdd, tau);
    for (size_t i = 0; i < arm->n; i++) {
      regressor[i * width + column] = expr_add(g, tau[i], code_arm_friction(&one, i));
    }
  }
}

void code_arm_regressor(const struct arm *arm, size_t width, expr *regressor)
{
  memset(regressor, 0, arm->n * width * sizeof *regressor);
  link_columns_of(arm, width, regressor);
  drive_columns_of(arm, width, regressor);
}
