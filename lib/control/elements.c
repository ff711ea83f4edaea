/* The elements of a plant. Beside [q; qd] of the links the state has, one after the other, motor positions and speeds of the
 * elastic joints, torques of the drives with a current loop, and of every element that is present three integrals of power:
 * taken, dissipated, supplied.
 *
 * With v the motor's speed (the link's where the gear is rigid), u the torque that is asked for:
 *   dtau/dt = w (u - tau)                                      current loop
 *   B motor'' = tau + ripple(motor) - F(motor, v) - T          elastic joints; T acts on the link
 *   T = stiffness dz(twist) + damping twist'                   not pulling within the play
 *   M qdd + C qd + g = T, or tau + ripple - F, + J' w          w: what the tool meets
 *
 * Source: Spong, Modeling and control of elastic joint robots, 1987. */
#include "lib/control/elements.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "armdyn/terms.h"

enum { N = ARMDYN_JOINTS_MAX, FIGURES = 3 };

static const double FULL_TWIST = 1e-8; /* rad, m */

/* Where everything is in the state. */
struct layout {
  size_t elastic[N], elastic_count; /* joints */
  size_t lagging[N], lagging_count;
  size_t ledger[ARMDYN_ELEMENTS]; /* where the three integrals of a present element begin */
};

struct elements {
  const struct armdyn_elements *asked;
  const struct armdyn_robot *arm;
  const struct armdyn_load *load;
  struct armdyn_robot *links;
  struct armdyn_workspace *workspace;
  size_t n;
  double rotor[N], gear_ratio[N]; /* reflected, kg m^2 */
  bool present[ARMDYN_ELEMENTS];
  struct layout at;
  struct armdyn_attached attached;
  double state[ARMDYN_ATTACHED_MAX];
  double stored_at_start[ARMDYN_ELEMENTS];
};

/* One evaluation. */
struct moment {
  const struct elements *e;
  const double *q, *qd, *asked; /* of the links; torque that is asked for */
  double motor[N], speed[N];
  double torque[N];       /* of the drives */
  double ripple[N], T[N]; /* on the motor; on the link */
  double friction[N];
  struct armdyn_element_energy now[ARMDYN_ELEMENTS]; /* stored: J; the rest W */
};

/* -- each element: its torque into the moment, and its powers -- */

static void take_drive(struct moment *m, const double *state)
{
  const struct layout *at = &m->e->at;
  memcpy(m->motor, m->q, m->e->n * sizeof *m->motor);
  memcpy(m->speed, m->qd, m->e->n * sizeof *m->speed);
  memcpy(m->torque, m->asked, m->e->n * sizeof *m->torque);
  for (size_t k = 0; k < at->elastic_count; k++) {
    m->motor[at->elastic[k]] = state[k];
    m->speed[at->elastic[k]] = state[at->elastic_count + k];
  }
  for (size_t k = 0; k < at->lagging_count; k++) m->torque[at->lagging[k]] = state[2 * at->elastic_count + k];
}

/* Its supply gives what the torque does beyond what is asked for. */
static void current_loop(struct moment *m)
{
  struct armdyn_element_energy *now = &m->now[ARMDYN_ELEMENT_CURRENT_LOOP];
  for (size_t j = 0; j < m->e->n; j++) now->supplied += (m->torque[j] - m->asked[j]) * m->speed[j];
  now->taken = -now->supplied;
}

/* amplitude sin(a p + phase) is the slope of a potential over p = gear_ratio motor. */
static void ripple(struct moment *m)
{
  struct armdyn_element_energy *now = &m->now[ARMDYN_ELEMENT_RIPPLE];
  for (size_t k = 0; k < m->e->asked->ripple_count; k++) {
    const struct armdyn_torque_ripple *r = &m->e->asked->ripples[k];
    const double slope = r->order * m->e->gear_ratio[r->joint], angle = slope * m->motor[r->joint] + r->phase;
    const double cogging = r->amplitude * sin(angle), fed = r->relative * m->torque[r->joint] * sin(angle);
    m->ripple[r->joint] += cogging + fed;
    now->stored += r->amplitude * cos(angle) / slope;
    now->taken -= (cogging + fed) * m->speed[r->joint];
    now->supplied += fed * m->speed[r->joint];
  }
}

