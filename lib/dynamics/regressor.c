#include "armdyn/regressor.h"

#include "lib/dynamics/links_in_base.h"
#include "lib/model/parameters.h"

/* A link frame of the convention: its pose, and its motion in its own axes. */
struct link_motion {
  struct pose at;
  double w[3], wd[3], a[3];
  double K[9]; /* a + K x is the acceleration of the point x */
};

static void link_motion_set(struct link_motion *m, const struct link_in_base *x, const struct pose *frame)
{
  double swing[3], turn[3], point[3], a[3];
  pose_multiply(&m->at, &x->at, frame);
  /* a + wd x p + w x (v + w x p) */
  cross3(swing, x->acceleration, m->at.p);
  cross3(turn, x->velocity, m->at.p);
  for (int k = 0; k < 3; k++) point[k] = x->velocity[3 + k] + turn[k];
  cross3(turn, x->velocity, point);
  for (int k = 0; k < 3; k++) a[k] = x->acceleration[3 + k] + swing[k] + turn[k];
  unrotate3(m->w, m->at.r, x->velocity);
  unrotate3(m->wd, m->at.r, x->acceleration);
  unrotate3(m->a, m->at.r, a);
  const double *w = m->w, *d = m->wd;
  const double K[9] = { -w[1] * w[1] - w[2] * w[2], w[0] * w[1] - d[2],         w[0] * w[2] + d[1],
                        w[0] * w[1] + d[2],         -w[0] * w[0] - w[2] * w[2], w[1] * w[2] - d[0],
                        w[0] * w[2] - d[1],         w[1] * w[2] + d[0],         -w[0] * w[0] - w[1] * w[1] };
  memcpy(m->K, K, sizeof K);
}

/* What a link's ten parameters give the torque of a joint: the force [h x a + I wd + w x I w; m a + K h] along the
 * joint's axis, [u; l] in the link frame. */
static void link_row(const struct link_motion *m, const double axis[6], double *out)
{
  const double *w = m->w, *d = m->wd;
  double u[3], l[3], c[3], arm[3], at_origin[3], across[3];
  cross3(arm, axis, m->at.p);
  for (int k = 0; k < 3; k++) at_origin[k] = axis[3 + k] + arm[k];
  unrotate3(u, m->at.r, axis);
  unrotate3(l, m->at.r, at_origin);

  /* l . m a; l . K h + u . (h x a) */
  out[0] = dot3(l, m->a);
  unrotate3(out + 1, m->K, l);
  cross3(across, m->a, u);
  for (int k = 0; k < 3; k++) out[1 + k] += across[k];

  /* u . I wd + (u x w) . I w */
  cross3(c, u, w);
  out[4] = u[0] * d[0] + c[0] * w[0];
  out[5] = u[0] * d[1] + u[1] * d[0] + c[0] * w[1] + c[1] * w[0];
  out[6] = u[1] * d[1] + c[1] * w[1];
  out[7] = u[0] * d[2] + u[2] * d[0] + c[0] * w[2] + c[2] * w[0];
  out[8] = u[1] * d[2] + u[2] * d[1] + c[1] * w[2] + c[2] * w[1];
  out[9] = u[2] * d[2] + c[2] * w[2];
}

/* Column of the rotor of drive k: T_k' T_k qdd, T_k its row of the transmission. */
static void rotor_column(const struct armdyn_robot *robot, size_t k, const double *qdd, double *column, size_t width)
{
  const struct armdyn_robot_description *d = &robot->description;
  const size_t n = robot->joint_count;
  const double ratio = d->joints[k].drive.gear_ratio, *row = d->transmission + k * n;
  double turn = 0;
  if (!robot->coupled) {
    column[k * width] = ratio * ratio * qdd[k];
    return;
  }
  for (size_t j = 0; j < n; j++) turn += row[j] * qdd[j];
  for (size_t i = 0; i < n; i++) column[i * width] = row[i] * turn;
}

/* Columns of the friction of joint i, in its row; answers how many. */
static size_t friction_row(const struct armdyn_robot *robot, size_t i, double q, double qd, double *row)
{
  const struct armdyn_joint *joint = &robot->description.joints[i];
  struct friction_state x;
  size_t count = 0;
  if (!robot->joints[i].friction) return 0;
  friction_state_set(&x, joint, q, qd);
  for (size_t c = 0; c < friction_column_count; c++) {
    const size_t lines = friction_columns[c].count(&joint->friction);
    for (size_t line = 0; line < lines; line++) row[count++] = friction_columns[c].slope(&x, line);
  }
  return count;
}

void armdyn_regressor(const struct armdyn_robot *robot, const struct armdyn_parameter_choice *choice, const double *q,
                      const double *qd, const double *qdd, struct armdyn_workspace *workspace, double *regressor)
{
  const size_t n = robot->joint_count, width = armdyn_parameter_count(robot, choice);
  size_t column = 10 * n;
  memset(regressor, 0, n * width * sizeof *regressor);
  links_move(robot, q, qd, qdd, workspace);
  for (size_t k = 0; k < n; k++) {
    struct link_motion m;
    link_motion_set(&m, &workspace->links[k], &robot->joints[k].frame);
    for (size_t i = 0; i <= k; i++) link_row(&m, workspace->links[i].axis, regressor + i * width + 10 * k);
  }
  for (size_t k = 0; k < n; k++) {
    if (rotor_chosen(robot, choice, k)) rotor_column(robot, k, qdd, regressor + column++, width);
  }
  for (size_t i = 0; i < n && friction_chosen(choice); i++) {
    column += friction_row(robot, i, q[i], qd[i], regressor + i * width + column);
  }
}
