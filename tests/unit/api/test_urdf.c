/* URDFs: what they say is computed to the numbers of other people's libraries; what is exported is the same arm. */
#include <criterion/criterion.h>

#include "api/codec/robot.h"
#include "api/urdf/rigid.h"
#include "api/urdf/shapes.h"
#include "api/urdf/urdf.h"
#include "armdyn/dynamics.h"
#include "tests/support/robots.h"

enum { N = ARMDYN_JOINTS_MAX };
static const struct urdf_options plain = { NULL, NULL, NULL, false }, lenient = { NULL, NULL, NULL, true };

static enum armdyn_status decode(const char *text, size_t length, const struct urdf_options *options,
                                 struct armdyn_robot_description *robot)
{
  static struct faults faults;
  bool unphysical;
  faults.count = 0;
  enum armdyn_status status = urdf_decode(text, length, options, robot, &unphysical, NULL, &faults);
  if (status) cr_log_info("%s line %zu: %s", faults.items[0].where, faults.items[0].line, faults.items[0].detail);
  return status;
}

static char *file_text(const char *path, size_t *length)
{
  static char text[1 << 16];
  FILE *file = fopen(path, "rb");
  cr_assert(file, "%s cannot be read", path);
  *length = fread(text, 1, sizeof text, file);
  fclose(file);
  return text;
}

static void torques(const struct armdyn_robot_description *robot, const double *q, const double *qd, const double *qdd,
                    bool frictionless, double *tau, double *tool)
{
  struct armdyn_robot *built = NULL;
  struct armdyn_error error = { "", "" };
  const struct armdyn_load load = { .frictionless = frictionless };
  cr_assert_eq(armdyn_robot_new(robot, &built, &error), ARMDYN_OK, "%s %s", error.pointer, error.message);
  struct armdyn_workspace *workspace = armdyn_workspace_new(robot->joint_count);
  armdyn_inverse_dynamics(built, q, qd, qdd, &load, workspace, tau);
  armdyn_forward_kinematics(built, q, workspace, tool, NULL);
  armdyn_workspace_free(workspace);
  armdyn_robot_free(built);
}

static void same(const double *got, const double *wanted, size_t count, double most, const char *what)
{
  double largest = 1e-6;
  for (size_t k = 0; k < count; k++) largest = fmax(largest, fabs(wanted[k]));
  for (size_t k = 0; k < count; k++)
    cr_assert_leq(fabs(got[k] - wanted[k]), most * largest, "%s: [%zu] is %.17g, not %.17g", what, k, got[k],
                  wanted[k]);
}

/* -- a Denavit-Hartenberg arm written as URDF by hand: only shifts and turns about one axis at a time, the rest is left to
 * fixed joints -- */

static void write_fixed(struct buffer *out, size_t number, double x, double roll)
{
  buffer_format(out,
                "<joint name=\"f%zu\" type=\"fixed\"><origin xyz=\"%.17g 0 0\" rpy=\"%.17g 0 0\"/>"
                "<parent link=\"a%zu\"/><child link=\"b%zu\"/></joint>",
                number, x, roll, number, number);
}

static void write_moving(struct buffer *out, const struct armdyn_joint *joint, const char *from, size_t number,
                         const char *to, size_t next)
{
  const bool turns = joint->type == ARMDYN_REVOLUTE;
  buffer_format(out,
                "<joint name=\"%s\" type=\"%s\"><origin xyz=\"0 0 %.17g\" rpy=\"0 0 %.17g\"/><axis xyz=\"0 0 1\"/>"
                "<parent link=\"%s%zu\"/><child link=\"%s%zu\"/></joint>"
                "<transmission><joint name=\"%s\"/><actuator><drake:gear_ratio value=\"%.17g\"/>"
                "<drake:rotor_inertia value=\"%.17g\"/></actuator></transmission>",
                joint->name, turns ? "continuous" : "prismatic", joint->d + (turns ? 0 : joint->offset),
                joint->theta + (turns ? joint->offset : 0), from, number, to, next, joint->name,
                joint->drive.gear_ratio, joint->drive.rotor_inertia);
}

static void write_body(struct buffer *out, const char *letter, size_t number, const struct armdyn_body *body)
{
  const struct armdyn_inertia *I = &body->inertia;
  buffer_format(out,
                "<link name=\"%s%zu\"><inertial><origin xyz=\"%.17g %.17g %.17g\"/><mass value=\"%.17g\"/>"
                "<inertia ixx=\"%.17g\" iyy=\"%.17g\" izz=\"%.17g\" ixy=\"%.17g\" ixz=\"%.17g\" iyz=\"%.17g\"/>"
                "</inertial></link>",
                letter, number, body->com[0], body->com[1], body->com[2], body->mass, I->xx, I->yy, I->zz, I->xy, I->xz,
                I->yz);
}

