/* Analytic derivatives of inverse dynamics, in base axes.
 *
 * Let s_j be the axis of joint j, v and a the velocity and acceleration of the link before it. A change of q_j carries all
 * links beyond it along with s_j, and with them everything that is theirs. Seen from these links the rest of the arm moves
 * backwards; so their velocity changes, over and above being carried, by s' = v x s_j per unit of q_j, and their
 * acceleration by s'' = a x s_j + v x s', v's own Coriolis part apart. What force does that take? On a body with velocity
 * field V, [integral x cross f; integral f] of
 *   f = (field of s'') dm + 2 w' cross V dm,   w' the angular part of s',
 * the second term being Coriolis' force on what moves in a frame that turns with w'. Its integrals need two sums of the body:
 * momentum = integral V dm and carried = integral V x' dm. They add up over bodies, as mass, h and S do, and so
 *   d tau_i / d q_j  = s_i . (A s'_j + B s''_j)                for i >= j, sums over link i and all beyond it,
 *   d tau_i / d q_j  = s_i . (A s'_j + B s''_j + s_j x* f_j)   for i < j, sums over j and beyond, f_j their force;
 *   d tau_i / d qd_j = s_i . (A s_j + 2 B s'_j)
 * with A the Coriolis term and B the inertia.
 *
 * A template as recursion_kernel.h, and included after links_kernel.h. */

/* The sums of one link, and its force. */
static void NAME(link_sums)(struct NAME(link_in_base) * x, const struct distribution *link)
{
  const REAL *w = x->velocity, *v = x->velocity + 3, *h = x->body.h, *s = x->body.s;
  struct NAME(distribution) shared = { .m = NAME(shared)(link->m) };
  for (int k = 0; k < 3; k++) shared.h[k] = NAME(shared)(link->h[k]);
  for (int k = 0; k < 6; k++) shared.s[k] = NAME(shared)(link->s[k]);
  memset(&x->body, 0, sizeof x->body);
  NAME(distribution_add)(&x->body, &x->at, &shared);

  /* carried = v h' + [w]x S, momentum = m v + w x h */
  const REAL full[9] = { s[0], s[3], s[4], s[3], s[1], s[5], s[4], s[5], s[2] };
  for (int k = 0; k < 3; k++) {
    x->carried[k] = v[0] * h[k] + w[1] * full[6 + k] - w[2] * full[3 + k];
    x->carried[3 + k] = v[1] * h[k] + w[2] * full[k] - w[0] * full[6 + k];
    x->carried[6 + k] = v[2] * h[k] + w[0] * full[3 + k] - w[1] * full[k];
  }
  NAME(cross3)(x->momentum, w, h);
  for (int k = 0; k < 3; k++) x->momentum[k] += x->body.m * v[k];
}

/* out += factor ([moment; force] of 2 w' cross V), per 2 */
static void NAME(add_coriolis)(REAL out[6], const struct NAME(link_in_base) * x, const REAL turn[3], double factor)
{
  const REAL trace = x->carried[0] + x->carried[4] + x->carried[8];
  REAL moment[3], force[3];
  NAME(rotate3)(moment, x->carried, turn);
  NAME(cross3)(force, turn, x->momentum);
  for (int k = 0; k < 3; k++) {
    out[k] += factor * (trace * turn[k] - moment[k]);
    out[3 + k] += factor * force[k];
  }
}

static void NAME(sums)(const struct armdyn_robot *robot, struct NAME(link_in_base) * links)
{
  for (size_t i = robot->joint_count; i-- > 0;) {
    struct NAME(link_in_base) *x = &links[i];
    NAME(link_sums)(x, &robot->joints[i].link);
    NAME(body_times)(x->force, &x->body, x->acceleration);
    NAME(add_coriolis)(x->force, x, x->velocity, 1);
    if (i + 1 == robot->joint_count) continue;
    const struct NAME(link_in_base) *beyond = x + 1;
    x->body.m += beyond->body.m;
    for (int k = 0; k < 3; k++) x->body.h[k] += beyond->body.h[k];
    for (int k = 0; k < 6; k++) x->body.s[k] += beyond->body.s[k];
    for (int k = 0; k < 9; k++) x->carried[k] += beyond->carried[k];
    for (int k = 0; k < 3; k++) x->momentum[k] += beyond->momentum[k];
    for (int k = 0; k < 6; k++) x->force[k] += beyond->force[k];
  }
}

