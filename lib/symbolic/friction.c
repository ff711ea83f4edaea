/* Friction in symbols: every term as an expression, and as a person writes it. */
#include <math.h>

#include "lib/model/friction.h"
#include "lib/symbolic/arm.h"
#include "lib/symbolic/closed_text.h"

/* Where a term stands: what it is made of, and where it is printed. */
struct place {
  const struct arm *arm;
  const struct armdyn_joint *joint;
  const struct armdyn_friction *model; /* its numbers that torque is not linear in */
  const struct arm_friction *friction; /* and those that it is */
  expr q, v;

  const struct printer *printer;
  const struct closed_form *form;
  size_t index; /* of the joint */
};

/* ---------------------------------------------------------------- expressions */

/* tanh x = 1 - 2/(exp(2 x) + 1), which at 20 is 1 to the last bit. */
static expr tanh_of(const struct arm *arm, expr x)
{
  struct expr_graph *g = arm->graph;
  if (!arm->plain_tanh) return expr_unary(g, EXPR_TANH, x, 0);
  const expr two = expr_number(g, 2), one = expr_number(g, 1);
  const expr clipped = expr_unary(g, EXPR_CLIP, x, 20);
  const expr e = expr_unary(g, EXPR_EXP, expr_multiply(g, two, clipped), 0);
  return expr_subtract(g, one, expr_divide(g, two, expr_add(g, e, one)));
}

/* x^delta of an x that is not negative. */
static expr power_of(const struct arm *arm, expr x, double delta)
{
  struct expr_graph *g = arm->graph;
  if (!arm->plain_tanh || delta == 1 || delta == 2) return expr_power(g, x, delta);
  const expr logarithm = expr_unary(g, EXPR_LOG, expr_unary(g, EXPR_LEAST, x, 1e-30), 0);
  return expr_unary(g, EXPR_EXP, expr_multiply(g, expr_number(g, delta), logarithm), 0);
}

/* A joint has either the parameter of both directions or one for each; what it has not is 0. */
static expr directed(const struct place *x, enum armdyn_friction_parameter both,
                     enum armdyn_friction_parameter positive, enum armdyn_friction_parameter negative)
{
  struct expr_graph *g = x->arm->graph;
  const expr(*number)[ARMDYN_RIPPLES_MAX] = x->friction->number;
  return expr_select(g, x->v, expr_add(g, number[both][0], number[negative][0]),
                     expr_add(g, number[both][0], number[positive][0]));
}

static expr offset(const struct place *x)
{
  return x->friction->number[ARMDYN_PARAMETER_OFFSET][0];
}

static expr coulomb(const struct place *x)
{
  return directed(x, ARMDYN_PARAMETER_COULOMB, ARMDYN_PARAMETER_COULOMB_POSITIVE, ARMDYN_PARAMETER_COULOMB_NEGATIVE);
}

/* (fs - fc) exp(-(|v|/vs)^delta) */
static expr stribeck(const struct place *x)
{
  struct expr_graph *g = x->arm->graph;
  const expr speed = expr_unary(g, EXPR_ABS, x->v, 0);
  const expr relative = expr_multiply(g, expr_number(g, 1 / x->model->stribeck_velocity), speed);
  const expr power = power_of(x->arm, relative, x->model->stribeck_exponent);
  const expr excess = expr_subtract(g, x->friction->number[ARMDYN_PARAMETER_STICTION][0], coulomb(x));
  return expr_multiply(g, excess, expr_unary(g, EXPR_EXP, expr_negate(g, power), 0));
}

static expr viscous(const struct place *x)
{
  const expr slope =
      directed(x, ARMDYN_PARAMETER_VISCOUS, ARMDYN_PARAMETER_VISCOUS_POSITIVE, ARMDYN_PARAMETER_VISCOUS_NEGATIVE);
  return expr_multiply(x->arm->graph, slope, x->v);
}

static expr high_speed(const struct place *x)
{
  struct expr_graph *g = x->arm->graph;
  return expr_multiply(g, x->friction->number[ARMDYN_PARAMETER_HIGH_SPEED][0], expr_multiply(g, x->v, x->v));
}

