#include "lib/dynamics/mistakes.h"

#include <math.h>

static const double DEGREE = 0.017453292519943295;

static bool is_dh(const struct armdyn_robot_description *model)
{
  return model->convention != ARMDYN_FRAMES;
}

/* I += factor m (c'c 1 - c c'), the parallel-axis term. */
static void shift_inertia(struct version *v, double factor)
{
  for (size_t i = 0; i < v->model->joint_count; i++) {
    struct armdyn_body *link = &v->model->joints[i].link;
    const double *c = link->com, m = factor * link->mass;
    link->inertia.xx += m * (c[1] * c[1] + c[2] * c[2]);
    link->inertia.yy += m * (c[0] * c[0] + c[2] * c[2]);
    link->inertia.zz += m * (c[0] * c[0] + c[1] * c[1]);
    link->inertia.xy -= m * c[0] * c[1];
    link->inertia.xz -= m * c[0] * c[2];
    link->inertia.yz -= m * c[1] * c[2];
  }
}

static void scale_products(struct version *v, double factor)
{
  for (size_t i = 0; i < v->model->joint_count; i++) {
    struct armdyn_inertia *inertia = &v->model->joints[i].link.inertia;
    inertia->xy *= factor, inertia->xz *= factor, inertia->yz *= factor;
  }
}

static void scale_inertia(struct version *v, double factor)
{
  for (size_t i = 0; i < v->model->joint_count; i++) {
    struct armdyn_inertia *inertia = &v->model->joints[i].link.inertia;
    inertia->xx *= factor, inertia->yy *= factor, inertia->zz *= factor;
  }
  scale_products(v, factor);
}

static void scale_centres(struct version *v, double factor)
{
  for (size_t i = 0; i < v->model->joint_count; i++)
    for (int k = 0; k < 3; k++) v->model->joints[i].link.com[k] *= factor;
}

/* What stands in the other convention's order; a pose has none. */
static void change_convention(struct version *v, double to)
{
  if (is_dh(v->model)) v->model->convention = (enum armdyn_convention)to;
}

static void scale_lengths(struct version *v, double factor)
{
  for (size_t i = 0; i < v->model->joint_count; i++) {
    struct armdyn_joint *joint = &v->model->joints[i];
    joint->a *= factor, joint->d *= factor;
    for (int k = 0; k < 3; k++) joint->frame.translation[k] *= factor;
  }
}

static void scale_gravity(struct version *v, double factor)
{
  for (int k = 0; k < 3; k++) v->model->gravity[k] *= factor;
}

/* Along x, y, z (1, 2, 3), or against them. */
static void turn_gravity(struct version *v, double axis)
{
  double *g = v->model->gravity, size = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
  const double along[3] = { fabs(axis) == 1, fabs(axis) == 2, fabs(axis) == 3 };
  double inner = 0;
  for (int k = 0; k < 3; k++) inner += copysign(1, axis) * along[k] * g[k];
  if (fabs(inner) >= size * (1 - 1e-9)) return; /* is so, or only its sign is another */
  for (int k = 0; k < 3; k++) g[k] = copysign(size, axis) * along[k];
}

static void scale_angles(struct version *v, double factor)
{
  v->angle *= factor;
}

static void scale_positions(struct version *v, double factor)
{
  v->position *= factor;
}

/* The constant angles of the DH parameters. */
static void scale_model_angles(struct version *v, double factor)
{
  for (size_t i = 0; is_dh(v->model) && i < v->model->joint_count; i++) {
    struct armdyn_joint *joint = &v->model->joints[i];
    joint->alpha *= factor, joint->theta *= factor;
    if (joint->type == ARMDYN_REVOLUTE) joint->offset *= factor;
  }
}

/* Reflected by another power of the gear ratio than 2. A power that is odd has the sign of the ratio, as in the mistake, so
 * that no model can hold it. Of coupled drives no ratio is that of a joint. */