/* Take the wrench on the tool off the force on every link. One in base axes is not carried along as the sums have it: its
 * direction stays, its point moves with the tool; that adds s_i . stays_j to d tau_i / d q_j. */
static void NAME(wrench_acts)(const struct armdyn_robot *robot, struct NAME(link_in_base) * links, bool base,
                              const REAL on_tool[6], REAL stays[][6])
{
  const size_t n = robot->joint_count;
  struct NAME(pose) tool;
  REAL wrench[6], arm[3];
  NAME(pose_multiply_shared)(&tool, &links[n - 1].at, &robot->tool);
  memcpy(wrench, on_tool, sizeof wrench);
  if (!base) {
    NAME(rotate3)(wrench, tool.r, on_tool);
    NAME(rotate3)(wrench + 3, tool.r, on_tool + 3);
  }
  NAME(cross3)(arm, tool.p, wrench + 3);
  for (int k = 0; k < 3; k++) wrench[k] += arm[k];
  for (size_t j = 0; j < n; j++) {
    const REAL *s = links[j].axis;
    REAL point[3], moved[3];
    for (int k = 0; k < 6; k++) links[j].force[k] -= wrench[k];
    NAME(cross_force)(stays[j], s, wrench);
    NAME(cross3)(point, s, tool.p);
    for (int k = 0; k < 3; k++) point[k] += s[3 + k];
    NAME(cross3)(moved, point, wrench + 3);
    for (int k = 0; k < 3; k++) stays[j][k] -= moved[k];
  }
}

/* What the sums of link i and beyond make of changes of the joints before it: s . B x'' = inertial . x'' and
 * s . A w' = turn . w'. */
static inline void NAME(row_terms)(const struct NAME(link_in_base) * x, REAL inertial[6], REAL turn[3])
{
  const REAL trace = x->carried[0] + x->carried[4] + x->carried[8];
  REAL shift[3];
  NAME(body_times)(inertial, &x->body, x->axis);
  NAME(unrotate3)(turn, x->carried, x->axis);
  NAME(cross3)(shift, x->momentum, x->axis + 3);
  for (int k = 0; k < 3; k++) turn[k] = 2 * (trace * x->axis[k] - turn[k] + shift[k]);
}

/* What the same sums make of changes of joint j, as forces that the joints before feel. */
static inline void NAME(column_terms)(const struct NAME(link_in_base) * x, const REAL *stays, REAL by_q[6],
                                      REAL by_qd[6])
{
  REAL carried[6];
  NAME(body_times)(by_q, &x->body, x->turned_twice);
  NAME(body_times)(by_qd, &x->body, x->turned);
  NAME(cross_force)(carried, x->axis, x->force);
  for (int k = 0; k < 6; k++) {
    by_q[k] += stays ? carried[k] + stays[k] : carried[k];
    by_qd[k] *= 2;
  }
  NAME(add_coriolis)(by_q, x, x->turned, 2);
  NAME(add_coriolis)(by_qd, x, x->axis, 2);
}

/* Row i up to the diagonal. */
static void NAME(row_of)(const struct NAME(link_in_base) * links, size_t n, size_t i, const REAL stays[][6],
                         const struct lanes_slopes *out)
{
  const struct NAME(link_in_base) *x = &links[i];
  REAL inertial[6], turn[3];
  NAME(row_terms)(x, inertial, turn);
  for (size_t j = 0; j <= i; j++) {
    const struct NAME(link_in_base) *y = &links[j];
    const REAL M = NAME(dot6)(inertial, y->axis);
    REAL by_q = NAME(dot6)(inertial, y->turned_twice) + NAME(dot3)(turn, y->turned);
    if (stays) by_q += NAME(dot6)(x->axis, stays[j]);
    NAME(store)(&out->by_q, i * n + j, by_q);
    NAME(store)(&out->by_qd, i * n + j, 2 * NAME(dot6)(inertial, y->turned) + NAME(dot3)(turn, y->axis));
    NAME(store)(&out->mass_matrix, i * n + j, M);
    NAME(store)(&out->mass_matrix, j * n + i, M);
  }
}

