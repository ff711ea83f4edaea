/* Control laws, and arms in a closed loop with them: a controller that runs at a fixed rate with the model that it has, and
 * an arm that may differ from that model. */
#ifndef ARMDYN_CONTROL_H
#define ARMDYN_CONTROL_H

#include "armdyn/parameter.h"
#include "armdyn/plant.h"
#include "armdyn/simulate.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where an arm should be. */
struct armdyn_wanted {
  const double *q, *qd, *qdd; /* n */
};

/* Computed torque: with the model that the arm has, what it is off dies out in every joint alone as
 * e'' + 2 w e' + w^2 e = 0, w = 2 pi bandwidth, critically damped.
 *   bandwidth  in   Hz
 *   q, qd      in   n, where the arm is
 *   load       in   as in armdyn_inverse_dynamics
 *   tau        out  n, N m (N)
 * O(n), no allocation, cannot fail. Source: Craig, ch. 10; Siciliano et al., 8.5.2. */
void armdyn_computed_torque(const struct armdyn_robot *robot, const struct armdyn_wanted *wanted, double bandwidth,
                            const double *q, const double *qd, const struct armdyn_load *load,
                            struct armdyn_workspace *workspace, double *tau);

/* ---- laws. To add one: a row here, a row of `laws` in lib/control/controller.c, its functions. e = q_wanted - q.
 *
 * pid             tau = kp e + ki int e dt + kd e'                              joint by joint, without a model
 * pid_gravity     the same + g(q)
 * pid_friction    pid_gravity + F(q, qd_wanted), the model's friction of the motion wanted: at a constant speed nothing is left
 *                 that the integral would have to find, and where rest is wanted it adds no dry friction, so that it
 *                 cannot make the arm hunt. Source: Armstrong-Helouvry, Dupont & Canudas de Wit 1994.
 * feedforward     pid + the torque of the model for the motion wanted
 * computed_torque tau = M(q) (qdd_wanted + kd e' + kp e) + C qd + g + F         kp in 1/s^2, kd in 1/s
 * adaptive        tau = Y(q, qd, qd_r, qdd_r) p + kd s, dp/dt = G Y' s, s = e' + lambda e, qd_r = qd + s,
 *                 qdd_r = qdd_wanted + lambda e'; p starts as the model's parameters. What is off dies out whatever
 *                 they are, as long as the arm's torque is linear in them. Source: Slotine & Li 1987.
 * layered         tau = Y(q_wanted, qd_wanted, qdd_wanted) p + kp e + kd s, s as above: a fast layer, every period, of the model
 *                 for the motion wanted with its feedback, and a slow one that learns p from the sum of Y' s over
 *                 `learn_periods`. Nothing measured is in Y, so noise is not learnt. Source: Sadegh & Horowitz 1990.
 * impedance       tau = g(q) + J' (stiffness x + damping x') + kd e', x from the tool to where it should be, in base axes:
 *                 at rest the tool gives way by wrench / stiffness. Source: Siciliano et al., 9.2; Hogan 1985.
 * joint_impedance tau = M qdd_wanted + C(q, qd) qd_wanted + g + F(q, qd_wanted) + kp e + kd e': M e'' + (C + kd) e' + kp e =
 *                 -tau_ext, passive from tau_ext to qd - qd_wanted; no force is measured. With `joint_inertia` above 0 in all
 *                 joints its inertia is that, joint_inertia e'' + kd e' + kp e = -J' h, h the wrench measured. Source:
 *                 Ott 2008, ch. 3; Hogan 1985.
 * cartesian_impedance   inertia x'' + damping x' + A(x) stiffness x = -h, x as of impedance, h the wrench that is measured on
 *                 the tool: M qdd + C qd + g + F(q, qd_wanted) - J' h with the qdd that comes nearest to it, weighted by the
 *                 inertia, where the arm cannot follow all six; kd (1/s) brakes what the tool does not see. A is the slope of
 *                 the turn, so that the spring has a potential. Source: Hogan 1985; Siciliano et al., 9.2.2.
 * force           tau = g + J' (force + force_kp e_f + force_ki int e_f dt) - kd qd, force what the tool shall push with, and
 *                 e_f = force + h. The integral is held within |force| on each axis. Source: Siciliano et al., 9.3.
 * hybrid          on the axes with a selection of 1 force as above, on those of 0 the spring and damper of impedance: tau =
 *                 g + J' (S (force + ...) + (1 - S) (A stiffness x + damping x')) + kd e', and damping of the selected axes
 *                 brakes them. Source: Raibert & Craig 1981; Siciliano et al., 9.4. May search (struct armdyn_search).
 *
 * What is claimed, and tested, in contact with passive surroundings: impedance (with one stiffness for all turns),
 * joint_impedance and, with the true model, cartesian_impedance are passive as long as they are continuous, so no such contact
 * makes them unstable. Of a controller that samples a wall of stiffness K is passive only with damping b > K T / 2 in the arm
 * (Colgate & Schenkel 1997). joint_inertia and inertia under a wrong model, and force_kp and force_ki, are stable within
 * bounds, not passive. */
