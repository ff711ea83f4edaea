#include <ctype.h>
#include <libxml/parser.h>
#include <math.h>

#include "api/urdf/collisions.h"
#include "api/urdf/name.h"
#include "api/urdf/tree.h"
#include "api/urdf/urdf.h"
#include "api/urdf/visuals.h"

/* What reading one URDF needs. */
struct import {
  struct xml_reader xml;
  const struct urdf_options *options;
  struct armdyn_robot_description *robot;
  struct robot_notes *notes;
  size_t unphysical_faults;
  struct urdf_chain chain;
  size_t moves[LIMIT_URDF_LINKS];       /* of a URDF joint: its place among the model's joints, or URDF_NONE */
  struct rigid steps[LIMIT_URDF_LINKS]; /* of a URDF joint: its origin */
  struct urdf_tree tree;
};

/* -- joints -- */

/* A limit that is 0 is not known to whoever wrote it. */
static void read_rate(struct import *in, const xmlNode *node, const char *attribute, const char *pointer, double *limit)
{
  double value;
  if (!xml_numbers(&in->xml, node, attribute, "rad/s, N m; m/s, N for a slide", 1, &value)) return;
  if (value < 0)
    xml_fault(&in->xml, node, attribute, FAULT_MINIMUM, "must be >= 0, got %.17g", value);
  else if (!(value > 0))
    robot_note_add(in->notes, pointer, "zero_limit", "%s is 0 in the URDF, which is taken as not known", attribute);
  else if (value < URDF_UNLIMITED)
    *limit = value;
}

static void read_range(struct import *in, const xmlNode *node, const char *pointer, double range[2])
{
  if (!xml_attribute(node, "lower") && !xml_attribute(node, "upper")) {
    robot_note_add(in->notes, pointer, "no_position_limits", "the URDF's limit has neither lower nor upper");
    return;
  }
  double ends[2] = { 0, 0 }; /* as the specification has it */
  size_t before = in->xml.fault_count;
  xml_numbers(&in->xml, node, "lower", "rad; m for a slide", 1, &ends[0]);
  xml_numbers(&in->xml, node, "upper", "rad; m for a slide", 1, &ends[1]);
  if (in->xml.fault_count > before) return;
  if (!(ends[0] < ends[1])) {
    xml_fault(&in->xml, node, NULL, FAULT_INCONSISTENT, "lower must be < upper, got %.17g and %.17g", ends[0], ends[1]);
    return;
  }
  for (int i = 0; i < 2; i++)
    if (fabs(ends[i]) < URDF_UNLIMITED) range[i] = ends[i];
}

static void read_limits(struct import *in, const struct urdf_joint *from, size_t index, struct armdyn_limits *limits)
{
  char pointer[64];
  const xmlNode *node = xml_child(from->node, "limit");
  if (!node) return; /* the model's own warnings tell what is missing */
  snprintf(pointer, sizeof pointer, "/joints/%zu/limits/position", index);
  if (from->type != URDF_CONTINUOUS) read_range(in, node, pointer, limits->position);
  snprintf(pointer, sizeof pointer, "/joints/%zu/limits/velocity", index);
  read_rate(in, node, "velocity", pointer, &limits->velocity);
  snprintf(pointer, sizeof pointer, "/joints/%zu/limits/torque", index);
  read_rate(in, node, "effort", pointer, &limits->torque);
}

static void read_coefficient(struct import *in, const xmlNode *node, const char *attribute, const char *unit,
                             struct armdyn_directed *both)
{
  double value;
  if (!xml_numbers(&in->xml, node, attribute, unit, 1, &value)) return;
  if (value < 0)
    xml_fault(&in->xml, node, attribute, FAULT_MINIMUM, "must be >= 0, got %.17g (%s)", value, unit);
  else
    both->positive = both->negative = value;
}

static void read_axis(struct import *in, const struct urdf_joint *from, double axis[3])
{
  double u[3] = { 1, 0, 0 }; /* as the specification has it */
  const xmlNode *node = xml_child(from->node, "axis");
  if (node) {
    size_t before = in->xml.fault_count;
    xml_numbers(&in->xml, node, "xyz", NULL, 3, u);
    double length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    if (in->xml.fault_count > before) return;
    if (!(length > 0)) {
      xml_fault(&in->xml, node, "xyz", FAULT_MINIMUM, "must be a direction with a length > 0, got length %g", length);
      return;
    }
    if (fabs(length - 1) > 1e-15 * 8) /* a unit vector stays as it is, bit for bit */
      for (int i = 0; i < 3; i++) u[i] /= length;
  }
  memcpy(axis, u, sizeof u);
}

