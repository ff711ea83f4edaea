/* Robot models: a plain description that people and files write, and the immutable robot that the kernels use.
 *
 * Units are SI: m, rad, kg, kg m^2, N m. A prismatic joint's position is in m and its "torque" a force in N.
 */
#ifndef ARMDYN_ROBOT_H
#define ARMDYN_ROBOT_H

#include <stdbool.h>
#include <stddef.h>

#include "armdyn/shape.h"
#include "armdyn/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  ARMDYN_JOINTS_MAX = 32,
  ARMDYN_NAME_SIZE = 65,
  ARMDYN_RIPPLES_MAX = 8,
  ARMDYN_DESCRIPTION_SIZE = 1025,
  ARMDYN_VISUALS_MAX = 64,
  ARMDYN_REFERENCE_SIZE = 257,
  ARMDYN_BODIES_MAX = 64
};

enum armdyn_convention {
  ARMDYN_DH,    /* standard: A_i = Rz(theta) Tz(d) Tx(a) Rx(alpha); Denavit & Hartenberg 1955 */
  ARMDYN_MDH,   /* modified: A_i = Rx(alpha) Tx(a) Rz(theta) Tz(d); Craig, Introduction to Robotics, ch. 3 */
  ARMDYN_FRAMES /* a pose and an axis for every joint, as a URDF has them */
};

/* Where friction acts when drives are coupled; at motors joints[i].friction is that of drive i: armdyn_friction_at_motors. */
enum armdyn_friction_place { ARMDYN_AT_JOINTS, ARMDYN_AT_MOTORS };

enum armdyn_joint_type { ARMDYN_REVOLUTE, ARMDYN_PRISMATIC };

/* Elements of the symmetric inertia matrix, kg m^2; xy is the matrix element, minus the integral of x y dm. */
struct armdyn_inertia {
  double xx, yy, zz, xy, xz, yz;
};

/* A rigid body: mass in kg, centre of mass in m and inertia about the centre of mass, both in the frame it belongs to. */
struct armdyn_body {
  double mass;
  double com[3];
  struct armdyn_inertia inertia;
};

/* What a joint may do; INFINITY is "no limit". Positive numbers except position, which is [lower, upper]. */
struct armdyn_limits {
  double position[2];  /* rad, m */
  double velocity;     /* rad/s, m/s */
  double acceleration; /* rad/s^2, m/s^2 */
  double jerk;         /* rad/s^3, m/s^3 */
  double torque;       /* N m, N */
  double torque_rate;  /* N m/s, N/s */
};

/* Motor-side data of a joint's drive. NAN is "not known", except for the first two, which have defaults. */
struct armdyn_drive {
  double rotor_inertia;   /* kg m^2, default 0; reflected as gear_ratio^2 times it */
  double gear_ratio;      /* motor rad per joint rad (rad/m for a slide), not 0, default 1 */
  double torque_constant; /* N m/A */
  double resistance;      /* ohm */
  double efficiency;      /* of the gear, (0, 1]; enters energy only */
};

/* How the gear of a joint gives, and where that was seen: what a fit of modes found (posture_modes.h). Nothing but natural
 * frequencies is computed from it; torques are those of a rigid arm. */
struct armdyn_elasticity {
  double stiffness;       /* at the joint, N m/rad (N/m); infinity, the default: it does not give */
  double deviation;       /* of it, its standard deviation, default 0 */
  double damping;         /* N m s/rad (N s/m), default 0 */
  double position[2];     /* rad (m): from where to where the joint stood, default -infinity to infinity */
  double payload_mass[2]; /* kg: what was carried, default 0 to infinity */
};

/* A coefficient for each direction of motion. */
struct armdyn_directed {
  double positive, negative;
};

/* One line of position-dependent friction: amplitude sin(order p + phase), p = gear_ratio q the motor angle. */
struct armdyn_ripple {
  double amplitude; /* N m, N */
  double order;     /* 1 */
  double phase;     /* rad */
};

