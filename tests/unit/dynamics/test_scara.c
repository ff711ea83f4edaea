/* What the textbook's SCARA leaves out, measured on tests/data/robots/scara.json: the figures of deploy/doc/dynamics.md.
 *
 * The textbook takes the wrist as a point mass on its axis that turns by itself: M14 = M24 = M34 = 0, and no torque of
 * its eccentric mass. With the outer arm's first moment X about axis 2 and second moments about the axes,
 *   M22 = I2 + I3 + I4 at axis 2, M12 = M22 + a1 (Xx cos q2 - Xy sin q2), M11 = I1 + m a1^2 + 2 M12 - M22
 *   S = a1 (Xx sin q2 + Xy cos q2): - S (2 qd1 qd2 + qd2^2) on joint 1, + S qd1^2 on joint 2
 *   (m3 + m4) (qdd3 - g) on the slide, which points down; I4 qdd4 on the wrist. */
#include <criterion/criterion.h>

#include "tests/support/robots.h"

enum { STATES = 100000 };

/* Second moment of a link about a vertical axis, its centre of mass x, y from there. */
static double about(const struct armdyn_body *body, double x, double y)
{
  return body->inertia.zz + body->mass * (x * x + y * y);
}

static double motor(const struct armdyn_joint *joint)
{
  return joint->drive.gear_ratio * joint->drive.gear_ratio * joint->drive.rotor_inertia;
}

static void textbook(const struct armdyn_robot_description *d, const double *q, const double *qd, const double *qdd,
                     double *tau)
{
  const struct armdyn_joint *j = d->joints;
  const struct armdyn_body *b1 = &j[0].link, *b2 = &j[1].link, *b3 = &j[2].link, *b4 = &j[3].link;
  const double a1 = j[0].a, a2 = j[1].a;
  /* standard DH: link 1 and 2 are written at their far ends; z of the frames 2 to 4 points down, so y is turned over */
  const double x2 = a2 + b2->com[0], y2 = -b2->com[1], x3 = a2 + b3->com[0], y3 = -b3->com[1];
  const double X[2] = { b2->mass * x2 + b3->mass * x3 + b4->mass * a2, b2->mass * y2 + b3->mass * y3 };
  const double M22 = about(b2, x2, y2) + about(b3, x3, y3) + about(b4, a2, 0);
  const double M12 = M22 + a1 * (X[0] * cos(q[1]) - X[1] * sin(q[1]));
  const double M11 =
      about(b1, a1 + b1->com[0], b1->com[1]) + (b2->mass + b3->mass + b4->mass) * a1 * a1 + 2 * M12 - M22;
  const double S = a1 * (X[0] * sin(q[1]) + X[1] * cos(q[1]));
  tau[0] = (M11 + motor(&j[0])) * qdd[0] + M12 * qdd[1] - S * (2 * qd[0] * qd[1] + qd[1] * qd[1]);
  tau[1] = M12 * qdd[0] + (M22 + motor(&j[1])) * qdd[1] + S * qd[0] * qd[0];
  tau[2] = (b3->mass + b4->mass) * (qdd[2] + d->gravity[2]) + motor(&j[2]) * qdd[2];
  tau[3] = (about(b4, b4->com[0], b4->com[1]) + motor(&j[3])) * qdd[3];
}

static void random_state(struct dice *dice, const struct armdyn_robot_description *d, double *q, double *qd,
                         double *qdd)
{
  for (size_t i = 0; i < 4; i++) {
    const struct armdyn_limits *limits = &d->joints[i].limits;
    q[i] = dice_uniform(dice, limits->position[0], limits->position[1]);
    qd[i] = dice_uniform(dice, -limits->velocity, limits->velocity);
    qdd[i] = dice_uniform(dice, -limits->acceleration, limits->acceleration);
  }
}

/* Over states within the limits: rms error in percent of the rms torque without friction, and the largest error. */
static void compare(const struct armdyn_robot_description *d, const double percent[4], const double largest[4])
{
  const struct armdyn_load frictionless = { .frictionless = true };
  struct dice dice = { 70 };
  struct armdyn_robot *robot;
  double q[4], qd[4], qdd[4], exact[4], simple[4], most[4] = { 0 }, error[4] = { 0 }, torque[4] = { 0 };
  cr_assert_eq(armdyn_robot_new(d, &robot, NULL), ARMDYN_OK);
  struct armdyn_workspace *workspace = armdyn_workspace_new(4);
  for (int k = 0; k < STATES; k++) {
    random_state(&dice, d, q, qd, qdd);
    cr_assert_eq(armdyn_inverse_dynamics_by(robot, ARMDYN_INVERSE_CLOSED_FORM, q, qd, qdd, &frictionless, workspace,
                                            exact, NULL),
                 ARMDYN_OK);
    textbook(d, q, qd, qdd, simple);
    for (int i = 0; i < 4; i++) {
      const double e = exact[i] - simple[i];
      most[i] = fmax(most[i], fabs(e));
      error[i] += e * e;
      torque[i] += exact[i] * exact[i];
    }
  }
  for (int i = 0; i < 4; i++) {
    const double share = 100 * sqrt(error[i] / torque[i]);
    cr_assert_float_eq(share, percent[i], 0.02 * percent[i] + 1e-9, "joint %d: %.4g %%", i + 1, share);
    cr_assert_float_eq(most[i], largest[i], 0.02 * largest[i] + 1e-9, "joint %d: %.4g", i + 1, most[i]);
  }
  armdyn_workspace_free(workspace);
  armdyn_robot_free(robot);
}

Test(scara, what_the_textbook_form_drops)
{
  static struct armdyn_robot_description d;
  cJSON *json = json_load("tests/data/robots/scara.json");
  description_from_json(json, &d);
  cJSON_Delete(json);
  compare(&d, (const double[4]){ 0.51, 0.68, 0, 11.4 }, (const double[4]){ 1.00, 0.43, 0, 0.123 });

  /* 2 kg in the gripper, the common centre of mass 40 mm off the wrist's axis */
  d.joints[3].link = (struct armdyn_body){ 2.5, { 0.04, 0, 0.05 }, { 0.004, 0.004, 0.004, 0, 0, 0 } };
  compare(&d, (const double[4]){ 20.9, 25.6, 0, 81.1 }, (const double[4]){ 51.7, 21.8, 0, 6.24 });
}
