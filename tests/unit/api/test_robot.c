/* Robot models: catalogue arms as another JSON reader sees them, random arms round and round, and everything that is
 * refused, with its pointer. */
#include <criterion/criterion.h>

#include "api/codec/robot.h"
#include "tests/support/robots.h"

static char *text_of(const char *path, size_t *length)
{
  cJSON *root = json_load(path);
  const cJSON *inner = cJSON_GetObjectItem(root, "robot");
  char *text = cJSON_Print(inner ? inner : root);
  cJSON_Delete(root);
  *length = strlen(text);
  return text;
}

/* The models of tests/data, against the same files read by cJSON, field by field. */
Test(robot, catalogue_models_are_read_as_they_are_written)
{
  static const char *const paths[] = { "tests/data/vectors/puma560.json", "tests/data/vectors/scara.json",
                                       "tests/data/vectors/prismatic_dh.json",
                                       "tests/data/vectors/prismatic_mdh.json" };
  static struct armdyn_robot_description ours, theirs;
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
    size_t length;
    char *text = text_of(paths[i], &length);
    cJSON *root = cJSON_Parse(text);
    cr_assert_eq(robot_decode(text, length, true, &ours, NULL, NULL), ARMDYN_OK, "%s", paths[i]);
    description_from_json(root, &theirs);
    memcpy(theirs.description, ours.description, sizeof ours.description);
    for (size_t j = 0; j < ours.joint_count; j++) memcpy(theirs.joints[j].name, ours.joints[j].name, ARMDYN_NAME_SIZE);
    cr_assert_eq(memcmp(&ours, &theirs, sizeof ours), 0, "%s", paths[i]);
    cr_assert_str_eq(ours.description, cJSON_GetObjectItem(root, "description")->valuestring);
    cJSON_Delete(root);
    free(text);
  }
}

/* What its convention does not use is as it is by default. */
static void forget_other_convention(struct armdyn_robot_description *robot)
{
  struct armdyn_joint plain;
  armdyn_joint_init(&plain);
  for (size_t i = 0; i < robot->joint_count; i++) {
    struct armdyn_joint *joint = &robot->joints[i];
    snprintf(joint->name, sizeof joint->name, "axis %zu \xc3\xa9\"\\", i);
    if (robot->convention == ARMDYN_FRAMES) {
      joint->a = joint->alpha = joint->d = joint->theta = 0;
    } else {
      joint->frame = plain.frame;
      memcpy(joint->axis, plain.axis, sizeof plain.axis);
    }
  }
  for (size_t k = robot->joint_count * robot->joint_count; k < ARMDYN_JOINTS_MAX * ARMDYN_JOINTS_MAX; k++)
    robot->transmission[k] = 0;
  if (!robot->has_transmission) memset(robot->transmission, 0, sizeof robot->transmission);
}

Test(robot, decoding_inverts_encoding_bit_for_bit)
{
  static struct armdyn_robot_description robot, again;
  static struct faults faults;
  struct dice dice = { 3 };
  for (size_t n = 1; n <= ARMDYN_JOINTS_MAX; n++) {
    random_description(&dice, &robot, n, (enum armdyn_convention)(n % 3));
    snprintf(robot.name, sizeof robot.name, "arm-%zu", n);
    snprintf(robot.description, sizeof robot.description, "line\n\ttab \xe2\x82\xac");
    forget_other_convention(&robot);
    if (n % 2) robot.joints[0].limits = (struct armdyn_limits){ { -1, 2.5 }, 1, 2, INFINITY, 4, 5 };
    if (n % 5 == 0) robot.joints[n - 1].drive.efficiency = 0.9;
    if (n % 4 == 0)
      robot.joints[n - 1].friction = (struct armdyn_friction){
        .stiction = NAN, .stribeck_velocity = NAN, .stribeck_exponent = 2, .viscous = { 2, 2 }
      };
    if (n % 3) random_visuals(&dice, &robot);
    struct buffer text = BUFFER(MB(1));
    robot_encode(&robot, &text);
    bool unphysical;
    cr_assert_eq(robot_decode(text.data, text.length, false, &again, &unphysical, &faults), ARMDYN_OK, "%s %s",
                 faults.items[0].where, faults.items[0].detail);
    cr_assert(!unphysical);
    cr_assert_eq(memcmp(&robot, &again, sizeof robot), 0, "%zu joints: %s", n, text.data);
    buffer_release(&text);
  }
}