/* The terms of friction, in the order in which they are summed. Columns:
 *   name, text
 *   linear    is torque linear in all its numbers?
 *   plain     is it one number, the same in both directions and 0 without it, which has the term's name?
 *   signless  is it without s(v), as long as directions do not blend?
 *   usual     is it tried where friction is chosen and nobody named it? Sublinear friction is left to whoever knows of it:
 *             beside viscous friction, of a width of the sign that is chosen too, logs of a minute hardly tell it. With
 *             friction of the load motions are not planned, so nobody gets it unasked.
 * To add a plain one: its row here, its number in struct armdyn_friction and in enum armdyn_friction_parameter, what it does
 * in the two tables of lib/model/friction.c, and its form in symbols and text in that of lib/symbolic/friction.c; all else
 * (rules, regressors, identification, bounds, exports) follows. Of others default and rule are in lib/model/description.c,
 * and what identification makes of them in lib/identify/{candidates,structure,signs,select}.c. */
#define ARMDYN_FRICTION_TERM_LIST(X)                                                                                   \
  X(OFFSET, "offset", 1, 1, 1, 1)                                                                                      \
  X(COULOMB, "coulomb", 1, 0, 0, 1)                                                                                    \
  X(STRIBECK, "stribeck", 0, 0, 0, 1)                                                                                  \
  X(VISCOUS, "viscous", 1, 0, 1, 1)                                                                                    \
  X(HIGH_SPEED, "high_speed", 1, 1, 0, 1)                                                                              \
  X(SUBLINEAR, "sublinear", 1, 1, 1, 0)                                                                                \
  X(LOAD, "load", 1, 1, 0, 0)                                                                                          \
  X(POSITION, "position", 0, 0, 1, 1)
enum armdyn_friction_term {
#define X(name, text, linear, plain, signless, usual) ARMDYN_FRICTION_##name,
  ARMDYN_FRICTION_TERM_LIST(X)
#undef X
      ARMDYN_FRICTION_TERM_COUNT
};
/* Its text, never NULL. */
const char *armdyn_friction_term_name(enum armdyn_friction_term term);

/* Joint-side friction, all terms zero by default:
 *   F(q, v) = offset + [fc + (fs - fc) exp(-(|v|/vs)^delta)] s(v) + fv v + fa v^2 s(v) + fr v / (v^2 + e^2)^(1/3)
 *             + c |y| s(v) + sum_k A_k sin(order_k p + phase_k)
 * with s(v) = tanh(v / e), e the velocity_scale of the joint, and y the torque that the joint transmits: all of it but
 * friction. Beyond some e the term of fr is the cube root of v.
 * c < 1, so tau = y + F has one y for every tau: y + c s |y| = tau - F(y = 0) is solved by a division.
 * The terms are rows of a table in lib/model/friction.c. */
struct armdyn_friction {
  double offset;                  /* N m */
  struct armdyn_directed coulomb; /* fc, N m */
  double stiction;                /* fs, N m; NAN: equal to coulomb */
  double stribeck_velocity;       /* vs, rad/s, needed with stiction */
  double stribeck_exponent;       /* delta, default 2 */
  struct armdyn_directed viscous; /* fv, N m s/rad */
  double high_speed;              /* fa, N m s^2/rad^2 */
  double sublinear;               /* fr, N m (s/rad)^(1/3) */
  double load;                    /* c, of the transmitted torque, 1; 0 <= c <= 0.99 */
  size_t ripple_count;
  struct armdyn_ripple ripples[ARMDYN_RIPPLES_MAX];
};