static void elasticity(struct moment *m)
{
  struct armdyn_element_energy *now = &m->now[ARMDYN_ELEMENT_ELASTICITY];
  for (size_t k = 0; k < m->e->at.elastic_count; k++) {
    const size_t j = m->e->at.elastic[k];
    const double stiffness = m->e->asked->stiffness[j], play = m->e->asked->backlash[j] / 2;
    const double twist = m->motor[j] - m->q[j], rate = m->speed[j] - m->qd[j];
    const double pressed = fabs(twist) > play ? twist - copysign(play, twist) : 0, spring = stiffness * pressed;
    /* within the play nothing damps; where a flank is met it grows, so that torque is continuous */
    const double damping = m->e->asked->damping[j] * (play > 0 ? fmin(1, fabs(pressed) / FULL_TWIST) : 1);
    double whole = spring + damping * rate;
    if (play > 0 && whole * pressed < 0) whole = 0; /* flanks do not pull */
    m->T[j] = whole;
    now->stored += spring * pressed / 2;
    now->taken += whole * rate;
    now->dissipated += (whole - spring) * rate;
  }
}

/* It acts on the motor, with the load that the drive transmits; links have none of their own. */
static void friction(struct moment *m)
{
  struct armdyn_element_energy *now = &m->now[ARMDYN_ELEMENT_FRICTION];
  double drives[N] = { 0 }, transmitted[N];
  if (m->e->load && m->e->load->frictionless) return;
  for (size_t j = 0; j < m->e->n; j++) drives[j] = m->torque[j] + m->ripple[j];
  armdyn_transmitted_torques(m->e->arm, m->motor, m->speed, drives, transmitted);
  for (size_t j = 0; j < m->e->n; j++) {
    m->friction[j] = drives[j] - transmitted[j];
    now->taken += m->friction[j] * m->speed[j];
  }
  now->dissipated = now->taken;
}

/* -- the tool -- */

struct tool_state {
  double pose[16], J[6 * N], twist[6], wrench[6];
};

static void take_tool(struct elements *e, const double *q, const double *qd, struct tool_state *tool)
{
  armdyn_forward_kinematics(e->links, q, e->workspace, tool->pose, NULL);
  armdyn_jacobian(e->links, q, ARMDYN_JACOBIAN_BASE, e->workspace, tool->J);
  memset(tool->twist, 0, sizeof tool->twist);
  for (size_t i = 0; i < 6; i++)
    for (size_t j = 0; j < e->n; j++) tool->twist[i] += tool->J[i * e->n + j] * qd[j];
}

bool load_wrench_in_base(const struct armdyn_load *load, const double *pose, double wrench[6])
{
  if (!load || !load->wrench) return false;
  for (int i = 0; i < 6; i++) {
    wrench[i] = load->wrench[i];
    if (load->wrench_frame == ARMDYN_WRENCH_BASE) continue;
    wrench[i] = 0;
    for (int k = 0; k < 3; k++) wrench[i] += pose[4 * (i % 3) + k] * load->wrench[i / 3 * 3 + k];
  }
  return true;
}