/* Column j above the diagonal. */
static void NAME(column_of)(const struct NAME(link_in_base) * links, size_t n, size_t j, const REAL stays[][6],
                            const struct lanes_slopes *out)
{
  REAL by_q[6], by_qd[6];
  NAME(column_terms)(&links[j], stays ? stays[j] : NULL, by_q, by_qd);
  for (size_t i = 0; i < j; i++) {
    NAME(store)(&out->by_q, i * n + j, NAME(dot6)(links[i].axis, by_q));
    NAME(store)(&out->by_qd, i * n + j, NAME(dot6)(links[i].axis, by_qd));
  }
}

/* Links, their sums and what a wrench on the tool does; false where nothing of it stays. */
static bool NAME(slopes_open)(const struct armdyn_robot *robot, const struct NAME(state) * states, const REAL *on_tool,
                              bool base, struct NAME(link_in_base) * links, REAL stays[][6])
{
  NAME(links_move)(robot, states, links);
  NAME(sums)(robot, links);
  if (on_tool) NAME(wrench_acts)(robot, links, base, on_tool, stays);
  return on_tool && base;
}

/* Of the torque without friction and rotors; on_tool: the wrench, NULL = none. */
static void NAME(torque_slopes)(const struct armdyn_robot *robot, const struct NAME(state) * states,
                                const REAL *on_tool, bool base, struct NAME(link_in_base) * links,
                                const struct lanes_slopes *out)
{
  const size_t n = robot->joint_count;
  REAL stays[ARMDYN_JOINTS_MAX][6];
  const bool stay = NAME(slopes_open)(robot, states, on_tool, base, links, stays);
  const REAL(*moved)[6] = stay ? (const REAL(*)[6])stays : NULL;
  for (size_t i = 0; i < n; i++) {
    NAME(row_of)(links, n, i, moved, out);
    NAME(column_of)(links, n, i, moved, out);
  }
}

/* Of sum_i weight_i tau_i, a number for each joint: rows are added up before they meet a joint, and columns meet the sum of
 * the axes before it. */
static void NAME(torque_adjoint)(const struct armdyn_robot *robot, const struct NAME(state) * states,
                                 const REAL *on_tool, bool base, const REAL *weight, struct NAME(link_in_base) * links,
                                 const struct lanes_slopes *out)
{
  const size_t n = robot->joint_count;
  REAL stays[ARMDYN_JOINTS_MAX][6], slope[ARMDYN_JOINTS_MAX][3], inertial[ARMDYN_JOINTS_MAX][6];
  REAL rows[6] = { 0 }, turns[3] = { 0 }, axes[6] = { 0 }, before[6] = { 0 };
  const bool stay = NAME(slopes_open)(robot, states, on_tool, base, links, stays);
  for (size_t j = n; j-- > 0;) {
    const struct NAME(link_in_base) *x = &links[j];
    REAL turn[3];
    NAME(row_terms)(x, inertial[j], turn);
    for (int k = 0; k < 6; k++) rows[k] += weight[j] * inertial[j][k], axes[k] += weight[j] * x->axis[k];
    for (int k = 0; k < 3; k++) turns[k] += weight[j] * turn[k];
    slope[j][0] = NAME(dot6)(rows, x->turned_twice) + NAME(dot3)(turns, x->turned);
    slope[j][1] = 2 * NAME(dot6)(rows, x->turned) + NAME(dot3)(turns, x->axis);
    slope[j][2] = NAME(dot6)(rows, x->axis);
    if (stay) slope[j][0] += NAME(dot6)(axes, stays[j]);
  }
  for (size_t j = 0; j < n; j++) {
    const struct NAME(link_in_base) *x = &links[j];
    REAL by_q[6], by_qd[6];
    NAME(column_terms)(x, stay ? stays[j] : NULL, by_q, by_qd);
    NAME(store)(&out->by_q, j, slope[j][0] + NAME(dot6)(before, by_q));
    NAME(store)(&out->by_qd, j, slope[j][1] + NAME(dot6)(before, by_qd));
    NAME(store)(&out->mass_matrix, j, slope[j][2] + NAME(dot6)(before, inertial[j]));
    for (int k = 0; k < 6; k++) before[k] += weight[j] * x->axis[k];
  }
}
