/* Processor time of single calls of the kernels, lines "name value unit better": the median of several runs over
 * many postures. */
#include <time.h>

#include "lib/dynamics/lanes.h"
#include "tests/support/robots.h"

enum { POSTURES = 512, REPEATS = 40, RUNS = 9, N = ARMDYN_JOINTS_MAX };

struct subject {
  struct armdyn_robot *robot;
  struct armdyn_workspace *workspace;
  size_t n;
  double q[POSTURES * N], qd[POSTURES * N], qdd[POSTURES * N], tau[POSTURES * N];
};

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); /* what others do on the machine does not count */
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void inverse_call(struct subject *s)
{
  for (size_t k = 0; k < POSTURES; k++) {
    armdyn_inverse_dynamics(s->robot, s->q + k * s->n, s->qd + k * s->n, s->qdd + k * s->n, NULL, s->workspace,
                            s->tau + k * s->n);
  }
}

static void inverse_batch(struct subject *s)
{
  const struct armdyn_samples samples = {
    .count = POSTURES, .q = { s->q, s->n }, .qd = { s->qd, s->n }, .qdd = { s->qdd, s->n }
  };
  armdyn_inverse_dynamics_batch(s->robot, &samples, s->workspace, s->tau);
}

/* The kernels of one vector unit, for inverse_width. */
static const struct lanes_kernels *width;

static void inverse_width(struct subject *s)
{
  const struct armdyn_samples samples = {
    .count = POSTURES, .q = { s->q, s->n }, .qd = { s->qd, s->n }, .qdd = { s->qdd, s->n }
  };
  width->inverse_batch(s->robot, &samples, s->tau);
}

static void forward_batch(struct subject *s)
{
  static double qdd[POSTURES * N];
  const struct armdyn_samples samples = {
    .count = POSTURES, .q = { s->q, s->n }, .qd = { s->qd, s->n }, .tau = { s->tau, s->n }
  };
  armdyn_forward_dynamics_batch(s->robot, &samples, s->workspace, qdd);
}

static void mass_matrix_batch(struct subject *s)
{
  static double M[POSTURES * N * N];
  const struct armdyn_samples samples = { .count = POSTURES, .q = { s->q, s->n } };
  armdyn_mass_matrix_batch(s->robot, &samples, s->workspace, M);
}

static void mass_matrix(struct subject *s)
{
  double M[N * N];
  for (size_t k = 0; k < POSTURES; k++) armdyn_mass_matrix(s->robot, s->q + k * s->n, s->workspace, M);
}

static void coriolis_matrix(struct subject *s)
{
  double C[N * N];
  for (size_t k = 0; k < POSTURES; k++) {
    armdyn_coriolis_matrix(s->robot, s->q + k * s->n, s->qd + k * s->n, s->workspace, C);
  }
}

static void jacobian(struct subject *s)
{
  double J[6 * N];
  for (size_t k = 0; k < POSTURES; k++) {
    armdyn_jacobian(s->robot, s->q + k * s->n, ARMDYN_JACOBIAN_BASE, s->workspace, J);
  }
}

static void forward_kinematics(struct subject *s)
{
  double tool[16];
  for (size_t k = 0; k < POSTURES; k++) {
    armdyn_forward_kinematics(s->robot, s->q + k * s->n, s->workspace, tool, NULL);
  }
}

static void forward_dynamics(struct subject *s)
{
  double qdd[N];
  for (size_t k = 0; k < POSTURES; k++) {
    armdyn_forward_dynamics(s->robot, s->q + k * s->n, s->qd + k * s->n, s->tau + k * s->n, NULL, s->workspace, qdd);
  }
}

static void derivatives(struct subject *s)
{
  double by_q[N * N], by_qd[N * N], M[N * N];
  for (size_t k = 0; k < POSTURES; k++) {
    armdyn_inverse_dynamics_derivatives(s->robot, s->q + k * s->n, s->qd + k * s->n, s->qdd + k * s->n, NULL,
                                        s->workspace, by_q, by_qd, M);
  }
}

static void regressor(struct subject *s)
{
  static const struct armdyn_parameter_choice links = { ARMDYN_ROTORS_NONE, true };
  double Y[10 * N * N];
  for (size_t k = 0; k < POSTURES; k++) {
    armdyn_regressor(s->robot, &links, s->q + k * s->n, s->qd + k * s->n, s->qdd + k * s->n, s->workspace, Y);
  }
}

