#include <math.h>

#include "api/json/number.h"
#include "api/urdf/collisions.h"
#include "api/urdf/rigid.h"
#include "api/urdf/shapes.h"
#include "api/urdf/text.h"
#include "api/urdf/urdf.h"
#include "armdyn/parameter.h"

/* -- what URDF has no place for, in comments -- */

static bool loses_direction(const struct armdyn_joint *j)
{
  const struct armdyn_friction *f = &j->friction;
  return fabs(f->viscous.positive - f->viscous.negative) > 0 || fabs(f->coulomb.positive - f->coulomb.negative) > 0;
}
static bool loses_scale(const struct armdyn_joint *j)
{
  return fabs(j->velocity_scale - 1e-3) > 0;
}
static bool loses_rates(const struct armdyn_joint *j)
{
  const struct armdyn_limits *l = &j->limits;
  return isfinite(l->acceleration) || isfinite(l->jerk) || isfinite(l->torque_rate);
}
static bool loses_elasticity(const struct armdyn_joint *joint)
{
  return isfinite(joint->elasticity.stiffness);
}
static bool loses_motor(const struct armdyn_joint *j)
{
  return !isnan(j->drive.torque_constant) || !isnan(j->drive.resistance) || !isnan(j->drive.efficiency);
}

/* To add a loss: a function and a row. */
static const struct {
  bool (*is_lost)(const struct armdyn_joint *joint);
  const char *words;
} losses[] = {
  { loses_direction, "friction of unequal directions (the mean is stated)" },
  { loses_scale, "velocity_scale" },
  { loses_rates, "limits of acceleration, jerk and torque rate" },
  { loses_elasticity, "elasticity of the gear" },
  { loses_motor, "torque constant, resistance and efficiency of the drive" },
};

/* A term of friction; what URDF has of Coulomb and viscous friction is another loss. */
static bool loses_term(const struct armdyn_joint *j, enum armdyn_friction_term term)
{
  size_t numbers = 0;
  for (int k = 0; k < ARMDYN_FRICTION_PARAMETER_COUNT; k++) {
    const enum armdyn_friction_parameter parameter = (enum armdyn_friction_parameter)k;
    if (armdyn_friction_parameter_info(parameter)->term == term)
      numbers += armdyn_friction_parameter_lines(&j->friction, parameter);
  }
  return numbers > 0 && term != ARMDYN_FRICTION_COULOMB && term != ARMDYN_FRICTION_VISCOUS;
}

/*   lost  in   joint_count, which joints lose it */
static void write_loss(struct buffer *out, const struct armdyn_robot_description *robot, const char *what,
                       const bool *lost)
{
  char text[512], words[128];
  size_t used = 0;
  for (size_t i = 0; i < robot->joint_count && used < sizeof text - 80; i++) {
    if (!lost[i]) continue;
    const int length = snprintf(text + used, sizeof text - used, "%s%s", used ? ", " : "", robot->joints[i].name);
    used += (size_t)length;
  }
  if (!used) return;
  snprintf(words, sizeof words, "not in URDF: %s of ", what);
  xml_write_comment(out, words, text);
}

static void write_losses(struct buffer *out, const struct armdyn_robot_description *robot)
{
  const double *g = robot->gravity;
  bool lost[ARMDYN_JOINTS_MAX] = { false };
  char text[512];
  snprintf(text, sizeof text, "[%.17g, %.17g, %.17g] m/s^2", g[0], g[1], g[2]);
  if (fabs(g[0]) > 0 || fabs(g[1]) > 0 || fabs(g[2] + 9.81) > 0) xml_write_comment(out, "not in URDF: gravity ", text);
  if (robot->has_transmission) xml_write_comment(out, "not in URDF: ", "the coupled transmission");
  for (size_t k = 0; k < sizeof losses / sizeof *losses; k++) {
    for (size_t i = 0; i < robot->joint_count; i++) lost[i] = losses[k].is_lost(&robot->joints[i]);
    write_loss(out, robot, losses[k].words, lost);
  }
  for (int k = 0; k < ARMDYN_FRICTION_TERM_COUNT; k++) {
    const enum armdyn_friction_term term = (enum armdyn_friction_term)k;
    for (size_t i = 0; i < robot->joint_count; i++) lost[i] = loses_term(&robot->joints[i], term);
    snprintf(text, sizeof text, "the term %s of friction", armdyn_friction_term_name(term));
    write_loss(out, robot, text, lost);
  }
}