/* What the tool meets, into the joints; the load's is theirs already. */
static void tool_elements(struct elements *e, struct moment *m, double *push)
{
  struct tool_state tool;
  double wrench[6];
  if (!e->present[ARMDYN_ELEMENT_WALLS] && !e->present[ARMDYN_ELEMENT_HOLE] && !e->present[ARMDYN_ELEMENT_WRENCH])
    return;
  take_tool(e, m->q, m->qd, &tool);
  armdyn_contact(e->asked, tool.pose, tool.twist, tool.wrench, m->now);
  for (size_t j = 0; j < e->n && push; j++)
    for (size_t i = 0; i < 6; i++) push[j] += tool.J[i * e->n + j] * tool.wrench[i];
  if (!load_wrench_in_base(e->load, tool.pose, wrench)) return;
  struct armdyn_element_energy *now = &m->now[ARMDYN_ELEMENT_WRENCH];
  for (int i = 0; i < 6; i++) now->supplied += wrench[i] * tool.twist[i];
  now->taken = -now->supplied;
}

/* -- the slope of the state -- */

static struct moment moment_of(struct elements *e, const double *q, const double *qd, const double *state,
                               const double *asked, double *push)
{
  struct moment m = { .e = e, .q = q, .qd = qd, .asked = asked };
  take_drive(&m, state);
  current_loop(&m);
  ripple(&m);
  elasticity(&m);
  friction(&m);
  tool_elements(e, &m, push);
  return m;
}

static void slope(void *context, double t, const double *q, const double *qd, const double *state, double *tau,
                  double *rate)
{
  struct elements *e = context;
  const struct layout *at = &e->at;
  double asked[N], push[N] = { 0 };
  (void)t;
  memcpy(asked, tau, e->n * sizeof *asked);
  const struct moment m = moment_of(e, q, qd, state, asked, push);
  for (size_t j = 0; j < e->n; j++)
    tau[j] = push[j] + (e->asked->stiffness[j] > 0 ? m.T[j] : m.torque[j] + m.ripple[j] - m.friction[j]);
  for (size_t k = 0; k < at->elastic_count; k++) {
    const size_t j = at->elastic[k];
    rate[k] = m.speed[j];
    rate[at->elastic_count + k] = (m.torque[j] + m.ripple[j] - m.friction[j] - m.T[j]) / e->rotor[j];
  }
  for (size_t k = 0; k < at->lagging_count; k++) {
    const size_t j = at->lagging[k];
    rate[2 * at->elastic_count + k] =
        2 * 3.14159265358979323846 * e->asked->current_bandwidth[j] * (asked[j] - m.torque[j]);
  }
  for (size_t k = 0; k < ARMDYN_ELEMENTS; k++) {
    if (!e->present[k]) continue;
    double *figures = rate + at->ledger[k];
    figures[0] = m.now[k].taken, figures[1] = m.now[k].dissipated, figures[2] = m.now[k].supplied;
  }
}

/* -- opening -- */

static enum armdyn_status check_joint(const struct armdyn_elements *asked, const struct armdyn_robot_description *arm,
                                      size_t j, struct armdyn_error *error)
{
  const struct armdyn_joint *joint = &arm->joints[j];
  char pointer[48];
  snprintf(pointer, sizeof pointer, "/elasticity/stiffness/%zu", j);
  if (!(asked->stiffness[j] > 0)) {
    if (asked->backlash[j] > 0 || asked->damping[j] > 0)
      return armdyn_refuse(error, ARMDYN_EINPUT, pointer, "joint %s has backlash or damping, which need a stiffness",
                           joint->name);
    return ARMDYN_OK;
  }
  if (arm->has_transmission)
    return armdyn_refuse(error, ARMDYN_EINPUT, pointer, "drives that are coupled have no spring of one joint");
  if (!(joint->drive.rotor_inertia > 0))
    return armdyn_refuse(error, ARMDYN_EINPUT, pointer,
                         "joint %s needs a rotor_inertia in its drive: a spring is between a rotor and a link",
                         joint->name);
  return ARMDYN_OK;
}