#define ARMDYN_LAW_LIST(X)                                                                                             \
  X(PID, "pid")                                                                                                        \
  X(PID_GRAVITY, "pid_gravity")                                                                                        \
  X(FEEDFORWARD, "feedforward")                                                                                        \
  X(COMPUTED_TORQUE, "computed_torque")                                                                                \
  X(ADAPTIVE, "adaptive")                                                                                              \
  X(IMPEDANCE, "impedance")                                                                                            \
  X(PID_FRICTION, "pid_friction")                                                                                      \
  X(JOINT_IMPEDANCE, "joint_impedance")                                                                                \
  X(CARTESIAN_IMPEDANCE, "cartesian_impedance")                                                                        \
  X(FORCE, "force")                                                                                                    \
  X(HYBRID, "hybrid")                                                                                                  \
  X(LAYERED, "layered")
enum armdyn_law {
#define X(name, text) ARMDYN_LAW_##name,
  ARMDYN_LAW_LIST(X)
#undef X
      ARMDYN_LAWS
};

/* Each law takes those of its row: armdyn_law_gains. */
struct armdyn_gains {
  double kp[ARMDYN_JOINTS_MAX];     /* N m/rad (N/m) */
  double ki[ARMDYN_JOINTS_MAX];     /* N m/(rad s) (N/(m s)) */
  double kd[ARMDYN_JOINTS_MAX];     /* N m s/rad (N s/m) */
  double lambda[ARMDYN_JOINTS_MAX]; /* 1/s */
  /* 1/s^2: G is diagonal, so that in a brisk motion (3 rad/s, 10 rad/s^2) the error of each parameter and s swing with it
   * as squared frequency, in the mean over the joints */
  double adaptation;
  double stiffness[6];                     /* [N m/rad; N/m] about and along the base axes */
  double damping[6];                       /* [N m s/rad; N s/m] */
  double inertia[6];                       /* [kg m^2; kg], > 0 */
  double joint_inertia[ARMDYN_JOINTS_MAX]; /* kg m^2 (kg); 0 in all joints: the arm's own */
  double force[6];                         /* [N m; N], of any sign: what the tool shall push its surroundings with */
  double force_kp[6];                      /* 1 */
  double force_ki[6];                      /* 1/s */
  double selection[6];                     /* 1: force, 0: position */
};
enum armdyn_gain {
  ARMDYN_GAIN_KP = 1,
  ARMDYN_GAIN_KI = 2,
  ARMDYN_GAIN_KD = 4,
  ARMDYN_GAIN_LAMBDA = 8,
  ARMDYN_GAIN_ADAPTATION = 16,
  ARMDYN_GAIN_STIFFNESS = 32,
  ARMDYN_GAIN_DAMPING = 64,
  ARMDYN_GAIN_INERTIA = 128,
  ARMDYN_GAIN_JOINT_INERTIA = 256,
  ARMDYN_GAIN_FORCE = 512,
  ARMDYN_GAIN_FORCE_KP = 1024,
  ARMDYN_GAIN_FORCE_KI = 2048,
  ARMDYN_GAIN_SELECTION = 4096
};
/* Which of them the law has, or-ed. */
unsigned armdyn_law_gains(enum armdyn_law law);

/* Gains that make every joint answer with w = 2 pi bandwidth, m its diagonal element of M at q: kp, ki, kd = 3 w^2 m, w^3 m,
 * 3 w m, a triple pole at -w; of computed_torque w^2 and 2 w; of adaptive lambda = w, kd = w m, adaptation = w^2; of
 * layered those with kp = w^2 m; of joint_impedance w^2 m and 2 w m; of cartesian_impedance kd = 2 w; of force and hybrid
 * force_ki = w / 4, of force kd = w m. Stiffness and force are no matter of the model and become 0, as all that the law
 * does not take.
 *   bandwidth  in   Hz
 *   q          in   n
 *   gains      out */
void armdyn_gains_init(const struct armdyn_robot *robot, enum armdyn_law law, double bandwidth, const double *q,
                       struct armdyn_workspace *workspace, struct armdyn_gains *gains);