/* As the store's row of a revision is written. */
static void write_row(struct json_writer *w, const void *unphysical)
{
  json_key(w, "revision"), json_write_integer(w, 7);
  json_key(w, "created_at"), json_write_text(w, "2025-01-31T12:00:00Z");
  json_key(w, "unphysical"), json_write_truth(w, *(const bool *)unphysical);
}

/* A PUT may be what its GET answered. */
Test(robot, the_resource_carries_read_only_fields_that_are_ignored_on_the_way_back)
{
  static struct armdyn_robot_description robot, again;
  size_t length;
  char *text = text_of("tests/data/vectors/puma560.json", &length);
  cr_assert_eq(robot_decode(text, length, true, &robot, NULL, NULL), ARMDYN_OK);
  struct buffer out = BUFFER(MB(1));
  const struct robot_resource resource = { .robot = &robot, .write_row = write_row, .row = &(bool){ true } };
  robot_resource_encode(&resource, &out);
  cJSON *root = cJSON_Parse(out.data), *warning;
  cr_assert_eq(cJSON_GetObjectItem(root, "revision")->valueint, 7);
  cr_assert(cJSON_IsTrue(cJSON_GetObjectItem(root, "unphysical")));
  /* links 1 and 3 break the triangle inequality as published, and nothing else is suspicious; it has no limits */
  const cJSON *warnings = cJSON_GetObjectItem(root, "warnings");
  int unphysical = 0, limitless = 0;
  cJSON_ArrayForEach (warning, warnings) {
    unphysical += !strcmp(cJSON_GetObjectItem(warning, "code")->valuestring, "unphysical");
    limitless += !strcmp(cJSON_GetObjectItem(warning, "code")->valuestring, "missing_limits");
  }
  cr_assert(unphysical == 2 && limitless == 6 && cJSON_GetArraySize(warnings) == 8, "%s", out.data);
  cr_assert_str_eq(cJSON_GetObjectItem(warnings->child, "pointer")->valuestring, "/joints/0/link/inertia");
  cr_assert_eq(robot_decode(out.data, out.length, true, &again, NULL, NULL), ARMDYN_OK);
  cr_assert_eq(memcmp(&robot, &again, sizeof robot), 0);
  cJSON_Delete(root);
  buffer_release(&out);
  free(text);
}

Test(robot, defaults)
{
  static const char text[] =
      "{\"name\":\"a\",\"convention\":\"mdh\",\"joints\":[{\"type\":\"revolute\",\"link\":{\"mass\":1}},"
      "{\"name\":\"x\",\"type\":\"prismatic\",\"link\":{\"mass\":1},\"limits\":{\"torque\":null},\"friction\":{"
      "\"coulomb\":2,\"viscous\":{\"positive\":1,\"negative\":3}}},"
      "{\"type\":\"revolute\",\"link\":{\"mass\":0},\"drive\":null}]}";
  static struct armdyn_robot_description robot;
  cr_assert_eq(robot_decode(text, sizeof text - 1, false, &robot, NULL, NULL), ARMDYN_OK);
  cr_assert_str_eq(robot.joints[0].name, "j1");
  cr_assert_str_eq(robot.joints[1].name, "x");
  cr_assert_str_eq(robot.joints[2].name, "j3");
  cr_assert_eq(robot.gravity[2], -9.81);
  cr_assert_eq(robot.joints[0].limits.velocity, INFINITY);
  cr_assert_eq(robot.joints[1].limits.torque, INFINITY);
  cr_assert_eq(robot.joints[0].velocity_scale, 1e-3);
  cr_assert_eq(robot.joints[2].drive.gear_ratio, 1);
  cr_assert(isnan(robot.joints[2].drive.torque_constant) && isnan(robot.joints[1].friction.stiction));
  cr_assert(robot.joints[1].friction.coulomb.positive == 2 && robot.joints[1].friction.coulomb.negative == 2);
  cr_assert(robot.joints[1].friction.viscous.positive == 1 && robot.joints[1].friction.viscous.negative == 3);
  cr_assert(!robot.has_transmission);
}