static void refuse_kind(struct import *in, const struct urdf_joint *from)
{
  const xmlNode *mimic = xml_child(from->node, "mimic");
  if (from->type == URDF_FLOATING || from->type == URDF_PLANAR)
    xml_fault(&in->xml, from->node, "type", FAULT_UNSUPPORTED,
              "joint '%.64s' is on the chain: it must be fixed, revolute, continuous or prismatic, got '%s'",
              from->name, xml_attribute(from->node, "type"));
  if (mimic)
    xml_fault(&in->xml, mimic, NULL, FAULT_UNSUPPORTED,
              "joint '%.64s' follows another one: only joints that move by themselves can be taken", from->name);
}

static void read_joint(struct import *in, const struct urdf_joint *from, size_t index, struct armdyn_joint *joint)
{
  const xmlNode *dynamics = xml_child(from->node, "dynamics");
  refuse_kind(in, from);
  memcpy(joint->name, from->name, strlen(from->name) + 1); /* its length was checked */
  joint->type = from->type == URDF_PRISMATIC ? ARMDYN_PRISMATIC : ARMDYN_REVOLUTE;
  read_axis(in, from, joint->axis);
  read_limits(in, from, index, &joint->limits);
  if (!dynamics) return;
  read_coefficient(in, dynamics, "damping", "N m s/rad; N s/m for a slide", &joint->friction.viscous);
  read_coefficient(in, dynamics, "friction", "N m; N for a slide", &joint->friction.coulomb);
}

/* The frame of the next moving joint: what fixed joints before it add up to, then its own. One origin alone stays as it was
 * written, bit for bit. */
struct stretch {
  struct rigid sum;
  struct armdyn_pose only;
  size_t count;
};

static void stretch_add(struct stretch *stretch, const struct armdyn_pose *origin)
{
  const struct rigid step = rigid_of_pose(origin);
  stretch->sum = stretch->count ? rigid_multiply(&stretch->sum, &step) : step;
  stretch->only = *origin;
  stretch->count++;
}

static struct armdyn_pose stretch_end(struct stretch *stretch)
{
  struct armdyn_pose pose = stretch->count == 1 ? stretch->only : rigid_to_pose(&stretch->sum);
  *stretch = (struct stretch){ .sum = rigid_identity };
  return pose;
}

static void read_chain(struct import *in)
{
  struct armdyn_robot_description *robot = in->robot;
  struct stretch stretch = { .sum = rigid_identity };
  for (size_t i = 0; i < in->tree.joint_count; i++) {
    in->moves[i] = URDF_NONE;
    in->steps[i] = rigid_of_pose(&in->tree.joints[i].origin);
  }
  for (size_t i = 0; i < in->chain.length; i++) {
    const struct urdf_joint *from = &in->tree.joints[in->chain.joints[i]];
    stretch_add(&stretch, &from->origin);
    if (from->type == URDF_FIXED) continue;
    if (robot->joint_count == ARMDYN_JOINTS_MAX) {
      xml_fault(&in->xml, from->node, NULL, FAULT_LENGTH, "the chain has more than %d moving joints",
                ARMDYN_JOINTS_MAX);
      return;
    }
    size_t index = robot->joint_count++;
    in->moves[in->chain.joints[i]] = index;
    robot->joints[index].frame = stretch_end(&stretch);
    read_joint(in, from, index, &robot->joints[index]);
  }
  robot->tool = stretch_end(&stretch);
  if (!robot->joint_count)
    xml_fault(&in->xml, in->tree.robot, NULL, FAULT_LENGTH, "no joint moves between the links '%.64s' and '%.64s'",
              in->tree.links[in->chain.root].name, in->tree.links[in->chain.tip].name);
}

/* -- bodies -- */