/* -- links -- */

static void write_inertial(struct buffer *out, const struct armdyn_body *body)
{
  const struct armdyn_inertia *I = &body->inertia;
  if (body_is_nothing(body)) return;
  buffer_text(out, "    <inertial>\n      <origin");
  xml_write_numbers(out, "xyz", body->com, 3);
  buffer_text(out, " rpy=\"0 0 0\"/>\n      <mass");
  xml_write_number(out, "value", body->mass);
  buffer_text(out, "/>\n      <inertia");
  xml_write_number(out, "ixx", I->xx), xml_write_number(out, "ixy", I->xy), xml_write_number(out, "ixz", I->xz);
  xml_write_number(out, "iyy", I->yy), xml_write_number(out, "iyz", I->yz), xml_write_number(out, "izz", I->zz);
  buffer_text(out, "/>\n    </inertial>\n");
}

/* What shows a link, and what collides. */
struct shown {
  const struct armdyn_robot_description *robot;
  const char *joint;        /* "": the base; NULL: nothing shows it */
  int part;                 /* whose bodies collide */
  const struct rigid *link; /* the link frame of the convention in the URDF link; NULL: they are one */
};

static void write_mesh(struct buffer *out, const struct armdyn_visual *visual)
{
  buffer_text(out, "      <geometry><mesh filename=\"");
  xml_write_escaped(out, *visual->reference ? visual->reference : visual->mesh);
  buffer_text(out, "\"");
  xml_write_numbers(out, "scale", visual->scale, 3);
  buffer_text(out, "/></geometry>\n");
}

static void write_visual(struct buffer *out, const struct armdyn_visual *visual, size_t number,
                         const struct rigid *link)
{
  const bool is_mesh = *visual->mesh;
  struct armdyn_pose origin = is_mesh ? visual->frame : urdf_shape_pose(&visual->shape);
  if (link) {
    const struct rigid frame = rigid_of_pose(&origin), sum = rigid_multiply(link, &frame);
    origin = rigid_to_pose(&sum);
  }
  const char *element = visual->collision ? "collision" : "visual";
  buffer_format(out, "    <%s>\n  ", element);
  xml_write_origin(out, &origin);
  if (is_mesh)
    write_mesh(out, visual);
  else
    urdf_geometry_write(out, &visual->shape);
  if (visual->has_color && !visual->collision) {
    buffer_format(out, "      <material name=\"color_%zu\"><color", number + 1);
    xml_write_numbers(out, "rgba", visual->color, 4);
    buffer_text(out, "/></material>\n");
  }
  buffer_format(out, "    </%s>\n", element);
}

static bool is_shown(const struct shown *shown, size_t visual)
{
  return shown->joint && !strcmp(shown->robot->visuals[visual].joint, shown->joint);
}

/* number: 0 is none. */
static void write_link(struct buffer *out, const char *name, size_t number, const struct armdyn_body *body,
                       const struct shown *shown)
{
  bool empty = body_is_nothing(body);
  const size_t visuals = shown->robot->visual_count;
  for (size_t i = 0; i < visuals; i++) empty &= !is_shown(shown, i);
  for (size_t i = 0; i < shown->robot->body_count; i++) empty &= shown->robot->bodies[i].part != shown->part;
  if (number)
    buffer_format(out, "  <link name=\"%s_%zu\"", name, number);
  else
    buffer_format(out, "  <link name=\"%s\"", name);
  buffer_text(out, empty ? "/>\n" : ">\n");
  if (empty) return;
  write_inertial(out, body);
  for (size_t i = 0; i < visuals; i++)
    if (is_shown(shown, i)) write_visual(out, &shown->robot->visuals[i], i, shown->link);
  urdf_collisions_write(shown->robot, shown->part, shown->link, out);
  buffer_text(out, "  </link>\n");
}

/* -- joints -- */

static double bounded(double limit)
{
  return fmax(-URDF_UNLIMITED, fmin(URDF_UNLIMITED, limit));
}