/* Each case puts one piece of text into an otherwise good arm of two joints. */
static const struct {
  const char *robot, *joint; /* further members of the robot, of joint 2 */
  const char *pointer;
  enum fault_code code;
} refusals[] = {
  { ",\"gravity\":[0,0]", "", "/gravity", FAULT_LENGTH },
  { ",\"gravty\":[0,0,1]", "", "/gravty", FAULT_UNKNOWN },
  { ",\"units\":5", "", "/units", FAULT_TYPE },
  { ",\"units\":{\"length\":\"furlong\"}", "", "/units/length", FAULT_ENUM },
  { ",\"units\":{\"force\":\"lbf\"}", "", "/units/force", FAULT_UNKNOWN },
  { ",\"products_of_inertia\":\"negative\"", "", "/products_of_inertia", FAULT_ENUM },
  { ",\"name\":\"b\"", "", "/name", FAULT_DUPLICATE },
  { ",\"description\":5", "", "/description", FAULT_TYPE },
  { ",\"transmission\":{}", "", "/transmission/matrix", FAULT_REQUIRED },
  { ",\"transmission\":{\"matrix\":[[1,0]]}", "", "/transmission/matrix", FAULT_LENGTH },
  { ",\"transmission\":{\"matrix\":[[1,0],[1]]}", "", "/transmission/matrix/1", FAULT_LENGTH },
  { ",\"transmission\":{\"matrix\":[[1,0],[1,\"a\"]]}", "", "/transmission/matrix/1/1", FAULT_TYPE },
  { ",\"transmission\":{\"matrix\":[[1,0],[2,0]]}", "", "/transmission/matrix", FAULT_INCONSISTENT },
  { ",\"tool\":{\"translation\":[0,0,0],\"quaternion\":[1,0,0,0]}", "", "/tool/quaternion", FAULT_UNKNOWN },
  { ",\"payload\":{\"com\":[0,0,0]}", "", "/payload/mass", FAULT_REQUIRED },
  { ",\"payload\":{\"mass\":-1}", "", "/payload/mass", FAULT_MINIMUM },
  { "", ",\"mass\":1", "/joints/1/mass", FAULT_UNKNOWN },
  { "", ",\"name\":\"j1\"", "/joints/1/name", FAULT_DUPLICATE },
  { "", ",\"name\":\"\"", "/joints/1/name", FAULT_PATTERN },
  { "", ",\"axis\":[0,0,1]", "/joints/1/axis", FAULT_INCONSISTENT },
  { "", ",\"frame\":{}", "/joints/1/frame", FAULT_INCONSISTENT },
  { "", ",\"a\":\"0\"", "/joints/1/a", FAULT_TYPE },
  { "", ",\"a\":1e13", "/joints/1/a", FAULT_INCONSISTENT },
  { "", ",\"velocity_scale\":0", "/joints/1/velocity_scale", FAULT_MINIMUM },
  { "", ",\"limits\":{\"position\":[1,-1]}", "/joints/1/limits/position", FAULT_INCONSISTENT },
  { "", ",\"limits\":{\"position\":[1]}", "/joints/1/limits/position", FAULT_LENGTH },
  { "", ",\"limits\":{\"velocity\":0}", "/joints/1/limits/velocity", FAULT_MINIMUM },
  { "", ",\"limits\":{\"torqe\":1}", "/joints/1/limits/torqe", FAULT_UNKNOWN },
  { "", ",\"drive\":{\"gear_ratio\":0}", "/joints/1/drive/gear_ratio", FAULT_MINIMUM },
  { "", ",\"drive\":{\"efficiency\":1.5}", "/joints/1/drive/efficiency", FAULT_MAXIMUM },
  { "", ",\"drive\":{\"rotor_inertia\":-1}", "/joints/1/drive/rotor_inertia", FAULT_MINIMUM },
  { "", ",\"friction\":{\"coulomb\":-1}", "/joints/1/friction/coulomb", FAULT_MINIMUM },
  { "", ",\"friction\":{\"coulomb\":[1,2]}", "/joints/1/friction/coulomb", FAULT_TYPE },
  { "", ",\"friction\":{\"coulomb\":{\"positive\":1}}", "/joints/1/friction/coulomb/negative", FAULT_REQUIRED },
  { "", ",\"friction\":{\"viscous\":{\"positive\":1,\"negative\":-2}}", "/joints/1/friction/viscous/negative",
    FAULT_MINIMUM },
  { "", ",\"friction\":{\"stiction\":1}", "/joints/1/friction/stribeck_velocity", FAULT_REQUIRED },
  { "", ",\"friction\":{\"position\":[{\"amplitude\":1}]}", "/joints/1/friction/position/0/order", FAULT_REQUIRED },
  { "", ",\"friction\":{\"position\":[{\"amplitude\":1,\"order\":0}]}", "/joints/1/friction/position/0/order",
    FAULT_MINIMUM },
  { "", ",\"link\":{\"mass\":1}", "/joints/1/link", FAULT_DUPLICATE },
};