/* The arm behind its drives: friction is theirs, and rotors of elastic joints are before the springs. */
static enum armdyn_status open_links(struct elements *e, struct armdyn_error *error)
{
  struct armdyn_robot_description *links = malloc(sizeof *links);
  if (!links) return ARMDYN_EMEMORY;
  *links = *armdyn_robot_description(e->arm);
  for (size_t j = 0; j < e->n; j++) {
    struct armdyn_joint bare;
    armdyn_joint_init(&bare);
    links->joints[j].friction = bare.friction;
    if (e->asked->stiffness[j] > 0) links->joints[j].drive.rotor_inertia = 0;
  }
  const enum armdyn_status status = armdyn_robot_new(links, &e->links, error);
  free(links);
  return status;
}

static void lay_out(struct elements *e)
{
  const struct armdyn_elements *asked = e->asked;
  struct layout *at = &e->at;
  for (size_t j = 0; j < e->n; j++) {
    if (asked->stiffness[j] > 0) at->elastic[at->elastic_count++] = j;
    if (asked->current_bandwidth[j] > 0) at->lagging[at->lagging_count++] = j;
  }
  e->present[ARMDYN_ELEMENT_FRICTION] = !(e->load && e->load->frictionless);
  e->present[ARMDYN_ELEMENT_WRENCH] = e->load && e->load->wrench;
  e->present[ARMDYN_ELEMENT_CURRENT_LOOP] = at->lagging_count > 0;
  e->present[ARMDYN_ELEMENT_RIPPLE] = asked->ripple_count > 0;
  e->present[ARMDYN_ELEMENT_ELASTICITY] = at->elastic_count > 0;
  e->present[ARMDYN_ELEMENT_WALLS] = asked->wall_count > 0;
  e->present[ARMDYN_ELEMENT_HOLE] = asked->has_hole;
  e->attached = (struct armdyn_attached){
    .size = 2 * at->elastic_count + at->lagging_count, .state = e->state, .rate = slope, .context = e
  };
  for (size_t k = 0; k < ARMDYN_ELEMENTS; k++) {
    at->ledger[k] = e->attached.size;
    if (e->present[k]) e->attached.size += FIGURES;
  }
}
_Static_assert(3 * ARMDYN_JOINTS_MAX + FIGURES * ARMDYN_ELEMENTS <= ARMDYN_ATTACHED_MAX, "every element finds room");

enum armdyn_status elements_open(const struct armdyn_elements *asked, const struct armdyn_robot *arm,
                                 const struct armdyn_load *load, struct elements **elements, struct armdyn_error *error)
{
  const struct armdyn_robot_description *description = armdyn_robot_description(arm);
  enum armdyn_status status = ARMDYN_OK;
  for (size_t j = 0; j < description->joint_count && !status; j++) status = check_joint(asked, description, j, error);
  if (status) return status;
  struct elements *e = calloc(1, sizeof *e);
  if (!e) return ARMDYN_EMEMORY;
  e->asked = asked, e->arm = arm, e->load = load, e->n = description->joint_count;
  for (size_t j = 0; j < e->n; j++) {
    const struct armdyn_drive *drive = &description->joints[j].drive;
    e->gear_ratio[j] = drive->gear_ratio;
    e->rotor[j] = drive->gear_ratio * drive->gear_ratio * drive->rotor_inertia;
  }
  lay_out(e);
  if (!(e->workspace = armdyn_workspace_new(e->n))) status = ARMDYN_EMEMORY;
  if (!status) status = open_links(e, error);
  if (status)
    elements_close(e);
  else
    *elements = e;
  return status;
}

void elements_close(struct elements *elements)
{
  if (!elements) return;
  armdyn_robot_free(elements->links);
  armdyn_workspace_free(elements->workspace);
  free(elements);
}

const struct armdyn_robot *elements_links(const struct elements *elements)
{
  return elements->links;
}

/* -- start, and what is seen -- */

static void tell_stored(struct elements *e, const double *q, const double *qd, double stored[ARMDYN_ELEMENTS])
{
  const double asked[N] = { 0 };
  const struct moment m = moment_of(e, q, qd, e->state, asked, NULL);
  for (size_t k = 0; k < ARMDYN_ELEMENTS; k++) stored[k] = m.now[k].stored;
}