/* The parameters of a joint's friction (armdyn/parameter.h); columns of a regressor stand in this order. */
enum armdyn_friction_parameter {
  ARMDYN_PARAMETER_OFFSET,
  ARMDYN_PARAMETER_COULOMB, /* the same in both directions */
  ARMDYN_PARAMETER_COULOMB_POSITIVE,
  ARMDYN_PARAMETER_COULOMB_NEGATIVE,
  ARMDYN_PARAMETER_STICTION,
  ARMDYN_PARAMETER_VISCOUS, /* the same in both directions */
  ARMDYN_PARAMETER_VISCOUS_POSITIVE,
  ARMDYN_PARAMETER_VISCOUS_NEGATIVE,
  ARMDYN_PARAMETER_HIGH_SPEED,
  ARMDYN_PARAMETER_SUBLINEAR,
  ARMDYN_PARAMETER_LOAD,
  ARMDYN_PARAMETER_LINE_AMPLITUDE,
  ARMDYN_PARAMETER_STRIBECK_SLOPE, /* of no model: see armdyn_parameter_choice */
  /* torque is not linear in these */
  ARMDYN_PARAMETER_STRIBECK_VELOCITY,
  ARMDYN_PARAMETER_STRIBECK_EXPONENT,
  ARMDYN_PARAMETER_LINE_ORDER,
  ARMDYN_PARAMETER_LINE_PHASE,
  ARMDYN_FRICTION_PARAMETER_COUNT
};

struct armdyn_joint {
  char name[ARMDYN_NAME_SIZE];
  enum armdyn_joint_type type;
  double a, alpha, d, theta; /* DH and MDH: m and rad; theta (revolute) or d (prismatic) is the constant part */
  struct armdyn_pose frame;  /* FRAMES: from the parent's link frame to the joint frame, which is the link frame */
  double axis[3];            /* FRAMES: unit vector in the joint frame */
  double offset;             /* added to the joint variable */
  double velocity_scale;     /* rad/s or m/s over which friction changes sign, default 1e-3 */
  struct armdyn_limits limits;
  struct armdyn_body link; /* in the link frame of the convention */
  struct armdyn_drive drive;
  struct armdyn_elasticity elasticity;
  struct armdyn_friction friction;
};

/* A mesh or a shape that shows a link, or the base. Nothing is computed from it: it is kept for who draws the robot. */
struct armdyn_visual {
  char joint[ARMDYN_NAME_SIZE];          /* whose link it shows; "": the base */
  char mesh[ARMDYN_NAME_SIZE];           /* its name among the robot's meshes; "": it is a shape */
  char reference[ARMDYN_REFERENCE_SIZE]; /* where a URDF says that the mesh is, "package://..."; "": nowhere */
  struct armdyn_pose frame;              /* of the mesh in the link frame, of the base in the base frame */
  double scale[3];                       /* m for 1 of the mesh's own coordinates; not 0 */
  struct armdyn_shape shape;             /* a sphere, box or cylinder in the link frame; without effect on a mesh */
  bool has_color;
  double color[4]; /* red, green, blue, opacity, each 0 to 1 */
  bool collision;  /* it is not shown: bodies are fitted to it */
};

/* Whose a body is: link i of joint i is i. */
enum { ARMDYN_OF_BASE = -1, ARMDYN_OF_TOOL = ARMDYN_JOINTS_MAX, ARMDYN_OF_PAYLOAD };

/* What a part of the robot takes up in space: a sphere, a capsule or a box in the link frame (the base frame; tool and payload:
 * the tool frame). A part may have several. Only clearances are computed from it. */
struct armdyn_part_body {
  int part; /* 0 .. joint_count - 1, or ARMDYN_OF_... */
  struct armdyn_shape shape;
};

/* A robot as it is written down. armdyn_robot_description_init gives every field its default. */
struct armdyn_robot_description {
  char name[ARMDYN_NAME_SIZE];
  char description[ARMDYN_DESCRIPTION_SIZE];
  enum armdyn_convention convention;
  double gravity[3]; /* acceleration of free fall in the base frame, m/s^2 */
  size_t joint_count;
  struct armdyn_joint joints[ARMDYN_JOINTS_MAX];
  bool has_transmission;
  double transmission[ARMDYN_JOINTS_MAX * ARMDYN_JOINTS_MAX]; /* n x n row-major: motor = matrix * joint positions */
  enum armdyn_friction_place friction_at;                     /* with a transmission, else without effect */
  struct armdyn_pose tool;                                    /* from the last link frame */
  struct armdyn_body payload;                                 /* in the tool frame */
  size_t visual_count;
  struct armdyn_visual visuals[ARMDYN_VISUALS_MAX];
  size_t body_count;
  struct armdyn_part_body bodies[ARMDYN_BODIES_MAX]; /* ordered by part */
};