static void write_limits(struct buffer *out, const struct armdyn_joint *joint, bool continuous)
{
  const struct armdyn_limits *l = &joint->limits;
  buffer_text(out, "    <limit");
  if (!continuous) {
    xml_write_number(out, "lower", bounded(l->position[0]));
    xml_write_number(out, "upper", bounded(l->position[1]));
  }
  xml_write_number(out, "effort", bounded(l->torque));
  xml_write_number(out, "velocity", bounded(l->velocity));
  buffer_text(out, "/>\n");
}

static void write_dynamics(struct buffer *out, const struct armdyn_friction *f)
{
  double damping = (f->viscous.positive + f->viscous.negative) / 2;
  double friction = (f->coulomb.positive + f->coulomb.negative) / 2;
  if (!(damping > 0) && !(friction > 0)) return;
  buffer_text(out, "    <dynamics");
  xml_write_number(out, "damping", damping);
  xml_write_number(out, "friction", friction);
  buffer_text(out, "/>\n");
}

static void write_joint(struct buffer *out, const struct armdyn_joint *joint, size_t index,
                        const struct armdyn_pose *origin, const double axis[3])
{
  const double *range = joint->limits.position;
  bool continuous = joint->type == ARMDYN_REVOLUTE && !isfinite(range[0]) && !isfinite(range[1]);
  const char *type = joint->type == ARMDYN_PRISMATIC ? "prismatic" : continuous ? "continuous" : "revolute";
  buffer_text(out, "  <joint name=\"");
  xml_write_escaped(out, joint->name);
  buffer_format(out, "\" type=\"%s\">\n", type);
  xml_write_origin(out, origin);
  if (index)
    buffer_format(out, "    <parent link=\"link_%zu\"/>\n", index);
  else
    buffer_text(out, "    <parent link=\"base_link\"/>\n");
  buffer_format(out, "    <child link=\"link_%zu\"/>\n    <axis", index + 1);
  xml_write_numbers(out, "xyz", axis, 3);
  buffer_text(out, "/>\n");
  write_limits(out, joint, continuous);
  write_dynamics(out, &joint->friction);
  buffer_text(out, "  </joint>\n");
}

static void write_transmission(struct buffer *out, const struct armdyn_joint *joint, size_t index)
{
  const struct armdyn_drive *drive = &joint->drive;
  if (!(fabs(drive->gear_ratio - 1) > 0) && !(drive->rotor_inertia > 0)) return;
  buffer_format(out,
                "  <transmission name=\"transmission_%zu\">\n"
                "    <type>transmission_interface/SimpleTransmission</type>\n    <joint name=\"",
                index + 1);
  xml_write_escaped(out, joint->name);
  char ratio[NUMBER_SIZE];
  number_print(drive->gear_ratio, ratio);
  buffer_format(out,
                "\"/>\n    <actuator name=\"motor_%zu\">\n"
                "      <mechanicalReduction>%s</mechanicalReduction>\n      <drake:gear_ratio value=\"%s\"/>\n"
                "      <drake:rotor_inertia",
                index + 1, ratio, ratio);
  xml_write_number(out, "value", drive->rotor_inertia);
  buffer_text(out, "/>\n    </actuator>\n  </transmission>\n");
}

/* -- frames -- */

/* What is the same motion in URDF: the joint's origin in the URDF link before it, its axis, and the way from the URDF link
 * to the link frame of the convention (*exact: they are one). */
struct placed {
  struct armdyn_pose origin;
  double axis[3];
  struct rigid link;
  bool exact;
};

static struct rigid screw(const double axis[3], double angle, double length)
{
  const struct rigid turn = rigid_turn(axis, angle), shift = rigid_shift(axis, length);
  return rigid_multiply(&turn, &shift);
}

static struct placed place_frames(const struct armdyn_joint *joint)
{
  const bool turns = joint->type == ARMDYN_REVOLUTE;
  struct placed out = { .origin = joint->frame, .link = rigid_identity, .exact = true };
  memcpy(out.axis, joint->axis, sizeof out.axis);
  if (!(fabs(joint->offset) > 0)) return out;
  const struct rigid frame = rigid_of_pose(&joint->frame);
  const struct rigid zero = screw(joint->axis, turns ? joint->offset : 0, turns ? 0 : joint->offset);
  const struct rigid sum = rigid_multiply(&frame, &zero);
  out.origin = rigid_to_pose(&sum);
  return out;
}