struct armdyn_attached *elements_start(struct elements *elements, const double *q, const double *qd)
{
  struct elements *e = elements;
  double gravity[N];
  memset(e->state, 0, sizeof e->state);
  armdyn_gravity_torque(e->links, q, e->workspace, gravity);
  for (size_t k = 0; k < e->at.elastic_count; k++) {
    const size_t j = e->at.elastic[k];
    const double held = gravity[j] / e->asked->stiffness[j], play = e->asked->backlash[j] / 2;
    e->state[k] = q[j] + held + (held != 0 ? copysign(play, held) : 0);
    e->state[e->at.elastic_count + k] = qd[j];
  }
  tell_stored(e, q, qd, e->stored_at_start);
  return &e->attached;
}

void elements_begin(struct elements *elements, const double *tau)
{
  const struct layout *at = &elements->at;
  for (size_t k = 0; k < at->lagging_count; k++) elements->state[2 * at->elastic_count + k] = tau[at->lagging[k]];
}

void elements_motors(const struct elements *elements, const double *q, double *motor)
{
  memcpy(motor, q, elements->n * sizeof *motor);
  for (size_t k = 0; k < elements->at.elastic_count; k++) motor[elements->at.elastic[k]] = elements->state[k];
}

void elements_measured(const struct elements *elements, const double *q, const double *qd, double *measured_q,
                       double *measured_qd)
{
  const struct layout *at = &elements->at;
  memcpy(measured_q, q, elements->n * sizeof *measured_q);
  memcpy(measured_qd, qd, elements->n * sizeof *measured_qd);
  for (size_t k = 0; k < at->elastic_count && !elements->asked->link_encoders; k++) {
    measured_q[at->elastic[k]] = elements->state[k];
    measured_qd[at->elastic[k]] = elements->state[at->elastic_count + k];
  }
}

void elements_drive_torque(const struct elements *elements, const double *tau, double *acting)
{
  const struct layout *at = &elements->at;
  memcpy(acting, tau, elements->n * sizeof *acting);
  for (size_t k = 0; k < at->lagging_count; k++) acting[at->lagging[k]] = elements->state[2 * at->elastic_count + k];
}

void elements_wrench(struct elements *elements, const double *q, const double *qd, double wrench[6])
{
  struct tool_state tool;
  double more[6];
  take_tool(elements, q, qd, &tool);
  armdyn_contact(elements->asked, tool.pose, tool.twist, wrench, NULL);
  if (!load_wrench_in_base(elements->load, tool.pose, more)) return;
  for (int i = 0; i < 6; i++) wrench[i] += more[i];
}

double elements_rotor_energy(const struct elements *elements)
{
  const struct layout *at = &elements->at;
  double sum = 0;
  for (size_t k = 0; k < at->elastic_count; k++) {
    const double speed = elements->state[at->elastic_count + k];
    sum += elements->rotor[at->elastic[k]] * speed * speed / 2;
  }
  return sum;
}

void elements_account(struct elements *elements, const double *q, const double *qd,
                      struct armdyn_energy_account *account)
{
  double stored[ARMDYN_ELEMENTS];
  tell_stored(elements, q, qd, stored);
  for (size_t k = 0; k < ARMDYN_ELEMENTS; k++) {
    const double *figures = elements->state + elements->at.ledger[k];
    account->present[k] = elements->present[k];
    account->stored_at_start[k] = elements->stored_at_start[k];
    account->elements[k] = (struct armdyn_element_energy){ 0 };
    if (elements->present[k])
      account->elements[k] = (struct armdyn_element_energy){
        .taken = figures[0], .stored = stored[k], .dissipated = figures[1], .supplied = figures[2]
      };
  }
}

const char *armdyn_element_name(enum armdyn_element element)
{
  static const char *const names[] = {
#define X(name, text) text,
    ARMDYN_ELEMENT_LIST(X)
#undef X
  };
  return names[element];
}