/* dh: b0 -joint-> a1 -fixed-> b1 ...; mdh: a0 -fixed-> b0 -joint-> a1 -fixed-> b1 ... */
static void write_by_hand(struct buffer *out, const struct armdyn_robot_description *robot)
{
  const bool mdh = robot->convention == ARMDYN_MDH;
  buffer_text(out, "<robot name=\"by hand\" xmlns:drake=\"x\">");
  buffer_text(out, mdh ? "<link name=\"a0\"/>" : "<link name=\"b0\"/>");
  for (size_t i = 0; i < robot->joint_count; i++) {
    const struct armdyn_joint *joint = &robot->joints[i];
    if (mdh) {
      write_fixed(out, i, joint->a, joint->alpha);
      buffer_format(out, "<link name=\"b%zu\"/>", i);
      write_moving(out, joint, "b", i, "a", i + 1);
      write_body(out, "a", i + 1, &joint->link);
    } else {
      write_moving(out, joint, "b", i, "a", i + 1);
      buffer_format(out, "<link name=\"a%zu\"/>", i + 1);
      write_fixed(out, i + 1, joint->a, joint->alpha);
      write_body(out, "b", i + 1, &joint->link);
    }
  }
  const double *t = robot->tool.translation, *r = robot->tool.rpy;
  buffer_format(out,
                "<joint name=\"tool\" type=\"fixed\"><origin xyz=\"%.17g %.17g %.17g\" rpy=\"%.17g %.17g %.17g\"/>"
                "<parent link=\"%s%zu\"/><child link=\"t0\"/></joint>",
                t[0], t[1], t[2], r[0], r[1], r[2], mdh ? "a" : "b", robot->joint_count);
  write_body(out, "t", 0, &robot->payload);
  buffer_text(out, "</robot>");
}

/* What URDF cannot say is taken from the original. */
static void complete(struct armdyn_robot_description *robot, const struct armdyn_robot_description *from)
{
  memcpy(robot->gravity, from->gravity, sizeof robot->gravity);
  for (size_t i = 0; i < robot->joint_count; i++) {
    robot->joints[i].friction = from->joints[i].friction;
    robot->joints[i].velocity_scale = from->joints[i].velocity_scale;
  }
}

Test(urdf, torques_are_those_of_other_libraries)
{
  static const char *const names[] = { "puma560", "scara", "prismatic_dh", "prismatic_mdh" };
  static struct armdyn_robot_description original, robot;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char path[128];
    struct buffer text = BUFFER(MB(1));
    snprintf(path, sizeof path, "tests/data/vectors/%s.json", names[i]);
    cJSON *json = json_load(path);
    description_from_json(cJSON_GetObjectItemCaseSensitive(json, "robot"), &original);
    write_by_hand(&text, &original);
    cr_assert_eq(decode(text.data, text.length, &lenient, &robot), ARMDYN_OK, "%s", names[i]);
    cr_assert_eq(robot.joint_count, original.joint_count);
    cr_assert_str_eq(robot.name, "by-hand");
    complete(&robot, &original);
    const cJSON *state = cJSON_GetObjectItemCaseSensitive(json, "states")->child;
    for (; state; state = state->next) {
      double q[N], qd[N], qdd[N], tau[N], wanted[N], tool[16], pose[16];
      json_field(state, "q", q, N), json_field(state, "qd", qd, N), json_field(state, "qdd", qdd, N);
      torques(&robot, q, qd, qdd, false, tau, tool);
      same(tau, wanted, json_field(state, "tau", wanted, N), 1e-9, names[i]);
      same(tool, pose, json_field(state, "T_tool", pose, 16), 1e-9, names[i]);
    }
    cJSON_Delete(json);
    buffer_release(&text);
  }
}