/* DH: the URDF link is where the joint's motion ends and Tx(a) Rx(alpha) begins. MDH: it is the link frame. */
static struct placed place_dh(enum armdyn_convention convention, const struct armdyn_joint *joint,
                              const struct rigid *before)
{
  static const double x[3] = { 1, 0, 0 }, z[3] = { 0, 0, 1 };
  const bool turns = joint->type == ARMDYN_REVOLUTE;
  const struct rigid twist = screw(x, joint->alpha, joint->a);
  struct rigid sum = *before;
  if (convention == ARMDYN_MDH) sum = rigid_multiply(&sum, &twist);
  const struct rigid zero =
      screw(z, joint->theta + (turns ? joint->offset : 0), joint->d + (turns ? 0 : joint->offset));
  sum = rigid_multiply(&sum, &zero);
  struct placed out = { .origin = rigid_to_pose(&sum), .axis = { 0, 0, 1 }, .link = twist };
  if (convention == ARMDYN_MDH) out.link = rigid_identity, out.exact = true;
  return out;
}

/* -- the robot -- */

static bool is_identity(const struct armdyn_pose *pose)
{
  for (int i = 0; i < 3; i++)
    if (fabs(pose->translation[i]) > 0 || fabs(pose->rpy[i]) > 0) return false;
  return true;
}

static bool has_joint(const struct armdyn_robot_description *robot, const char *name)
{
  for (size_t i = 0; i < robot->joint_count; i++)
    if (strcmp(robot->joints[i].name, name) == 0) return true;
  return false;
}

static bool has_bodies(const struct armdyn_robot_description *robot, int part)
{
  for (size_t i = 0; i < robot->body_count; i++)
    if (robot->bodies[i].part == part) return true;
  return false;
}

/* The tool is a link fixed to the last one; its body is the payload. */
static void write_tool(struct buffer *out, const struct armdyn_robot_description *robot, const struct placed *last)
{
  char name[ARMDYN_NAME_SIZE] = "tool_joint";
  if (is_identity(&robot->tool) && body_is_nothing(&robot->payload) && !has_bodies(robot, ARMDYN_OF_TOOL) &&
      !has_bodies(robot, ARMDYN_OF_PAYLOAD) && last->exact)
    return;
  for (unsigned k = 2; has_joint(robot, name); k++) snprintf(name, sizeof name, "tool_joint_%u", k);
  struct armdyn_pose origin = robot->tool;
  if (!last->exact) {
    const struct rigid tool = rigid_of_pose(&robot->tool), sum = rigid_multiply(&last->link, &tool);
    origin = rigid_to_pose(&sum);
  }
  buffer_format(out, "  <joint name=\"%s\" type=\"fixed\">\n", name);
  xml_write_origin(out, &origin);
  buffer_format(out, "    <parent link=\"link_%zu\"/>\n    <child link=\"tool\"/>\n  </joint>\n", robot->joint_count);
  write_link(out, "tool", 0, &robot->payload, &(struct shown){ robot, NULL, ARMDYN_OF_TOOL, NULL });
}

void urdf_encode(const struct armdyn_robot_description *robot, struct buffer *out)
{
  const struct armdyn_body nothing = { 0 };
  struct placed placed = { .link = rigid_identity };
  buffer_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<robot name=\"");
  xml_write_escaped(out, robot->name);
  buffer_text(out, "\" xmlns:drake=\"http://drake.mit.edu\">\n");
  if (*robot->description) xml_write_comment(out, "", robot->description);
  write_losses(out, robot);
  write_link(out, "base_link", 0, &nothing, &(struct shown){ robot, "", ARMDYN_OF_BASE, NULL });
  for (size_t i = 0; i < robot->joint_count; i++) {
    const struct armdyn_joint *joint = &robot->joints[i];
    const struct rigid before = placed.link;
    placed = robot->convention == ARMDYN_FRAMES ? place_frames(joint) : place_dh(robot->convention, joint, &before);
    struct armdyn_body body = placed.exact ? joint->link : rigid_move(&placed.link, &joint->link);
    write_joint(out, joint, i, &placed.origin, placed.axis);
    const struct shown shown = { robot, joint->name, (int)i, placed.exact ? NULL : &placed.link };
    write_link(out, "link", i + 1, &body, &shown);
  }
  write_tool(out, robot, &placed);
  for (size_t i = 0; i < robot->joint_count; i++) write_transmission(out, &robot->joints[i], i);
  buffer_text(out, "</robot>\n");
}
