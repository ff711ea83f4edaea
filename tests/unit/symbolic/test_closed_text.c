/* The equations of an arm of two links in a plane, as they are printed to be read: those of Spong, Hutchinson & Vidyasagar,
 * Robot Modeling and Control, ch. 7, letter by letter. */
#include <criterion/criterion.h>

#include "armdyn/armdyn.h"

struct text {
  char bytes[8192];
  size_t length;
};

static void append(void *context, const char *bytes, size_t length)
{
  struct text *text = context;
  cr_assert_lt(text->length + length, sizeof text->bytes);
  memcpy(text->bytes + text->length, bytes, length);
  text->bytes[text->length += length] = '\0';
}

static void print_equations(enum armdyn_code_language language, struct text *out)
{
  static struct armdyn_robot_description arm;
  struct armdyn_robot *robot = NULL;
  struct armdyn_code *code = NULL;
  struct armdyn_code_request request;
  struct armdyn_code_proof proof;
  struct armdyn_error error;
  armdyn_robot_description_init(&arm);
  arm.joint_count = 2;
  memcpy(arm.gravity, (double[3]){ 0, -9.81, 0 }, sizeof arm.gravity);
  for (int i = 0; i < 2; i++) {
    arm.joints[i].a = 0.5;
    arm.joints[i].link = (struct armdyn_body){ 3 - i, { -0.2, 0, 0 }, { .xx = 0.01, .yy = 0.05, .zz = 0.06 } };
  }
  arm.joints[1].friction.viscous = (struct armdyn_directed){ 0.2, 0.2 };
  cr_assert_eq(armdyn_robot_new(&arm, &robot, &error), ARMDYN_OK);
  armdyn_code_request_init(&request);
  request.language = language;
  request.parameters = ARMDYN_CODE_SYMBOLS;
  cr_assert_eq(armdyn_code_new(robot, &request, &code, &error), ARMDYN_OK);
  cr_assert_eq(armdyn_code_prove(code, 10, 1, &proof), ARMDYN_OK);
  cr_assert_eq(armdyn_code_print(code, 0, &(struct armdyn_sink){ append, out }), ARMDYN_OK);
  armdyn_code_free(code);
  armdyn_robot_free(robot);
}

Test(closed_text, two_links_in_a_plane_are_those_of_the_textbook)
{
  static const char wanted[] = "  m1 = 3\n"
                               "  m2 = 2\n"
                               "  g = 9.81\n"
                               "  a1 = 0.5\n"
                               "  r1 = 0.3\n"
                               "  r2 = 0.3\n"
                               "\n"
                               "tau1 = M11*qdd1 + M12*qdd2 + C11*qd1 + C12*qd2 + G1 + F1\n"
                               "tau2 = M21*qdd1 + M22*qdd2 + C21*qd1 + C22*qd2 + G2 + F2\n"
                               "\n"
                               "Inertial\n"
                               "M11 = I1 + I2 + m1*r1^2 + m2*(a1^2 + r2^2 + 2*a1*r2*cos(q2))\n"
                               "M12 = M21 = I2 + m2*(r2^2 + a1*r2*cos(q2))\n"
                               "M22 = I2 + m2*r2^2\n"
                               "\n"
                               "Coriolis matrix of Christoffel symbols\n"
                               "C11 = -m2*a1*r2*sin(q2)*qd2\n"
                               "C12 = -m2*a1*r2*sin(q2)*(qd1 + qd2)\n"
                               "C21 = m2*a1*r2*sin(q2)*qd1\n"
                               "C22 = 0\n"
                               "\n"
                               "Centrifugal: the squares in C qd\n"
                               "centrifugal1 = -m2*a1*r2*sin(q2)*qd2^2\n"
                               "centrifugal2 = m2*a1*r2*sin(q2)*qd1^2\n"
                               "\n"
                               "Coriolis: the products in C qd\n"
                               "coriolis1 = -2*m2*a1*r2*sin(q2)*qd1*qd2\n"
                               "coriolis2 = 0\n"
                               "\n"
                               "Gravity\n"
                               "G1 = m1*g*r1*cos(q1) + m2*g*(a1*cos(q1) + r2*cos(q1 + q2))\n"
                               "G2 = m2*g*r2*cos(q1 + q2)\n"
                               "\n"
                               "Friction\n"
                               "F1 = 0\n"
                               "F2 = 0.2*qd2\n";
  static struct text text;
  print_equations(ARMDYN_CODE_TEXT, &text);
  const char *at = strstr(text.bytes, "  m1 = 3");
  cr_assert_not_null(at, "%s", text.bytes);
  cr_expect_str_eq(at, wanted);
}

Test(closed_text, latex_says_the_same)
{
  static const char *const lines[] = {
    "\\begin{align*}\n",
    "\nM_{12} = M_{21} &= I_{2} + m_{2} \\left(r_{2}^{2} + a_{1} \\, r_{2} \\, \\cos\\left(\\theta_{2}\\right)\\right) "
    "\\\\\n",
    "\n\\kappa_{1} &= -2 \\, m_{2} \\, a_{1} \\, r_{2} \\, \\sin\\left(\\theta_{2}\\right) \\, \\dot{\\theta}_{1} \\, "
    "\\dot{\\theta}_{2} \\\\\n",
    "\nF_{2} &= 0.2 \\, \\dot{\\theta}_{2} \\\\\n\\end{align*}\n",
  };
  static struct text text;
  print_equations(ARMDYN_CODE_LATEX, &text);
  for (size_t k = 0; k < sizeof lines / sizeof *lines; k++)
    cr_expect_not_null(strstr(text.bytes, lines[k]), "%s is not in\n%s", lines[k], text.bytes);
}