static void reflect_rotors(struct version *v, double power)
{
  for (size_t i = 0; !v->model->has_transmission && i < v->model->joint_count; i++) {
    const struct armdyn_drive *drive = &v->model->joints[i].drive;
    v->rotor[i] += drive->rotor_inertia * (pow(drive->gear_ratio, power) - pow(drive->gear_ratio, 2));
  }
}

static void drop_rotors(struct version *v, double factor)
{
  for (size_t i = 0; i < v->model->joint_count; i++) v->model->joints[i].drive.rotor_inertia *= factor;
}

static void scale_friction(struct version *v, double factor)
{
  v->friction *= factor;
}

static void scale_torques(struct version *v, double factor)
{
  for (size_t i = 0; i < v->model->joint_count; i++) v->torque[i] *= factor;
}

/* Through the gear: at the motor with power -1, through it the wrong way with 1. */
static void gear_torques(struct version *v, double power)
{
  for (size_t i = 0; i < v->model->joint_count; i++) v->torque[i] *= pow(v->model->joints[i].drive.gear_ratio, power);
}

static void drop_payload(struct version *v, double factor)
{
  v->model->payload.mass *= factor;
  struct armdyn_inertia *inertia = &v->model->payload.inertia;
  *inertia = (struct armdyn_inertia){ factor * inertia->xx, factor * inertia->yy, factor * inertia->zz,
                                      factor * inertia->xy, factor * inertia->xz, factor * inertia->yz };
}

#define GRAVITY_ALONG(code, words)                                                                                     \
  "gravity_along_" code,                                                                                               \
      "Gravity is taken to point along " words " of the base: give it as the acceleration of free fall in base axes."

