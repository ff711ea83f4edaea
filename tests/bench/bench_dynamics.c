/* Processor time of the kernels, lines "name value unit better": the median of several runs over many postures. Where
 * Orocos KDL knows the arm it computes the same, in the same run: kdl_*, and *_to_kdl how many times faster we are. */
#include <math.h>
#include <time.h>

#include "lib/dynamics/lanes.h"
#include "tests/bench/kdl.h"
#include "tests/support/robots.h"

enum { POSTURES = 512, REPEATS = 40, RUNS = 9, N = ARMDYN_JOINTS_MAX };

struct subject {
  struct armdyn_robot *robot;
  struct armdyn_workspace *workspace;
  struct kdl *kdl; /* NULL: not an arm for it */
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

/* Gauss's principle beside articulated bodies. */
static void gauss_call(struct subject *s)
{
  double qdd[N];
  for (size_t k = 0; k < POSTURES; k++) {
    armdyn_forward_dynamics_by(s->robot, ARMDYN_FORWARD_GAUSS, s->q + k * s->n, s->qd + k * s->n, s->tau + k * s->n,
                               NULL, s->workspace, qdd);
  }
}

static void gauss_batch(struct subject *s)
{
  static double qdd[POSTURES * N];
  const struct armdyn_samples samples = {
    .count = POSTURES, .q = { s->q, s->n }, .qd = { s->qd, s->n }, .tau = { s->tau, s->n }
  };
  armdyn_forward_dynamics_batch_by(s->robot, ARMDYN_FORWARD_GAUSS, &samples, s->workspace, qdd);
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
  static const struct armdyn_parameter_choice links = { .rotors = ARMDYN_ROTORS_NONE, .frictionless = true };
  double Y[10 * N * N];
  for (size_t k = 0; k < POSTURES; k++) {
    armdyn_regressor(s->robot, &links, s->q + k * s->n, s->qd + k * s->n, s->qdd + k * s->n, s->workspace, Y);
  }
}

static void derivatives_batch(struct subject *s)
{
  static double by_q[POSTURES * N * N], by_qd[POSTURES * N * N], M[POSTURES * N * N];
  const struct armdyn_samples samples = {
    .count = POSTURES, .q = { s->q, s->n }, .qd = { s->qd, s->n }, .qdd = { s->qdd, s->n }
  };
  armdyn_inverse_dynamics_derivatives_batch(s->robot, &samples, s->workspace, by_q, by_qd, M);
}

static void regressor_batch(struct subject *s)
{
  static const struct armdyn_parameter_choice links = { .rotors = ARMDYN_ROTORS_NONE, .frictionless = true };
  static double Y[POSTURES * 10 * N * N];
  const struct armdyn_samples samples = {
    .count = POSTURES, .q = { s->q, s->n }, .qd = { s->qd, s->n }, .qdd = { s->qdd, s->n }
  };
  armdyn_regressor_batch(s->robot, &links, &samples, s->workspace, Y);
}

static void kdl_inverse(struct subject *s)
{
  for (size_t k = 0; k < POSTURES; k++) {
    kdl_inverse_dynamics(s->kdl, s->q + k * s->n, s->qd + k * s->n, s->qdd + k * s->n, s->tau + k * s->n);
  }
}

static void kdl_mass(struct subject *s)
{
  double M[N * N];
  for (size_t k = 0; k < POSTURES; k++) kdl_mass_matrix(s->kdl, s->q + k * s->n, M);
}

static void kdl_forward(struct subject *s)
{
  double qdd[N];
  for (size_t k = 0; k < POSTURES; k++) {
    kdl_forward_dynamics(s->kdl, s->q + k * s->n, s->qd + k * s->n, s->tau + k * s->n, qdd);
  }
}

/* What is measured; `peer`: what it is compared with, `serves`: what it is the yardstick of, and stands before. To add: a
 * function and a row. */
enum peer { NO_PEER, KDL_INVERSE, KDL_MASS, KDL_FORWARD, ABA_BATCH, PEERS };
static const char *const peer_names[PEERS] = { "", "kdl", "kdl", "kdl", "aba" };
/* clang-format off */
static const struct {
  const char *name;
  void (*run)(struct subject *s);
  enum peer peer, serves;
} kernels[] = {
  { "kdl_inverse_%s_call",        kdl_inverse,        NO_PEER,     KDL_INVERSE },
  { "kdl_mass_matrix_%s_call",    kdl_mass,           NO_PEER,     KDL_MASS },
  { "kdl_forward_%s_call",        kdl_forward,        NO_PEER,     KDL_FORWARD },
  { "inverse_%s_call",            inverse_call,       KDL_INVERSE, NO_PEER },
  { "inverse_%s_sample",          inverse_batch,      KDL_INVERSE, NO_PEER },
  { "mass_matrix_%s_call",        mass_matrix,        KDL_MASS,    NO_PEER },
  { "mass_matrix_%s_sample",      mass_matrix_batch,  KDL_MASS,    NO_PEER },
  { "forward_dynamics_%s_call",   forward_dynamics,   KDL_FORWARD, NO_PEER },
  { "forward_dynamics_%s_sample", forward_batch,      KDL_FORWARD, ABA_BATCH },
  { "gauss_%s_call",              gauss_call,         NO_PEER,     NO_PEER },
  { "gauss_%s_sample",            gauss_batch,        ABA_BATCH,   NO_PEER },
  { "coriolis_matrix_%s_call",    coriolis_matrix,    NO_PEER,     NO_PEER },
  { "jacobian_%s_call",           jacobian,           NO_PEER,     NO_PEER },
  { "kinematics_%s_call",         forward_kinematics, NO_PEER,     NO_PEER },
  { "derivatives_%s_call",        derivatives,        NO_PEER,     NO_PEER },
  { "derivatives_%s_sample",      derivatives_batch,  NO_PEER,     NO_PEER },
  { "regressor_%s_call",          regressor,          NO_PEER,     NO_PEER },
  { "regressor_%s_sample",        regressor_batch,    NO_PEER,     NO_PEER },
};
/* clang-format on */

static int by_size(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double measure(const char *format, const char *robot, void (*run)(struct subject *s), struct subject *s)
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
  return ns[RUNS / 2];
}

static bool of_kdl(enum peer peer)
{
  return peer == KDL_INVERSE || peer == KDL_MASS || peer == KDL_FORWARD;
}

static void measure_all(const char *robot, struct subject *s)
{
  double served[PEERS] = { 0 };
  for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
    if (of_kdl(kernels[k].serves) && !s->kdl) continue;
    const double ns = measure(kernels[k].name, robot, kernels[k].run, s), peer = served[kernels[k].peer];
    if (kernels[k].serves) served[kernels[k].serves] = ns;
    if (!(peer > 0)) continue;
    const char *slot = strstr(kernels[k].name, "%s");
    printf("%.*s%s%s_to_%s %.2f x higher\n", (int)(slot - kernels[k].name), kernels[k].name, robot, slot + 2,
           peer_names[kernels[k].peer], peer / ns);
  }
}