/* fr v / (v^2 + e^2)^(1/3) */
static expr sublinear(const struct place *x)
{
  struct expr_graph *g = x->arm->graph;
  const expr speed = expr_unary(g, EXPR_ABS, x->v, 0); /* of which ranges know that its square is not negative */
  const expr width = expr_number(g, x->joint->velocity_scale * x->joint->velocity_scale);
  const expr root = power_of(x->arm, expr_add(g, expr_multiply(g, speed, speed), width), 1.0 / 3);
  return expr_multiply(g, x->friction->number[ARMDYN_PARAMETER_SUBLINEAR][0], expr_divide(g, x->v, root));
}

/* sum_k A_k sin(order_k p + phase_k), p = N q */
static expr position(const struct place *x)
{
  struct expr_graph *g = x->arm->graph;
  expr sum = 0;
  for (size_t k = 0; k < x->model->ripple_count; k++) {
    const struct armdyn_ripple *r = &x->model->ripples[k];
    const expr turn = expr_multiply(g, expr_number(g, r->order * x->joint->drive.gear_ratio), x->q);
    const expr wave = expr_sine(g, expr_add(g, turn, expr_number(g, r->phase)));
    sum = expr_add(g, sum, expr_multiply(g, x->friction->number[ARMDYN_PARAMETER_LINE_AMPLITUDE][k], wave));
  }
  return sum;
}

/* ---------------------------------------------------------------- text */

static void put_value(const struct place *x, double value, bool first)
{
  put_sign(x->printer, value, first);
  x->printer->language->number(x->printer, fabs(value));
}

static void put_times(const struct place *x)
{
  put(x->printer, is_latex(x->printer) ? " \\, " : "*");
}

/* A value, or what it is in either direction */
static void put_directed(const struct place *x, const struct armdyn_directed *value)
{
  const struct printer *p = x->printer;
  if (value->positive == value->negative) {
    put_value(x, value->positive, true);
    return;
  }
  put(p, is_latex(p) ? "\\begin{cases} " : "(");
  put_value(x, value->positive, true);
  put(p, is_latex(p) ? " & " : " if ");
  put_speed(p, x->form, x->index, false);
  put(p, is_latex(p) ? " \\ge 0 \\\\ " : " >= 0 else ");
  put_value(x, value->negative, true);
  put(p, is_latex(p) ? " & \\text{else} \\end{cases}" : ")");
}

static void put_offset(const struct place *x, bool first)
{
  put_value(x, x->model->offset, first);
}

static void put_coulomb(const struct place *x, bool first)
{
  put(x->printer, first ? "" : " + ");
  put_directed(x, &x->model->coulomb);
}

static void put_stribeck(const struct place *x, bool first)
{
  const struct printer *p = x->printer;
  put(p, first ? "(" : " + (");
  put_value(x, x->model->stiction, true);
  put(p, " - ");
  put_directed(x, &x->model->coulomb);
  put(p, ")");
  put_times(x);
  put(p, is_latex(p) ? "\\exp(-(|" : "exp(-(|");
  put_speed(p, x->form, x->index, false);
  put(p, "|/");
  put_value(x, x->model->stribeck_velocity, true);
  put(p, is_latex(p) ? ")^{" : ")^");
  put_value(x, x->model->stribeck_exponent, true);
  put(p, is_latex(p) ? "})" : ")");
}

static void put_viscous(const struct place *x, bool first)
{
  put(x->printer, first ? "" : " + ");
  put_directed(x, &x->model->viscous);
  put_times(x);
  put_speed(x->printer, x->form, x->index, false);
}

static void put_high_speed(const struct place *x, bool first)
{
  put_value(x, x->model->high_speed, first);
  put_times(x);
  put_speed(x->printer, x->form, x->index, false);
  put(x->printer, "^2");
}

static void put_sublinear(const struct place *x, bool first)
{
  const struct printer *p = x->printer;
  put_value(x, x->model->sublinear, first);
  put_times(x);
  put_speed(p, x->form, x->index, false);
  put(p, "/(");
  put_speed(p, x->form, x->index, false);
  put(p, "^2");
  put_value(x, x->joint->velocity_scale * x->joint->velocity_scale, false);
  put(p, is_latex(p) ? ")^{1/3}" : ")^(1/3)");
}