Test(robot, every_refusal_has_its_pointer_and_code)
{
  static struct armdyn_robot_description robot;
  static struct faults faults;
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
    char text[1024];
    int length = snprintf(text, sizeof text,
                          "{\"name\":\"a\",\"convention\":\"dh\",\"joints\":[{\"name\":\"j1\",\"type\":\"revolute\","
                          "\"link\":{\"mass\":1}},"
                          "{\"type\":\"prismatic\",\"link\":{\"mass\":1}%s}]%s}",
                          refusals[i].joint, refusals[i].robot);
    faults.count = 0;
    cr_assert_eq(robot_decode(text, (size_t)length, true, &robot, NULL, &faults),
                 refusals[i].code == FAULT_MINIMUM && strstr(refusals[i].pointer, "payload/mass") ? ARMDYN_OK
                                                                                                  : ARMDYN_EINPUT,
                 "%s", text);
    faults.count = 0;
    cr_assert_neq(robot_decode(text, (size_t)length, false, &robot, NULL, &faults), ARMDYN_OK);
    cr_assert_eq(faults.count, 1, "%s: %zu", text, faults.count);
    cr_assert_str_eq(faults.items[0].where, refusals[i].pointer, "%s", text);
    cr_assert_eq(faults.items[0].code, refusals[i].code, "%s: %s", text, fault_code_text(faults.items[0].code));
  }
}