/* A peer that computes something else would be no yardstick. */
static void check_peer(struct subject *s)
{
  double ours[N], theirs[N], most = 0, off = 0;
  armdyn_inverse_dynamics(s->robot, s->q, s->qd, s->qdd, NULL, s->workspace, ours);
  kdl_inverse_dynamics(s->kdl, s->q, s->qd, s->qdd, theirs);
  for (size_t j = 0; j < s->n; j++) {
    most = fmax(most, fabs(theirs[j]));
    off = fmax(off, fabs(theirs[j] - ours[j]));
  }
  if (off <= 1e-9 * most) return;
  fprintf(stderr, "KDL's torque differs by %g of %g\n", off, most);
  exit(1);
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
  s->kdl = kdl_new(description);
  dice_fill(&dice, s->q, POSTURES * s->n, -3, 3);
  dice_fill(&dice, s->qd, POSTURES * s->n, -2, 2);
  dice_fill(&dice, s->qdd, POSTURES * s->n, -5, 5);
  if (s->kdl) check_peer(s);
}

/* "scara", "puma560": links only, as in tests/data/vectors; "puma560_full": with drives and friction; "7_axis": random
 * links. */
static void describe(const char *name, struct armdyn_robot_description *description)
{
  if (!strcmp(name, "7_axis")) {
    struct dice dice = { 3 };
    struct armdyn_joint plain;
    armdyn_joint_init(&plain);
    random_description(&dice, description, 7, ARMDYN_DH);
    for (size_t i = 0; i < 7; i++) {
      description->joints[i].type = ARMDYN_REVOLUTE;
      description->joints[i].friction = plain.friction;
      description->joints[i].drive = plain.drive;
    }
    description->payload = (struct armdyn_body){ 0 };
    description->has_transmission = false;
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
    measure_all(robots[r], &subject);
    measure_widths(robots[r], &subject);
    kdl_free(subject.kdl);
    armdyn_workspace_free(subject.workspace);
    armdyn_robot_free(subject.robot);
  }
  return 0;
}