/* Arms of every convention, with everything that URDF can carry. */
Test(urdf, export_is_the_same_arm)
{
  static struct armdyn_robot_description original, robot;
  struct dice dice = { 7 };
  for (size_t n = 1; n <= ARMDYN_JOINTS_MAX; n += n < 9 ? 1 : 7) {
    for (int convention = 0; convention < 3; convention++) {
      double q[N], qd[N], qdd[N], tau[N], wanted[N], tool[16], pose[16];
      random_description(&dice, &original, n, (enum armdyn_convention)convention);
      original.has_transmission = false;
      snprintf(original.name, sizeof original.name, "arm");
      for (size_t i = 0; i < n; i++)
        snprintf(original.joints[i].name, sizeof original.joints[i].name, "a<%zu>&\"--\xc3\xa9", i);
      struct buffer text = BUFFER(MB(1));
      urdf_encode(&original, &text);
      cr_assert(buffer_ok(&text));
      cr_assert_eq(decode(text.data, text.length, &plain, &robot), ARMDYN_OK, "%s", text.data);
      cr_assert_eq(robot.joint_count, n);
      for (size_t i = 0; i < n; i++) cr_assert_str_eq(robot.joints[i].name, original.joints[i].name);
      dice_fill(&dice, q, n, -3, 3), dice_fill(&dice, qd, n, -2, 2), dice_fill(&dice, qdd, n, -5, 5);
      complete(&robot, &original);
      torques(&original, q, qd, qdd, false, wanted, pose);
      torques(&robot, q, qd, qdd, false, tau, tool);
      same(tau, wanted, n, 1e-12 * (double)n, "tau");
      same(tool, pose, 16, 1e-12, "tool");
      cr_assert(strstr(text.data, "not in URDF: gravity") &&
                strstr(text.data, "not in URDF: the term stribeck of friction"));
      buffer_release(&text);
    }
  }
}

/* Where a visual is seen, at q, and what of it: the frame of a mesh behind that of its link, and its scale; that of a shape,
 * and its numbers. A sphere looks the same however it is turned. */
static void seen_at(const struct armdyn_robot_description *robot, const double *q, size_t visual, double at[16])
{
  static double links[16 * N];
  double tool[16];
  const struct armdyn_visual *v = &robot->visuals[visual];
  struct armdyn_robot *built = NULL;
  size_t k = 0;
  cr_assert_eq(armdyn_robot_new(robot, &built, NULL), ARMDYN_OK);
  struct armdyn_workspace *workspace = armdyn_workspace_new(robot->joint_count);
  armdyn_forward_kinematics(built, q, workspace, tool, links);
  armdyn_workspace_free(workspace);
  armdyn_robot_free(built);
  while (k < robot->joint_count && strcmp(robot->joints[k].name, v->joint)) k++;
  struct rigid link = rigid_identity;
  const struct armdyn_pose pose = *v->mesh ? v->frame : urdf_shape_pose(&v->shape);
  const struct rigid frame = rigid_of_pose(&pose);
  for (int i = 0; *v->joint && i < 3; i++) {
    memcpy(link.r + 3 * i, links + 16 * k + 4 * i, 3 * sizeof(double));
    link.p[i] = links[16 * k + 4 * (size_t)i + 3];
  }
  struct rigid sum = rigid_multiply(&link, &frame);
  const bool is_sphere = !*v->mesh && v->shape.kind == ARMDYN_SPHERE;
  if (is_sphere) memcpy(sum.r, rigid_identity.r, sizeof sum.r);
  memcpy(at, sum.r, sizeof sum.r);
  memcpy(at + 9, sum.p, sizeof sum.p);
  memcpy(at + 12, *v->mesh ? v->scale : v->shape.size, sizeof v->scale);
  if (!*v->mesh) at[12] += v->shape.radius + 10 * (int)v->shape.kind;
  at[15] = v->has_color ? v->color[0] + 2 * v->color[3] : -1;
}

/* Arms of every convention: a mesh or a shape stays where it was, whatever frames its link has in the URDF. */
Test(urdf, visuals_stay_where_they_are)
{
  static struct armdyn_robot_description original, robot;
  struct dice dice = { 11 };
  for (size_t n = 1; n <= 31; n += 6) {
    for (int convention = 0; convention < 3; convention++) {
      double q[N], at[16], wanted[16];
      random_description(&dice, &original, n, (enum armdyn_convention)convention);
      original.has_transmission = false;
      snprintf(original.name, sizeof original.name, "arm");
      for (size_t i = 0; i < n; i++) snprintf(original.joints[i].name, sizeof original.joints[i].name, "j%zu", i);
      random_visuals(&dice, &original);
      struct buffer text = BUFFER(MB(1));
      urdf_encode(&original, &text);
      cr_assert(buffer_ok(&text));
      cr_assert_eq(decode(text.data, text.length, &plain, &robot), ARMDYN_OK, "%s", text.data);
      cr_assert_eq(robot.visual_count, original.visual_count);
      dice_fill(&dice, q, n, -3, 3);
      for (size_t i = 0; i < robot.visual_count; i++) {
        cr_assert_str_eq(robot.visuals[i].joint, original.visuals[i].joint);
        cr_assert_str_eq(robot.visuals[i].mesh, original.visuals[i].mesh);
        cr_assert_str_eq(robot.visuals[i].reference, original.visuals[i].reference);
        seen_at(&original, q, i, wanted), seen_at(&robot, q, i, at);
        same(at, wanted, 16, 1e-12, original.visuals[i].reference);
      }
      buffer_release(&text);
    }
  }
}

