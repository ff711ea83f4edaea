/* The columns of the links in a regressor. A template as recursion_kernel.h, and included after links_kernel.h. */

/* A link frame of the convention: its pose, and its motion in its own axes. */
struct NAME(link_motion) {
  struct NAME(pose) at;
  REAL w[3], wd[3], a[3];
  REAL K[9]; /* a + K x is the acceleration of the point x */
};

static void NAME(link_motion_set)(struct NAME(link_motion) * m, const struct NAME(link_in_base) * x,
                                  const struct pose *frame)
{
  REAL swing[3], turn[3], point[3], a[3];
  NAME(pose_multiply_shared)(&m->at, &x->at, frame);
  /* a + wd x p + w x (v + w x p) */
  NAME(cross3)(swing, x->acceleration, m->at.p);
  NAME(cross3)(turn, x->velocity, m->at.p);
  for (int k = 0; k < 3; k++) point[k] = x->velocity[3 + k] + turn[k];
  NAME(cross3)(turn, x->velocity, point);
  for (int k = 0; k < 3; k++) a[k] = x->acceleration[3 + k] + swing[k] + turn[k];
  NAME(unrotate3)(m->w, m->at.r, x->velocity);
  NAME(unrotate3)(m->wd, m->at.r, x->acceleration);
  NAME(unrotate3)(m->a, m->at.r, a);
  const REAL *w = m->w, *d = m->wd;
  const REAL K[9] = { -w[1] * w[1] - w[2] * w[2], w[0] * w[1] - d[2],         w[0] * w[2] + d[1],
                      w[0] * w[1] + d[2],         -w[0] * w[0] - w[2] * w[2], w[1] * w[2] - d[0],
                      w[0] * w[2] - d[1],         w[1] * w[2] + d[0],         -w[0] * w[0] - w[1] * w[1] };
  memcpy(m->K, K, sizeof K);
}

/* What a link's ten parameters give the torque of a joint: the force [h x a + I wd + w x I w; m a + K h] along the
 * joint's axis, [u; l] in the link frame. */
static void NAME(link_row)(const struct NAME(link_motion) * m, const REAL axis[6], REAL *out)
{
  const REAL *w = m->w, *d = m->wd;
  REAL u[3], l[3], c[3], arm[3], at_origin[3], across[3];
  NAME(cross3)(arm, axis, m->at.p);
  for (int k = 0; k < 3; k++) at_origin[k] = axis[3 + k] + arm[k];
  NAME(unrotate3)(u, m->at.r, axis);
  NAME(unrotate3)(l, m->at.r, at_origin);

  /* l . m a; l . K h + u . (h x a) */
  out[0] = NAME(dot3)(l, m->a);
  NAME(unrotate3)(out + 1, m->K, l);
  NAME(cross3)(across, m->a, u);
  for (int k = 0; k < 3; k++) out[1 + k] += across[k];

  /* u . I wd + (u x w) . I w */
  NAME(cross3)(c, u, w);
  out[4] = u[0] * d[0] + c[0] * w[0];
  out[5] = u[0] * d[1] + u[1] * d[0] + c[0] * w[1] + c[1] * w[0];
  out[6] = u[1] * d[1] + c[1] * w[1];
  out[7] = u[0] * d[2] + u[2] * d[0] + c[0] * w[2] + c[2] * w[0];
  out[8] = u[1] * d[2] + u[2] * d[1] + c[1] * w[2] + c[2] * w[1];
  out[9] = u[2] * d[2] + c[2] * w[2];
}

/* Rows `width` long; what is below the links of a joint is 0 already. */
static void NAME(link_columns)(const struct armdyn_robot *robot, const struct NAME(state) * states, size_t width,
                               struct NAME(link_in_base) * links, const struct lanes_table *out)
{
  NAME(links_move)(robot, states, links);
  for (size_t k = 0; k < robot->joint_count; k++) {
    struct NAME(link_motion) m;
    NAME(link_motion_set)(&m, &links[k], &robot->joints[k].frame);
    for (size_t i = 0; i <= k; i++) {
      REAL row[10];
      NAME(link_row)(&m, links[i].axis, row);
      for (size_t c = 0; c < 10; c++) NAME(store)(out, i * width + 10 * k + c, row[c]);
    }
  }
}