/* The same arm in inches and pounds, in millimetres, degrees and grams, and in SI; conversions by hand. */
Test(robot, units_are_converted_once)
{
  static const char format[] =
      "{%s\"name\":\"a\",\"convention\":\"dh\",\"joints\":[{\"type\":\"revolute\",\"a\":%s,\"alpha\":%s,"
      "\"limits\":{\"position\":[%s,%s],\"velocity\":%s},\"link\":{\"mass\":%s,\"com\":[%s,0,0],\"inertia\":{\"xx\":%s,"
      "\"yy\":%s,\"zz\":%s,\"xy\":%s}}},{\"type\":\"prismatic\",\"offset\":%s,\"link\":{\"mass\":0}}]%s}";
  static struct armdyn_robot_description si, other, again;
  static struct faults faults;
  char text[1024];
  int length = snprintf(text, sizeof text, format, "", "0.254", "1.5707963267948966", "-3.141592653589793", "null", "2",
                        "0.45359237", "0.0254", "2.9263965343e-4", "2.9263965343e-4", "2.9263965343e-4",
                        "-2.9263965343e-5", "0.0254", "");
  cr_assert_eq(robot_decode(text, (size_t)length, false, &si, NULL, NULL), ARMDYN_OK);
  static const char inches[] =
      "\"units\":{\"length\":\"in\",\"angle\":\"deg\",\"mass\":\"lb\",\"inertia\":\"lb*in^2\"},"
      "\"products_of_inertia\":\"positive\",";
  static const char millimetres[] = ",\"products_of_inertia\":\"tensor\",\"units\":{\"inertia\":\"g*mm^2\","
                                    "\"mass\":\"g\",\"angle\":\"deg\",\"length\":\"mm\"}";
  for (int kind = 0; kind < 2; kind++) {
    length =
        kind ? snprintf(text, sizeof text, format, "", "254", "90", "-180", "null", "114.59155902616465", "453.59237",
                        "25.4", "292639.65343", "292639.65343", "292639.65343", "-29263.965343", "25.4", millimetres)
             : snprintf(text, sizeof text, format, inches, "10", "90", "-180", "null", "114.59155902616465", "1", "1",
                        "1", "1", "1", "0.1", "1", "");
    cr_assert_eq(robot_decode(text, (size_t)length, false, &other, NULL, &faults), ARMDYN_OK, "%s",
                 faults.items[0].detail);
    const struct armdyn_joint *a = &si.joints[0], *b = &other.joints[0];
    const double pairs[][2] = { { a->a, b->a },
                                { a->alpha, b->alpha },
                                { a->limits.position[0], b->limits.position[0] },
                                { a->limits.velocity, b->limits.velocity },
                                { a->link.mass, b->link.mass },
                                { a->link.com[0], b->link.com[0] },
                                { a->link.inertia.zz, b->link.inertia.zz },
                                { a->link.inertia.xy, b->link.inertia.xy },
                                { si.joints[1].offset, other.joints[1].offset } };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
      cr_assert_float_eq(pairs[i][1], pairs[i][0], 1e-10 * fabs(pairs[i][0]), "%d: %zu: %.17g, not %.17g", kind, i,
                         pairs[i][1], pairs[i][0]);
    cr_assert(isinf(b->limits.position[1]));
    /* what is stored is SI and says nothing of units */
    struct buffer out = BUFFER(MB(1));
    robot_encode(&other, &out);
    cr_assert(!strstr(out.data, "units") && !strstr(out.data, "products_of_inertia"));
    cr_assert_eq(robot_decode(out.data, out.length, false, &again, NULL, NULL), ARMDYN_OK);
    cr_assert_eq(memcmp(&again, &other, sizeof again), 0);
    buffer_release(&out);
  }
}

/* With the wrong sign of its products this body would need a negative mass somewhere; and whoever converts must say. */
Test(robot, products_of_inertia_have_a_sign)
{
  static const char format[] =
      "{\"name\":\"a\",\"convention\":\"dh\",\"joints\":[{\"type\":\"revolute\",\"link\":{"
      "\"mass\":1,\"inertia\":{\"xx\":2,\"yy\":2,\"zz\":2,\"xy\":%s,\"xz\":%s,\"yz\":%s}}}]%s}";
  static const struct {
    const char *product, *more, *pointer;
    enum fault_code code;
  } cases[] = {
    { "-0.6", "", NULL, FAULT_SYNTAX },
    { "-0.6", ",\"products_of_inertia\":\"tensor\"", NULL, FAULT_SYNTAX },
    { "0.6", ",\"products_of_inertia\":\"positive\"", NULL, FAULT_SYNTAX },
    { "-0.6", ",\"products_of_inertia\":\"positive\"", "/joints/0/link/inertia", FAULT_UNPHYSICAL },
    { "0.6", "", "/joints/0/link/inertia", FAULT_UNPHYSICAL },
    { "-0.6", ",\"units\":{\"inertia\":\"kg*m^2\"}", "/products_of_inertia", FAULT_REQUIRED },
    { "0", ",\"units\":{\"inertia\":\"kg*m^2\"}", NULL, FAULT_SYNTAX },
  };
  static struct armdyn_robot_description robot;
  static struct faults faults;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[512];
    const char *p = cases[i].product;
    int length = snprintf(text, sizeof text, format, p, p, p, cases[i].more);
    faults.count = 0;
    enum armdyn_status status = robot_decode(text, (size_t)length, false, &robot, NULL, &faults);
    cr_assert_eq(status == ARMDYN_OK, !cases[i].pointer, "%s: %s", text, faults.items[0].detail);
    if (!cases[i].pointer) {
      cr_assert_eq(robot.joints[0].link.inertia.xy, -fabs(strtod(p, NULL)));
      continue;
    }
    cr_assert_eq(faults.count, 1);
    cr_assert_str_eq(faults.items[0].where, cases[i].pointer);
    cr_assert_eq(faults.items[0].code, cases[i].code);
  }
}