/* The damping that goes with a stiffness: 2 stiffness / w, critical for what the stiffness makes oscillate with w, which is
 * the inertia stiffness / w^2. Axes of a selection get that of the stiffest other axis of their kind. */
void armdyn_gains_damp(struct armdyn_gains *gains, double bandwidth);

/* ---- filters of the torque that a law asks for, the same in every joint, before its limit. Both are bilinear transforms that
 * are exact at their own frequency, of gain 1 at rest, and stable at any:
 *   lowpass  Hz, < 1/2 of the rate; 0: none. Butterworth's of second order: 1 / (s^2 + sqrt(2) s + 1)
 *   notch    Hz, likewise. (s^2 + 1) / (s^2 + width s + 1), s over the frequency: nothing passes there, and gains are below
 *            1/sqrt(2) over `width` of the frequency, less near half of the rate
 * They start as if the first torque had been asked for all the time. Source: Franklin, Powell & Workman, Digital Control of
 * Dynamic Systems. */
struct armdyn_torque_filter {
  double lowpass, notch, width; /* width > 0 with a notch */
};

/* ---- a search, of hybrid: once the tool meets something with half of the force wanted, where it should be goes round on a
 * spiral about where it was, across the force, outward and inward again; until the tool has fallen by `fall` along the force.
 * Then it should be where it is. Source: Chhatpar & Branicky 2001. */
struct armdyn_search {
  double radius, pitch; /* m: how far out; from one turn to the next. radius 0: no search */
  double speed;         /* m/s, along the spiral */
  double fall;          /* m */
};

enum { ARMDYN_ADAPTATION_FACTORS_MAX = 64 };

/* ---- gain scheduling, of the laws that are a PID and more: an entry of a table is in force by the speed |qd| of a joint, the
 * torque |tau| that was asked of it in the period before, or its position q; from `from` up to that of the next, the first from
 * -infinity. Back to an entry it goes `hysteresis` below where it was left, so that noise does not make it change for ever. The
 * integral goes on as it is. Each entry is as stable as its law and gains are; nothing is claimed of changes in a row that are
 * faster than the loop settles. Source: Rugh & Shamma 2000. */
enum armdyn_schedule_over { ARMDYN_SCHEDULE_SPEED, ARMDYN_SCHEDULE_LOAD, ARMDYN_SCHEDULE_POSITION, ARMDYN_SCHEDULES };
enum { ARMDYN_SCHEDULE_ENTRIES_MAX = 8 };
struct armdyn_zone;
struct armdyn_schedule {
  /* Instead of entries, the zone (armdyn/zones.h) that the arm is in, with its gains and the law of the controller; in another
   * one when it is `hysteresis` beyond it in some joint. They outlive the controller; NULL: none. */
  const struct armdyn_zone *zones;
  size_t zone_count;
  size_t count; /* of entries; 0: none */
  enum armdyn_schedule_over over;
  size_t joint;
  double hysteresis; /* of what it is over, >= 0 */
  struct armdyn_schedule_entry {
    double from; /* increasing; of the first not read */
    enum armdyn_law law;
    double kp[ARMDYN_JOINTS_MAX], ki[ARMDYN_JOINTS_MAX], kd[ARMDYN_JOINTS_MAX];
  } entries[ARMDYN_SCHEDULE_ENTRIES_MAX];
};
/* Does it go with the law: is that a PID and more? */
bool armdyn_law_schedules(enum armdyn_law law);

/* ---- a controller: a law, its gains, and what it remembers from one period to the next */
struct armdyn_control {
  enum armdyn_law law;
  struct armdyn_gains gains;
  double period;                          /* s, > 0 */
  double torque_limit[ARMDYN_JOINTS_MAX]; /* N m (N), > 0; INFINITY: none */
  bool frictionless;                      /* the controller's model has no friction */
  struct armdyn_torque_filter filter;
  struct armdyn_search search;
  struct armdyn_schedule schedule;
  size_t learn_periods; /* of layered, > 0 */
  /* How fast a parameter is learnt, of what `adaptation` makes of it; those not named 1. Parameters that the law does not learn
   * may stand here. */
  struct armdyn_adaptation_factor {
    struct armdyn_parameter_id parameter;
    double factor; /* >= 0 */
  } factors[ARMDYN_ADAPTATION_FACTORS_MAX];
  size_t factor_count;
};
struct armdyn_controller;

/* A controller with this model of an arm.
 *   robot       in   must outlive it
 *   control     in   copied
 *   controller  out  release with armdyn_controller_free
 * OK; EINPUT for gains below 0 or not finite; EMEMORY. */