static void judge_body(struct import *in, const xmlNode *inertial, const struct armdyn_body *body)
{
  struct armdyn_error error = { "", "" };
  if (in->options->allow_unphysical || !armdyn_body_check(body, &error)) return;
  bool mass = strcmp(error.pointer, "/mass") == 0;
  xml_fault(&in->xml, xml_child(inertial, mass ? "mass" : "inertia"), mass ? "value" : NULL,
            mass ? FAULT_MINIMUM : FAULT_UNPHYSICAL, "%s", error.message);
  in->unphysical_faults++;
}

/* The numbers of <inertia>; xx, yy and zz must be there. */
static void read_inertia(struct import *in, const xmlNode *node, struct armdyn_inertia *inertia)
{
  const struct {
    const char *attribute;
    double *into;
    bool required;
  } elements[] = {
    { "ixx", &inertia->xx, true },  { "iyy", &inertia->yy, true },  { "izz", &inertia->zz, true },
    { "ixy", &inertia->xy, false }, { "ixz", &inertia->xz, false }, { "iyz", &inertia->yz, false },
  };
  for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
    if (elements[i].required && !xml_attribute(node, elements[i].attribute))
      xml_fault(&in->xml, node, NULL, FAULT_REQUIRED, "<inertia> needs the attribute %s (kg m^2)",
                elements[i].attribute);
    xml_numbers(&in->xml, node, elements[i].attribute, "kg m^2", 1, elements[i].into);
  }
}

/* A link's body in its own frame; nothing without <inertial>. */
static struct armdyn_body read_body(struct import *in, const struct urdf_link *link)
{
  struct armdyn_body body = { 0 };
  struct armdyn_pose origin = { 0 };
  const xmlNode *inertial = xml_child(link->node, "inertial");
  if (!inertial) return body;
  size_t before = in->xml.fault_count;
  const xmlNode *place = xml_child(inertial, "origin"), *mass = xml_child(inertial, "mass");
  const xmlNode *inertia = xml_child(inertial, "inertia");
  if (place) {
    xml_numbers(&in->xml, place, "xyz", "m", 3, origin.translation);
    xml_numbers(&in->xml, place, "rpy", "rad", 3, origin.rpy);
  }
  if (!mass || !xml_attribute(mass, "value"))
    xml_fault(&in->xml, inertial, NULL, FAULT_REQUIRED, "<inertial> needs <mass value=\"...\"/> (kg)");
  else
    xml_numbers(&in->xml, mass, "value", "kg", 1, &body.mass);
  if (inertia)
    read_inertia(in, inertia, &body.inertia);
  else
    xml_fault(&in->xml, inertial, NULL, FAULT_REQUIRED, "<inertial> needs <inertia .../> (kg m^2)");
  if (in->xml.fault_count > before) return body;
  judge_body(in, inertial, &body);
  bool turned = fabs(origin.rpy[0]) > 0 || fabs(origin.rpy[1]) > 0 || fabs(origin.rpy[2]) > 0;
  const struct rigid frame = rigid_of_pose(&origin);
  if (turned) return rigid_move(&frame, &body);
  memcpy(body.com, origin.translation, sizeof body.com);
  return body;
}

/* What carries a link: climb over fixed joints to a joint that moves.
 *   frame  out  of the link, in the link of that joint; the identity when no fixed joint lies between (*merged false)
 * The joint, or URDF_NONE when the link is fixed to the base. */
static size_t carrier(const struct import *in, size_t link, struct rigid *frame, bool *merged)
{
  *frame = rigid_identity;
  *merged = false;
  for (;;) {
    size_t joint = in->tree.links[link].joint;
    if (joint == URDF_NONE || link == in->chain.root || in->tree.joints[joint].type != URDF_FIXED)
      return link == in->chain.root ? URDF_NONE : joint;
    *frame = rigid_multiply(&in->steps[joint], frame);
    *merged = true;
    link = in->tree.joints[joint].parent;
  }
}