/* An immutable robot; any number of threads may use it at once. */
struct armdyn_robot;

/* Defaults: no joints, standard DH, gravity [0, 0, -9.81], every limit INFINITY, gear ratio 1, all else zero. */
void armdyn_robot_description_init(struct armdyn_robot_description *description);
/* Defaults of one joint (as above), for descriptions that grow joint by joint. */
void armdyn_joint_init(struct armdyn_joint *joint);
/* Defaults of one visual: the base's, without a mesh, in the identity frame, in metres. */
void armdyn_visual_init(struct armdyn_visual *visual);

/* Is this body physically possible: mass >= 0, inertia positive semidefinite and within the triangle inequality?
 *   body   in   the link or payload
 *   error  out  which rule it breaks; its pointer is relative to the body, e.g. "/inertia"
 * OK or EUNPHYSICAL. Catalogue models are often unphysical, so armdyn_robot_new does not ask. */
enum armdyn_status armdyn_body_check(const struct armdyn_body *body, struct armdyn_error *error);

/* Build a robot.
 *   description  in   checked in full: every number finite where it must be, counts, signs, names unique, unit axes,
 *                     invertible transmission
 *   robot        out  release with armdyn_robot_free
 *   error        out  the first fault, with a pointer into the description
 * OK, EINPUT or EMEMORY. Allocates once. */
enum armdyn_status armdyn_robot_new(const struct armdyn_robot_description *description, struct armdyn_robot **robot,
                                    struct armdyn_error *error);
void armdyn_robot_free(struct armdyn_robot *robot);

size_t armdyn_robot_joint_count(const struct armdyn_robot *robot);
/* What the robot was built from; lives as long as the robot. */
const struct armdyn_robot_description *armdyn_robot_description(const struct armdyn_robot *robot);

/* Does friction act at motors that are coupled? Then tau_f = G' f(G q, G qd): joints[i].friction, ripples and velocity_scale
 * are those of what the gear of drive i turns, p = G q with G = diag(1 / gear_ratio) transmission, and functions of one
 * joint's friction take and answer what is there. With gear ratios of 1 that is at the motors, tau_f = T' f(T q, T qd). */
bool armdyn_friction_at_motors(const struct armdyn_robot *robot);
/* Positions, velocities or accelerations there, n: G times those of joints, which it is where friction is not at motors. */
void armdyn_gear_motion(const struct armdyn_robot *robot, const double *joints, double *outputs);
/* Torques there, n: G^-T times those of joints, which it is where friction is not at motors. */
void armdyn_gear_torques(const struct armdyn_robot *robot, const double *joints, double *outputs);

/* Friction torque of one joint that transmits nothing.
 *   robot  in
 *   joint  in   0 .. joint_count - 1
 *   q, qd  in   rad, rad/s (m, m/s)
 *   Returns N m (N). Source: deploy/doc/internals/mathematics.md; Armstrong-Helouvry 1994 for the Stribeck term. */
double armdyn_friction_torque(const struct armdyn_robot *robot, size_t joint, double q, double qd);
/* What it is more of a joint that transmits a torque: c |transmitted| s(qd).
 *   transmitted  in   N m (N): the torque of the drive without friction
 * Source: Hamon, Gautier & Garrec 2010, with the rotor on the load's side. */
double armdyn_friction_of_load(const struct armdyn_robot *robot, size_t joint, double qd, double transmitted);
/* Does friction of a joint depend on the load? */
bool armdyn_has_load_friction(const struct armdyn_robot *robot);
/* The two parts that it is the sum of: over the velocity, rad/s (m/s), and over the motor angle gear_ratio q, rad. */
double armdyn_friction_over_velocity(const struct armdyn_joint *joint, double velocity);
double armdyn_friction_over_angle(const struct armdyn_friction *friction, double motor_angle);

#ifdef __cplusplus
}
#endif
#endif