enum armdyn_status armdyn_controller_new(const struct armdyn_robot *robot, const struct armdyn_control *control,
                                         struct armdyn_controller **controller, struct armdyn_error *error);
void armdyn_controller_free(struct armdyn_controller *controller);

/* Does the law take what a sensor measures between tool and surroundings? */
bool armdyn_law_senses(enum armdyn_law law);
/* That, for the periods from now on: 6 [moment; force] on the tool at its origin, base axes, N m, N. 0 until it is told. */
void armdyn_controller_sense(struct armdyn_controller *controller, const double wrench[6]);

/* One period. An integral does not grow where the limit is met already (anti-windup), parameters are not adapted in a period
 * in which some joint meets its limit. Laws without ki, force_ki, search and
 * adaptation remember nothing.
 *   q, qd      in   n, as measured
 *   tau        out  n, N m (N), within the limits
 *   saturated  out  n: is more asked of the joint than its limit? NULL = not wanted
 * No allocation, cannot fail. */
void armdyn_controller_step(struct armdyn_controller *controller, const struct armdyn_wanted *wanted, const double *q,
                            const double *qd, double *tau, bool *saturated);

/* The entry or zone of its schedule that is in force; 0 without one. */
size_t armdyn_controller_entry(const struct armdyn_controller *controller);

/* The parameters that a controller which adapts believes in, as armdyn_parameters orders them with rotors that are present;
 * count: how many. NULL: its law has none. `rates` are the diagonal of G. */
const double *armdyn_controller_parameters(const struct armdyn_controller *controller, size_t *count,
                                           const double **rates);

/* ---- an arm that differs from its model: links and rotors have `scale` times their mass and inertia; the payload, which
 * may be another one, has its own.
 *   description  in/out
 *   scale        in   > 0 */
void armdyn_scale_inertia(struct armdyn_robot_description *description, double scale);

/* ---- the closed loop */

/* Where the arm should be at time t; every pointer is out, n. */
typedef void (*armdyn_reference)(void *context, double t, double *q, double *qd, double *qdd);

enum { ARMDYN_DELAY_MAX = 100 };
struct armdyn_loop {
  const struct armdyn_robot *model; /* the controller's */
  const struct armdyn_robot *plant; /* the arm that moves, of as many joints */
  const struct armdyn_control *control;
  armdyn_reference reference;
  void *reference_context;
  size_t delay; /* periods from measuring to the torque, <= ARMDYN_DELAY_MAX; the first acts from t = 0 */
  const double *encoder_resolution; /* n: rad, m, >= 0; 0: exact. NULL: all exact */
  /* Hz: the velocity is the difference of the measured positions through a low-pass of first order; 0: it is measured
   * exactly */
  double velocity_filter;
  double freeze_at; /* s: from there on the drives keep the torque that they have; 0: never */
  /* Torques on the joints beside those of the drives, at time t: tau out, n. NULL: none. */
  void (*disturbance)(void *context, double t, double *tau);
  void *disturbance_context;
  /* Between drives and links, and what the tool meets; NULL: nothing. With them a disturbance acts on the drives, q of a sample
   * is of the links, what is measured of an elastic joint is its motor, and kinetic energy has its rotor in it. */
  const struct armdyn_elements *elements;
  struct armdyn_simulation plant_motion; /* q, qd, duration, load and how to integrate; the rest is not read */
};

/* The loop at one period of the controller; the pointers live as long as the call that hands it over. */
struct armdyn_loop_sample {
  const struct armdyn_simulation_sample *plant; /* its tau is that of the drives and of the disturbance */
  const double *wanted;                         /* n: q wanted */
  const double *tau;                            /* n: of the drives, which acts until the next sample */
  const bool *saturated;                        /* n */
  double work;                                /* J, that the drives did until here; of a current loop, were asked for */
  const struct armdyn_controller *controller; /* as it is after this period */
  const struct armdyn_energy_account *account; /* of the elements; NULL without them */
};
typedef bool (*armdyn_loop_sink)(void *context, const struct armdyn_loop_sample *sample);

/* Simulate it: at every period the controller is given what is measured, and its torque acts, after the delay, until the
 * next. Between periods the arm moves as in armdyn_simulate.
 *   sink   in   called for every period and at the duration, in order; false ends the simulation
 *   steps  out  of the integrator; NULL = not wanted
 * As armdyn_simulate and armdyn_controller_new. Allocates. */
enum armdyn_status armdyn_loop_simulate(const struct armdyn_loop *loop, armdyn_loop_sink sink, void *sink_context,
                                        long *steps, struct armdyn_error *error);

#ifdef __cplusplus
}
#endif
#endif