/* clang-format off */
const struct mistake mistakes[] = {
  { KIND_INERTIA, "parallel_axis_forgotten",
    "The inertia about the centre of mass is used as if it were about the origin of the link frame: add m (c'c 1 - c c').",
    shift_inertia, -1 },
  { KIND_INERTIA, "parallel_axis_twice",
    "The parallel-axis term m (c'c 1 - c c') is added twice: an inertia about the link frame is used as if it were about "
    "the centre of mass.", shift_inertia, 1 },
  { KIND_PRODUCTS, "products_sign",
    "The products of inertia have the other sign: the matrix element xy is minus the integral of x y dm, and CAD programs "
    "often print the integral.", scale_products, -1 },
  { KIND_CENTRE, "centre_of_mass_sign",
    "The centre of mass has the other sign: it is the vector from the link frame to the centre, in axes of the link frame.",
    scale_centres, -1 },
  { KIND_CONVENTION, "dh_for_mdh",
    "Modified DH parameters (Craig) are used by the rules of standard DH: Rx Tx comes before Rz Tz in the modified ones.",
    change_convention, ARMDYN_DH },
  { KIND_CONVENTION, "mdh_for_dh",
    "Standard DH parameters are used by the rules of modified DH (Craig): Rz Tz comes before Rx Tx in the standard ones.",
    change_convention, ARMDYN_MDH },
  { KIND_LENGTHS, "lengths_in_mm",
    "Lengths of the links are millimetres where metres are meant: divide a and d by 1000.", scale_lengths, 1000 },
  { KIND_CENTRE_UNIT, "centres_of_mass_in_mm",
    "Centres of mass are millimetres where metres are meant: divide them by 1000.", scale_centres, 1000 },
  { KIND_INERTIA_UNIT, "inertia_in_kg_mm2",
    "Inertias are kg mm^2 where kg m^2 are meant: divide them by 1e6.", scale_inertia, 1e6 },
  { KIND_INERTIA_UNIT, "inertia_in_g_mm2",
    "Inertias are g mm^2 where kg m^2 are meant: divide them by 1e9.", scale_inertia, 1e9 },
  { KIND_GRAVITY, "gravity_sign",
    "Gravity has the other sign: free fall accelerates downwards; the base that recursions accelerate instead goes upwards.",
    scale_gravity, -1 },
  { KIND_GRAVITY, "gravity_missing", "Gravity is missing: let the base accelerate by -g at the start of the recursion.",
    scale_gravity, 0 },
  { KIND_GRAVITY, GRAVITY_ALONG("x", "+x"), turn_gravity, 1 },
  { KIND_GRAVITY, GRAVITY_ALONG("minus_x", "-x"), turn_gravity, -1 },
  { KIND_GRAVITY, GRAVITY_ALONG("y", "+y"), turn_gravity, 2 },
  { KIND_GRAVITY, GRAVITY_ALONG("minus_y", "-y"), turn_gravity, -2 },
  { KIND_GRAVITY, GRAVITY_ALONG("z", "+z"), turn_gravity, 3 },
  { KIND_GRAVITY, GRAVITY_ALONG("minus_z", "-z"), turn_gravity, -3 },
  { KIND_ANGLES, "motion_in_degrees",
    "q, qd and qdd of the samples are degrees: radians are meant here (or your code converts radians once more).",
    scale_angles, DEGREE },
  { KIND_ANGLES, "positions_in_degrees",
    "Positions of the samples are degrees, velocities and accelerations radians: radians are meant everywhere.",
    scale_positions, DEGREE },
  { KIND_ANGLES, "degrees_as_radians",
    "Your code takes sine and cosine of degrees: positions go into them in radians.", scale_positions, 1 / DEGREE },
  { KIND_ANGLES, "motion_as_degrees",
    "Your code turned q, qd and qdd into degrees: all of them are radians in the recursion.", scale_angles, 1 / DEGREE },
  { KIND_MODEL_ANGLES, "model_angles_in_degrees",
    "Constant angles of the DH parameters (alpha, theta, offset) are degrees where radians are meant.",
    scale_model_angles, 1 / DEGREE },
  { KIND_ROTORS, "rotor_ratio_not_squared",
    "Rotor inertia is reflected by the gear ratio: it is its square.", reflect_rotors, 1 },
  { KIND_ROTORS, "rotor_not_reflected",
    "Rotor inertia is added as on the motor's side: at the joint it is gear ratio squared times that.", reflect_rotors, 0 },
  { KIND_ROTORS, "gear_ratio_inverted",
    "Rotor inertia is divided by the gear ratio squared: the ratio is motor turns for each turn of the joint, so multiply.",
    reflect_rotors, -2 },
  { KIND_ROTORS, "rotor_forgotten", "The inertia of the rotors is missing: add gear ratio squared times it.", drop_rotors, 0 },
  { KIND_FRICTION, "friction_forgotten",
    "The model's friction is missing; when that is meant, compare with \"friction\": false.", scale_friction, 0 },
  { KIND_FRICTION, "friction_sign",
    "Friction has the other sign: the drive has to overcome it, so it has the sign of the velocity.", scale_friction, -1 },
  { KIND_TORQUE, "torque_sign",
    "All torques have the other sign: that of the joint on the drive, not that of the drive on the joint.", scale_torques, -1 },
  { KIND_TORQUE, "torque_at_motor",
    "Torques are those at the motors: at the joints they are gear ratio times larger.", gear_torques, -1 },
  { KIND_TORQUE, "torque_through_gear_twice",
    "Torques are multiplied by the gear ratio though they are at the joints already.", gear_torques, 1 },
  { KIND_PAYLOAD, "payload_forgotten", "The payload is missing.", drop_payload, 0 },
  { KIND_ORDER, "torque_order",
    "Columns of tau stand in another order than those of q: `order` names the joint of each column.", NULL, 0 },
  { KIND_ORDER, "joint_order",
    "Joints stand in another order than in the model, in q and in tau: `order` names the joint of each column.", NULL, 1 },
};
/* clang-format on */
_Static_assert(sizeof mistakes / sizeof *mistakes <= ARMDYN_MISTAKES_MAX, "an answer can name them all");

size_t armdyn_mistake_count(void)
{
  return sizeof mistakes / sizeof *mistakes;
}

const char *armdyn_mistake_code(size_t mistake)
{
  return mistakes[mistake].code;
}

const char *armdyn_mistake_lesson(size_t mistake)
{
  return mistakes[mistake].lesson;
}