Test(urdf, seven_axes_go_round_and_round_bit_for_bit)
{
  static struct armdyn_robot_description first, second;
  size_t length;
  const char *text = file_text("tests/data/urdf/seven_axes.urdf", &length);
  const struct urdf_options to_flange = { "seven", NULL, "flange", false };
  cr_assert_eq(decode(text, length, &plain, &first), ARMDYN_EINPUT); /* camera or flange? */
  cr_assert_eq(decode(text, length, &to_flange, &first), ARMDYN_OK);
  cr_assert_eq(first.joint_count, 7);
  struct buffer out = BUFFER(MB(1));
  urdf_encode(&first, &out);
  cr_assert_eq(decode(out.data, out.length, &plain, &second), ARMDYN_OK, "%s", out.data);
  memcpy(second.description, first.description, sizeof first.description);
  cr_assert_eq(memcmp(&first, &second, sizeof first), 0, "%s", out.data);
  buffer_release(&out);
}

/* The same arm summed up by hand: mass, moments about one point, and the potential energy at rest. */
Test(urdf, fixed_links_are_merged)
{
  static struct armdyn_robot_description robot;
  size_t length;
  const char *text = file_text("tests/data/urdf/seven_axes.urdf", &length);
  cr_assert_eq(decode(text, length, &(struct urdf_options){ NULL, "base", "flange", false }, &robot), ARMDYN_OK);
  const struct armdyn_joint *lift = &robot.joints[1], *roll = &robot.joints[2], *elbow = &robot.joints[3];
  cr_assert_float_eq(lift->link.mass, 3.1 + 0.35 + 0.12, 1e-15);
  cr_assert_float_eq(roll->link.mass, 2.6 + 0.4, 1e-15);
  /* the plate's centre is where the fixed joint puts it: (2.6 (0, -.02, .12) + .4 (0, 0, .19)) / 3 */
  cr_assert_float_eq(roll->link.com[1], -2.6 * 0.02 / 3, 1e-15);
  cr_assert_float_eq(roll->link.com[2], (2.6 * 0.12 + 0.4 * 0.19) / 3, 1e-15);
  /* the elbow's origin: (0, 0, .19) + Rz(.25) Rx(pi/2) (.01, 0, 0) */
  cr_assert_float_eq(elbow->frame.translation[0], 0.01 * cos(0.25), 1e-15);
  cr_assert_float_eq(elbow->frame.translation[1], 0.01 * sin(0.25), 1e-15);
  cr_assert_float_eq(elbow->frame.translation[2], 0.19, 1e-15);
  cr_assert(lift->axis[1] == -1 && robot.joints[6].axis[0] == 1);
  cr_assert_float_eq(lift->drive.gear_ratio, -100, 0);
  cr_assert_float_eq(robot.joints[0].drive.gear_ratio, 100, 0);
  cr_assert_float_eq(robot.joints[0].drive.rotor_inertia, 1.2e-4, 0);
  cr_assert(isinf(roll->limits.position[0]) && isinf(roll->limits.position[1]));
  cr_assert(robot.joints[0].limits.position[1] == 2.9 && robot.joints[4].limits.position[1] == 0.25);
  cr_assert(robot.joints[0].friction.viscous.positive == 1.5 && robot.joints[0].friction.coulomb.negative == 0.8);
  cr_assert(robot.tool.translation[0] == 0.06 && robot.joints[4].type == ARMDYN_PRISMATIC);
  /* trace of the inertia does not turn: of the shoulder as written */
  const struct armdyn_inertia *I = &robot.joints[0].link.inertia;
  cr_assert_float_eq(I->xx + I->yy + I->zz, 0.021 + 0.018 + 0.012, 1e-15);
}