/* Every link's body goes to the joint of the chain that carries it; what moves beside the chain is left out. */
static void read_bodies(struct import *in)
{
  for (size_t i = 0; i < in->tree.link_count; i++) {
    struct rigid frame;
    bool merged;
    size_t joint = carrier(in, i, &frame, &merged);
    if (joint == URDF_NONE) continue;
    size_t index = in->moves[joint];
    if (index == URDF_NONE) {
      bool first = in->tree.joints[joint].child == i;
      size_t below = in->tree.joints[joint].parent;
      size_t on = carrier(in, below, &frame, &merged);
      if (first && on != URDF_NONE && in->moves[on] != URDF_NONE) {
        char pointer[64];
        snprintf(pointer, sizeof pointer, "/joints/%zu/link", in->moves[on]);
        robot_note_add(in->notes, pointer, "left_out",
                       "joint '%.64s' moves beside the chain; it and what it carries are left out",
                       in->tree.joints[joint].name);
      }
      continue;
    }
    struct armdyn_body body = read_body(in, &in->tree.links[i]);
    if (merged) body = rigid_move(&frame, &body);
    body_join(&in->robot->joints[index].link, &body);
    if (!merged && !xml_child(in->tree.links[i].node, "inertial")) {
      char pointer[64];
      snprintf(pointer, sizeof pointer, "/joints/%zu/link", index);
      robot_note_add(in->notes, pointer, "no_inertial", "link '%.64s' has no <inertial> in the URDF: it is massless",
                     in->tree.links[i].name);
    }
  }
}

/* -- visuals and what collides -- */

/* Is a link that nothing moves part of the base? Else it is above the chain's root. */
static bool is_below_root(const struct import *in, size_t link)
{
  while (link != in->chain.root && in->tree.links[link].joint != URDF_NONE)
    link = in->tree.joints[in->tree.links[link].joint].parent;
  return link == in->chain.root;
}

/* The base's first, then each joint's, as an export writes them. */
static void read_shapes(struct import *in)
{
  struct armdyn_robot_description *robot = in->robot;
  for (size_t body = 0; body <= robot->joint_count; body++) {
    for (size_t i = 0; i < in->tree.link_count; i++) {
      struct rigid frame;
      bool merged;
      const xmlNode *link = in->tree.links[i].node;
      if (!xml_child(link, "visual") && !xml_child(link, "collision")) continue;
      const size_t carrying = carrier(in, i, &frame, &merged);
      const bool here = carrying == URDF_NONE ? !body && is_below_root(in, i) : in->moves[carrying] + 1 == body && body;
      if (!here) continue;
      const struct visual_place place = { body ? robot->joints[body - 1].name : "", merged ? &frame : NULL };
      const struct collision_place solid = { (int)body - 1, place.frame };
      urdf_visuals_read(in->tree.robot, link, &place, robot, in->notes);
      urdf_collisions_read(link, &solid, robot, in->notes);
    }
  }
}

/* -- transmissions -- */

static void read_ratio(struct import *in, const xmlNode *node, const char *attribute, double *ratio)
{
  double value;
  if (!node || !xml_numbers(&in->xml, node, attribute, "motor rad per joint rad; rad/m for a slide", 1, &value)) return;
  if (fabs(value) > 0)
    *ratio = value;
  else
    xml_fault(&in->xml, node, attribute, FAULT_MINIMUM, "must not be 0");
}

/* <mechanicalReduction> stood in the joint before it stood in the actuator. */
static void read_drive(struct import *in, const xmlNode *joint, const xmlNode *actuator, struct armdyn_drive *drive)
{
  const xmlNode *rotor = xml_child(actuator, "drake:rotor_inertia");
  double inertia;
  read_ratio(in, xml_child(joint, "mechanicalReduction"), NULL, &drive->gear_ratio);
  read_ratio(in, xml_child(actuator, "mechanicalReduction"), NULL, &drive->gear_ratio);
  read_ratio(in, xml_child(actuator, "drake:gear_ratio"), "value", &drive->gear_ratio);
  if (!rotor || !xml_numbers(&in->xml, rotor, "value", "kg m^2", 1, &inertia)) return;
  if (inertia < 0)
    xml_fault(&in->xml, rotor, "value", FAULT_MINIMUM, "must be >= 0, got %.17g (kg m^2)", inertia);
  else
    drive->rotor_inertia = inertia;
}