static void put_position(const struct place *x, bool first)
{
  const bool is_angle = !x->form->slides[x->index] && x->form->angle[x->index] == 0;
  for (size_t k = 0; k < x->model->ripple_count; k++) {
    const struct armdyn_ripple *r = &x->model->ripples[k];
    put_value(x, r->amplitude, first && k == 0);
    put_times(x);
    put(x->printer, is_latex(x->printer) ? "\\sin(" : "sin(");
    put_value(x, r->order * x->joint->drive.gear_ratio, true);
    put_times(x);
    if (is_angle)
      put_angle(x->printer, x->form, x->index);
    else
      put_indexed(x->printer, "q", x->index + 1);
    put_value(x, r->phase, false);
    put(x->printer, ")");
  }
}

/* ---------------------------------------------------------------- of a joint */

static const struct form {
  bool with_sign; /* is it a factor of s(v)? */
  expr (*make)(const struct place *x);
  void (*put)(const struct place *x, bool first); /* with the sign before it; first: of the sum */
} forms[ARMDYN_FRICTION_TERM_COUNT] = {
  [ARMDYN_FRICTION_OFFSET] = { false, offset, put_offset },
  [ARMDYN_FRICTION_COULOMB] = { true, coulomb, put_coulomb },
  [ARMDYN_FRICTION_STRIBECK] = { true, stribeck, put_stribeck },
  [ARMDYN_FRICTION_VISCOUS] = { false, viscous, put_viscous },
  [ARMDYN_FRICTION_HIGH_SPEED] = { true, high_speed, put_high_speed },
  [ARMDYN_FRICTION_SUBLINEAR] = { false, sublinear, put_sublinear },
  [ARMDYN_FRICTION_POSITION] = { false, position, put_position },
};

expr code_arm_friction(const struct arm *arm, size_t i)
{
  struct expr_graph *g = arm->graph;
  const struct armdyn_joint *joint = &arm->robot->description.joints[i];
  const struct place x = { .arm = arm,
                           .joint = joint,
                           .model = &joint->friction,
                           .friction = &arm->friction[i],
                           .q = arm->joints[i].q,
                           .v = arm->joints[i].qd };
  const unsigned mask = arm->robot->joints[i].friction;
  expr plain = 0, with_sign = 0;
  for (size_t k = 0; k < ARMDYN_FRICTION_TERM_COUNT; k++) {
    expr *sum = forms[k].with_sign ? &with_sign : &plain;
    if (mask >> k & 1) *sum = expr_add(g, *sum, forms[k].make(&x));
  }
  if (with_sign == 0) return plain;
  const expr sign = tanh_of(arm, expr_multiply(g, expr_number(g, 1 / joint->velocity_scale), x.v));
  return expr_add(g, expr_multiply(g, with_sign, sign), plain);
}

/* The terms of one sort; false: there are none. */
static bool put_terms(const struct place *x, unsigned mask, bool with_sign, bool first)
{
  bool any = false;
  for (size_t k = 0; k < ARMDYN_FRICTION_TERM_COUNT; k++) {
    if (forms[k].with_sign != with_sign || !(mask >> k & 1)) continue;
    if (with_sign && !any) put(x->printer, "(");
    forms[k].put(x, (with_sign || first) && !any);
    any = true;
  }
  return any;
}

/* (terms of s(v)) tanh(v/epsilon) + the others */
void print_friction(const struct printer *p, const struct closed_form *form, size_t joint)
{
  const struct armdyn_joint *model = &p->code->robot->description.joints[joint];
  const struct place x = { .joint = model, .model = &model->friction, .printer = p, .form = form, .index = joint };
  const unsigned mask = friction_mask(&model->friction);
  const bool begun = put_terms(&x, mask, true, true);
  if (begun) {
    put(p, ")");
    put_times(&x);
    put(p, is_latex(p) ? "\\tanh(" : "tanh(");
    put_speed(p, form, joint, false);
    put(p, "/");
    put_value(&x, model->velocity_scale, true);
    put(p, ")");
  }
  if (!put_terms(&x, mask, false, !begun) && !begun) put(p, "0");
}