static const struct {
  const char *name;
  void (*run)(struct subject *s);
} kernels[] = {
  { "inverse_%s_call", inverse_call },
  { "inverse_%s_sample", inverse_batch },
  { "mass_matrix_%s_call", mass_matrix },
  { "forward_dynamics_%s_call", forward_dynamics },
  { "mass_matrix_%s_sample", mass_matrix_batch },
  { "forward_dynamics_%s_sample", forward_batch },
  { "coriolis_matrix_%s_call", coriolis_matrix },
  { "jacobian_%s_call", jacobian },
  { "kinematics_%s_call", forward_kinematics },
  { "derivatives_%s_call", derivatives },
  { "regressor_%s_call", regressor },
};

static int by_size(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void measure(const char *format, const char *robot, void (*run)(struct subject *s), struct subject *s)
{
  double ns[RUNS];
  char name[64];
  run(s); /* caches and branch predictors warm */
  for (int r = 0; r < RUNS; r++) {
    const double start = now();
    for (int k = 0; k < REPEATS; k++) run(s);
    ns[r] = (now() - start) / (REPEATS * POSTURES);
  }
  qsort(ns, RUNS, sizeof *ns, by_size);
  const char *slot = strstr(format, "%s");
  snprintf(name, sizeof name, "%.*s%s%s", (int)(slot - format), format, robot, slot + 2);
  printf("%s %.1f ns lower\n", name, ns[RUNS / 2]);
}

/* The batch on every vector unit that this processor has, as inverse_<robot>_sample_<unit>. */
static void measure_widths(const char *robot, struct subject *s)
{
  const struct lanes_kernels *kinds[LANES_KINDS];
  const size_t count = lanes_supported(kinds);
  for (size_t k = 0; k < count; k++) {
    char format[64];
    width = kinds[k];
    snprintf(format, sizeof format, "inverse_%%s_sample_%s", width->name);
    measure(format, robot, inverse_width, s);
  }
}

static void subject_open(struct subject *s, const struct armdyn_robot_description *description)
{
  struct dice dice = { 11 };
  struct armdyn_error error;
  if (armdyn_robot_new(description, &s->robot, &error)) {
    fprintf(stderr, "%s: %s\n", error.pointer, error.message);
    exit(1);
  }
  s->n = description->joint_count;
  s->workspace = armdyn_workspace_new(s->n);
  dice_fill(&dice, s->q, POSTURES * s->n, -3, 3);
  dice_fill(&dice, s->qd, POSTURES * s->n, -2, 2);
  dice_fill(&dice, s->qdd, POSTURES * s->n, -5, 5);
}

/* "scara", "puma560": links only, as in tests/data/vectors; "puma560_full": with drives and friction; "7_axis": random. */
static void describe(const char *name, struct armdyn_robot_description *description)
{
  if (!strcmp(name, "7_axis")) {
    struct dice dice = { 3 };
    random_description(&dice, description, 7, ARMDYN_DH);
    for (size_t i = 0; i < 7; i++) {
      description->joints[i].type = ARMDYN_REVOLUTE;
      description->joints[i].friction = description->joints[ARMDYN_JOINTS_MAX - 1].friction; /* none */
    }
    return;
  }
  const bool full = strstr(name, "_full");
  cJSON *json = json_load(full                     ? "tests/data/robots/puma560.json"
                          : !strcmp(name, "scara") ? "tests/data/vectors/scara.json"
                                                   : "tests/data/vectors/puma560.json");
  if (!json) {
    fprintf(stderr, "tests/data cannot be read: run this in the root of the tree\n");
    exit(1);
  }
  description_from_json(full ? json : cJSON_GetObjectItemCaseSensitive(json, "robot"), description);
  cJSON_Delete(json);
}

int main(void)
{
  static const char *const robots[] = { "scara", "puma560", "puma560_full", "7_axis" };
  static struct armdyn_robot_description description;
  static struct subject subject;
  for (size_t r = 0; r < sizeof robots / sizeof *robots; r++) {
    describe(robots[r], &description);
    subject_open(&subject, &description);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
      measure(kernels[k].name, robots[r], kernels[k].run, &subject);
    }
    measure_widths(robots[r], &subject);
    armdyn_workspace_free(subject.workspace);
    armdyn_robot_free(subject.robot);
  }
  return 0;
}