Test(robot, what_is_physically_impossible_needs_permission)
{
  static const struct {
    const char *link, *pointer;
    enum fault_code code;
  } cases[] = {
    { "{\"mass\":-1}", "/joints/0/link/mass", FAULT_MINIMUM },
    { "{\"mass\":1,\"inertia\":{\"xx\":1,\"yy\":1,\"zz\":3}}", "/joints/0/link/inertia", FAULT_UNPHYSICAL },
    { "{\"mass\":1,\"inertia\":{\"xx\":-1,\"yy\":1,\"zz\":1}}", "/joints/0/link/inertia", FAULT_UNPHYSICAL },
    { "{\"mass\":1,\"inertia\":{\"xx\":1,\"yy\":1,\"zz\":1,\"xy\":2}}", "/joints/0/link/inertia", FAULT_UNPHYSICAL },
  };
  static struct armdyn_robot_description robot;
  static struct faults faults;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[256];
    bool unphysical = false;
    int length = snprintf(text, sizeof text,
                          "{\"name\":\"a\",\"convention\":\"dh\",\"joints\":[{\"type\":\"revolute\",\"link\":%s}]}",
                          cases[i].link);
    faults.count = 0;
    cr_assert_eq(robot_decode(text, (size_t)length, false, &robot, &unphysical, &faults), ARMDYN_EUNPHYSICAL);
    cr_assert(unphysical && faults.count == 1);
    cr_assert_str_eq(faults.items[0].where, cases[i].pointer);
    cr_assert_eq(faults.items[0].code, cases[i].code);
    unphysical = false;
    cr_assert_eq(robot_decode(text, (size_t)length, true, &robot, &unphysical, NULL), ARMDYN_OK);
    cr_assert(unphysical);
  }
}

Test(robot, frames_need_frame_and_axis_and_the_axis_becomes_a_unit_vector)
{
  static struct armdyn_robot_description robot;
  static struct faults faults;
  static const char lacking[] = "{\"name\":\"a\",\"joints\":[{\"type\":\"revolute\",\"link\":{\"mass\":1},\"alpha\":1}]"
                                ",\"convention\":\"frames\"}";
  static const char good[] = "{\"name\":\"a\",\"joints\":[{\"type\":\"revolute\",\"link\":{\"mass\":1},\"frame\":{},"
                             "\"axis\":[0,3,4]}],\"convention\":\"frames\"}";
  static const char none[] = "{\"name\":\"a\",\"joints\":[{\"type\":\"revolute\",\"link\":{\"mass\":1},\"frame\":{},"
                             "\"axis\":[0,0,0]}],\"convention\":\"frames\"}";
  cr_assert_eq(robot_decode(lacking, sizeof lacking - 1, false, &robot, NULL, &faults), ARMDYN_EINPUT);
  static const char *const pointers[] = { "/joints/0/alpha", "/joints/0/frame", "/joints/0/axis" };
  cr_assert_eq(faults.count, 3);
  for (size_t i = 0; i < 3; i++) cr_assert_str_eq(faults.items[i].where, pointers[i]);
  cr_assert_eq(robot_decode(good, sizeof good - 1, false, &robot, NULL, NULL), ARMDYN_OK);
  cr_assert(robot.joints[0].axis[1] == 0.6 && robot.joints[0].axis[2] == 0.8);
  cr_assert_eq(robot_decode(none, sizeof none - 1, false, &robot, NULL, NULL), ARMDYN_EINPUT);
}
