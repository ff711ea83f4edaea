/* Derivatives and regressors of one sample, and of LANES samples at a time; a template that continues lanes_kernel.h. */
_Static_assert(sizeof(struct lanes_link_in_base) <= LANES_LINK_SIZE, "scratch for LANES samples");

/* The motion of a sample, with the sines of q alone; of 0 where it slides. */
static void single_motions(const struct armdyn_robot *robot, const double *q, const double *qd, const double *qdd,
                           struct single_state *x)
{
  double angle[ARMDYN_JOINTS_MAX] = { 0 }, sine[ARMDYN_JOINTS_MAX], cosine[ARMDYN_JOINTS_MAX];
  single_states(robot, q, qd, qdd, x);
  for (size_t i = 0; i < robot->joint_count; i++) angle[i] = robot->joints[i].prismatic ? 0 : q[i];
  sines(robot->joint_count, angle, sine, cosine);
  for (size_t i = 0; i < robot->joint_count; i++) {
    x[i].sine = sine[i];
    x[i].cosine = cosine[i];
  }
}

static void derivatives(const struct armdyn_robot *robot, const double *q, const double *qd, const double *qdd,
                        const struct armdyn_load *load, void *links, const struct lanes_slopes *out)
{
  struct single_state x[ARMDYN_JOINTS_MAX];
  single_motions(robot, q, qd, qdd, x);
  single_torque_slopes(robot, x, load ? load->wrench : NULL, load && load->wrench_frame == ARMDYN_WRENCH_BASE, links,
                       out);
}

static void adjoint(const struct armdyn_robot *robot, const double *q, const double *qd, const double *qdd,
                    const struct armdyn_load *load, const double *weight, void *links, const struct lanes_slopes *out)
{
  struct single_state x[ARMDYN_JOINTS_MAX];
  single_motions(robot, q, qd, qdd, x);
  single_torque_adjoint(robot, x, load ? load->wrench : NULL, load && load->wrench_frame == ARMDYN_WRENCH_BASE, weight,
                        links, out);
}

static void regressor(const struct armdyn_robot *robot, const double *q, const double *qd, const double *qdd,
                      size_t width, void *links, double *regressor)
{
  struct single_state x[ARMDYN_JOINTS_MAX];
  const struct lanes_table out = { regressor, 0 };
  single_motions(robot, q, qd, qdd, x);
  memset(regressor, 0, robot->joint_count * width * sizeof *regressor);
  single_link_columns(robot, x, width, links, &out);
}

static void lanes_motions(const struct armdyn_robot *robot, const struct armdyn_samples *samples, size_t first,
                          struct lanes_state *x)
{
  lanes_states(robot, samples, first, x);
  lanes_sines(&robot->reduced, 0, robot->joint_count, x);
}

static struct lanes_table table_from(const struct lanes_table *table, size_t first)
{
  return (struct lanes_table){ table->data + first * table->stride, table->stride };
}

static struct lanes_slopes slopes_from(const struct lanes_slopes *out, size_t first)
{
  return (struct lanes_slopes){ table_from(&out->by_q, first), table_from(&out->by_qd, first),
                                table_from(&out->mass_matrix, first) };
}

/* NULL: there is none. */
static const lanes *wrench_column(const struct armdyn_samples *samples, size_t first, lanes wrench[6])
{
  for (size_t k = 0; samples->wrench.data && k < 6; k++) wrench[k] = column(&samples->wrench, first, k);
  return samples->wrench.data ? wrench : NULL;
}

static void derivatives_batch(const struct armdyn_robot *robot, const struct armdyn_samples *samples, void *links,
                              const struct lanes_slopes *out)
{
  for (size_t next = 0; next < samples->count; next += LANES) {
    const size_t last = samples->count - LANES, first = next < last ? next : last;
    const struct lanes_slopes here = slopes_from(out, first);
    struct lanes_state x[ARMDYN_JOINTS_MAX];
    lanes wrench[6];
    lanes_motions(robot, samples, first, x);
    lanes_torque_slopes(robot, x, wrench_column(samples, first, wrench), samples->wrench_frame == ARMDYN_WRENCH_BASE,
                        links, &here);
  }
}

static void adjoint_batch(const struct armdyn_robot *robot, const struct armdyn_samples *samples,
                          const struct armdyn_rows *weights, void *links, const struct lanes_slopes *out)
{
  for (size_t next = 0; next < samples->count; next += LANES) {
    const size_t last = samples->count - LANES, first = next < last ? next : last;
    const struct lanes_slopes here = slopes_from(out, first);
    struct lanes_state x[ARMDYN_JOINTS_MAX];
    lanes wrench[6], weight[ARMDYN_JOINTS_MAX];
    lanes_motions(robot, samples, first, x);
    for (size_t j = 0; j < robot->joint_count; j++) weight[j] = column(weights, first, j);
    lanes_torque_adjoint(robot, x, wrench_column(samples, first, wrench), samples->wrench_frame == ARMDYN_WRENCH_BASE,
                         weight, links, &here);
  }
}

static void regressor_batch(const struct armdyn_robot *robot, const struct armdyn_samples *samples, size_t width,
                            void *links, double *regressor)
{
  const size_t size = robot->joint_count * width;
  for (size_t next = 0; next < samples->count; next += LANES) {
    const size_t last = samples->count - LANES, first = next < last ? next : last;
    const struct lanes_table out = { regressor + first * size, size };
    struct lanes_state x[ARMDYN_JOINTS_MAX];
    lanes_motions(robot, samples, first, x);
    memset(out.data, 0, LANES * size * sizeof *out.data);
    lanes_link_columns(robot, x, width, links, &out);
  }
}