static void read_transmissions(struct import *in)
{
  const xmlNode *node = xml_child(in->tree.robot, "transmission");
  for (; node; node = xml_next(node, "transmission")) {
    const xmlNode *joint = xml_child(node, "joint"), *actuator = xml_child(node, "actuator");
    const char *name = joint ? xml_attribute(joint, "name") : NULL;
    if (!name) continue; /* other kinds of transmission */
    size_t k = 0;
    while (k < in->robot->joint_count && strcmp(in->robot->joints[k].name, name)) k++;
    if (k == in->robot->joint_count) continue; /* of a joint off the chain */
    if (xml_next(joint, "joint") || (actuator && xml_next(actuator, "actuator")))
      xml_fault(&in->xml, node, NULL, FAULT_UNSUPPORTED,
                "a transmission that couples joints cannot be taken; state it as transmission matrix of the model");
    else
      read_drive(in, joint, actuator, &in->robot->joints[k].drive);
  }
}

/* -- the robot -- */

static void read_name(struct import *in)
{
  const char *own = xml_attribute(in->tree.robot, "name"), *asked = in->options->name;
  char *name = in->robot->name;
  if (asked) {
    size_t length = strlen(asked);
    bool legal = length && length < ARMDYN_NAME_SIZE && isalnum((unsigned char)*asked);
    for (const char *c = asked; *c; c++) legal &= urdf_name_has(*c);
    if (legal) {
      memcpy(name, asked, length + 1);
    } else {
      fault_add(
          in->xml.faults, FAULT_AT_PARAMETER, "name", FAULT_PATTERN,
          "must be lower-case letters, digits, '.', '_' and '-', 1 to 64 of them, the first one a letter or digit, "
          "got '%.64s'",
          asked);
      in->xml.fault_count++;
    }
    return;
  }
  urdf_name_make(own ? own : "", own ? strlen(own) : 0, name);
  if (!*name)
    xml_fault(&in->xml, in->tree.robot, own ? "name" : NULL, FAULT_REQUIRED,
              "no name can be made of '%.64s': state one, ?name=", own ? own : "");
}

static void describe(struct import *in)
{
  snprintf(in->robot->description, sizeof in->robot->description, "URDF, link %s to link %s",
           in->tree.links[in->chain.root].name, in->tree.links[in->chain.tip].name);
}

/* The library has the final say, as it has over models in JSON. */
static enum armdyn_status final_check(struct import *in)
{
  struct armdyn_robot *built = NULL;
  struct armdyn_error error = { "", "" };
  enum armdyn_status status = armdyn_robot_new(in->robot, &built, &error);
  armdyn_robot_free(built);
  if (status && status != ARMDYN_EMEMORY)
    xml_fault(&in->xml, in->tree.robot, NULL, FAULT_INCONSISTENT, "the model has at %s: %s", error.pointer,
              error.message);
  return status;
}

static enum armdyn_status read_robot(struct import *in, const xmlNode *root)
{
  if (!urdf_tree_read(&in->xml, root, &in->tree)) return ARMDYN_EINPUT;
  if (!urdf_chain_choose(&in->xml, &in->tree, in->options->root, in->options->tip, &in->chain)) return ARMDYN_EINPUT;
  in->robot->convention = ARMDYN_FRAMES;
  read_name(in);
  describe(in);
  read_chain(in);
  read_bodies(in);
  read_shapes(in);
  read_transmissions(in);
  if (!in->xml.fault_count) return final_check(in);
  return in->xml.fault_count == in->unphysical_faults ? ARMDYN_EUNPHYSICAL : ARMDYN_EINPUT;
}

static bool is_unphysical(const struct armdyn_robot_description *robot)
{
  for (size_t i = 0; i < robot->joint_count; i++)
    if (armdyn_body_check(&robot->joints[i].link, NULL)) return true;
  return false;
}

enum armdyn_status urdf_decode(const char *text, size_t length, const struct urdf_options *options,
                               struct armdyn_robot_description *robot, bool *unphysical, struct robot_notes *notes,
                               struct faults *faults)
{
  xmlDoc *doc = NULL;
  enum armdyn_status status = ARMDYN_EMEMORY;
  struct import *in = malloc(sizeof *in);
  if (!in) return status;
  in->xml = (struct xml_reader){ .faults = faults };
  in->options = options;
  in->robot = robot;
  in->notes = notes;
  in->unphysical_faults = 0;
  armdyn_robot_description_init(robot);
  status = xml_parse(&in->xml, text, length, &doc);
  if (!status) status = read_robot(in, xmlDocGetRootElement(doc));
  if (!status && unphysical) *unphysical = is_unphysical(robot);
  xmlFreeDoc(doc);
  free(in);
  return status;
}
