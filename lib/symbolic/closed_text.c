/* Closed forms in print: sorted by masses and inertias, what is common before a bracket. */
#include <math.h>

#include "lib/symbolic/closed_text.h"

enum { N = CLOSED_JOINTS };

/* -- symbols -- */

static bool used(const struct closed_form *f, size_t symbol)
{
  return f->value[symbol] != 0;
}

void put_indexed(const struct printer *p, const char *name, size_t index)
{
  put(p, is_latex(p) ? "%s_{%zu}" : "%s%zu", name, index);
}

void put_angle(const struct printer *p, const struct closed_form *f, size_t joint)
{
  const char *theta = is_latex(p) ? "\\theta" : "theta";
  put_indexed(p, is_latex(p) || f->angle[joint] != 0 ? theta : "q", joint + 1);
}

void put_speed(const struct printer *p, const struct closed_form *f, size_t joint, bool second)
{
  const char *dot = second ? "\\ddot{" : "\\dot{", *plain = second ? "qdd" : "qd";
  if (!is_latex(p)) {
    put_indexed(p, plain, joint + 1);
    return;
  }
  put(p, "%s", dot);
  put(p, f->slides[joint] ? "q}" : "\\theta}");
  put(p, "_{%zu}", joint + 1);
}

/* cos(q2 + q3); the first angle counts positively (see positive_angles). */
static void put_turn(const struct printer *p, const struct closed_form *f, size_t symbol)
{
  int from = 0, to = 0, sign = 0;
  bool sine = false;
  closed_form_angles(f, symbol, &from, &to, &sine);
  put(p, is_latex(p) ? "\\%s\\left(" : "%s(", sine ? "sin" : "cos");
  for (int k = from; k <= to; k++) {
    if (f->slides[k]) continue;
    if (sign != 0) put(p, f->sign[k] == sign ? " + " : " - ");
    if (sign == 0) sign = f->sign[k];
    put_angle(p, f, (size_t)k);
  }
  put(p, is_latex(p) ? "\\right)" : ")");
}

static void put_symbol(const struct printer *p, const struct closed_form *f, size_t symbol)
{
  static const char *const axes[6] = { "xx", "yy", "zz", "xy", "xz", "yz" };
  if (symbol < CLOSED_MASS) {
    const size_t joint = symbol / 6 + 1, axis = symbol % 6;
    if (axis == 2)
      put_indexed(p, "I", joint);
    else
      put(p, is_latex(p) ? "I_{%zu,%s}" : "I%zu%s", joint, axes[axis]);
  } else if (symbol < CLOSED_ROTOR) {
    put_indexed(p, "m", symbol - CLOSED_MASS + 1);
  } else if (symbol < CLOSED_GRAVITY) {
    put_indexed(p, "J", symbol - CLOSED_ROTOR + 1);
  } else if (symbol == CLOSED_GRAVITY) {
    put(p, "g");
  } else if (symbol < CLOSED_OFFSET) {
    put_indexed(p, "a", symbol - CLOSED_LENGTH); /* between this axis and that before, which has the number */
  } else if (symbol < CLOSED_X) {
    put_indexed(p, "b", symbol - CLOSED_OFFSET);
  } else if (symbol < CLOSED_SLIDE) {
    const size_t joint = (symbol - CLOSED_X) % N, axis = (symbol - CLOSED_X) / N;
    const bool alone = axis == 0 && !used(f, CLOSED_Y + joint);
    put_indexed(p, alone ? "r" : axis == 0 ? "x" : axis == 1 ? "y" : "z", joint + 1);
  } else if (symbol < CLOSED_COSINE) {
    put_indexed(p, "q", symbol - CLOSED_SLIDE + 1);
  } else if (symbol < CLOSED_SPEED) {
    put_turn(p, f, symbol);
  } else {
    put_speed(p, f, symbol - CLOSED_SPEED, false);
  }
}

/* -- terms -- */

/* Of the sine of a sum whose first angle counts negatively the negative one is printed. */
static double positive_angles(const struct closed_form *f, const struct poly_term *term)
{
  double factor = term->factor;
  for (size_t symbol = CLOSED_COSINE; symbol < CLOSED_SPEED; symbol++) {
    int from, to;
    bool sine;
    if (!(term->power[symbol] & 1) || !closed_form_angles(f, symbol, &from, &to, &sine) || !sine) continue;
    while (from < to && f->slides[from]) from++;
    factor *= f->sign[from] < 0 ? -1 : 1;
  }
  return factor;
}

/* The factors of a term; `one`: a number 1 is written if there are none. */
static void put_factors(const struct printer *p, const struct closed_form *f, double number,
                        const uint8_t power[POLY_SYMBOLS], bool one)
{
  const char *between = "", *times = is_latex(p) ? " \\, " : "*";
  bool nothing = true;
  if (number != 1) {
    p->language->number(p, number);
    between = times;
    nothing = false;
  }
  for (size_t symbol = 0; symbol < CLOSED_SYMBOLS; symbol++) {
    if (power[symbol] == 0) continue;
    put(p, "%s", between);
    put_symbol(p, f, symbol);
    if (power[symbol] > 1) put(p, is_latex(p) ? "^{%u}" : "^%u", power[symbol]);
    between = times;
    nothing = false;
  }
  if (nothing && one) put(p, "1");
}

void put_sign(const struct printer *p, double factor, bool first)
{
  put(p, "%s", first ? (factor < 0 ? "-" : "") : factor < 0 ? " - " : " + ");
}

/* What a term is sorted by: its mass, inertia or rotor; CLOSED_GRAVITY: it has none. */
static size_t owner_of(const struct poly_term *term)
{
  for (size_t symbol = 0; symbol < CLOSED_GRAVITY; symbol++) {
    if (term->power[symbol]) return symbol;
  }
  return CLOSED_GRAVITY;
}

static bool is_length(size_t symbol)
{
  return symbol > CLOSED_GRAVITY && symbol < CLOSED_COSINE;
}

/* What all terms of a group have in common. Lengths are taken out only if none are left behind. */
static void common_of(const struct poly_term *const *group, size_t count, uint8_t common[POLY_SYMBOLS])
{
  bool left = false;
  memcpy(common, group[0]->power, POLY_SYMBOLS);
  for (size_t k = 1; k < count; k++) {
    for (size_t s = 0; s < POLY_SYMBOLS; s++)
      common[s] = common[s] < group[k]->power[s] ? common[s] : group[k]->power[s];
  }
  for (size_t k = 0; k < count; k++) {
    for (size_t s = 0; s < POLY_SYMBOLS; s++) left = left || (is_length(s) && group[k]->power[s] > common[s]);
  }
  for (size_t s = 0; s < POLY_SYMBOLS && left; s++) common[s] = is_length(s) ? 0 : common[s];
}

/* m2*(a1^2 + r2^2 + 2*a1*r2*cos(q2)) */
static void put_group(const struct printer *p, const struct closed_form *f, const struct poly_term *const *group,
                      size_t count, bool first)
{
  uint8_t common[POLY_SYMBOLS], rest[POLY_SYMBOLS];
  double number = fabs(group[0]->factor), sign = positive_angles(f, group[0]) < 0 ? -1 : 1;
  common_of(group, count, common);
  for (size_t k = 1; k < count; k++) {
    if (fabs(fabs(group[k]->factor) - number) > 1e-12 * number) number = 1;
    if (sign < 0 && positive_angles(f, group[k]) > 0) sign = 1;
  }
  put_sign(p, sign, first);
  put_factors(p, f, number, common, count == 1);
  if (count == 1) return;
  put(p, is_latex(p) ? " \\left(" : "*(");
  bool begun = false;
  for (int turn = 0; turn < 2; turn++) { /* what does not turn comes first */
    for (size_t k = 0; k < count; k++) {
      bool turns = false;
      for (size_t s = 0; s < POLY_SYMBOLS; s++) {
        rest[s] = (uint8_t)(group[k]->power[s] - common[s]);
        turns = turns || (s >= CLOSED_COSINE && s < CLOSED_SPEED && rest[s]);
      }
      if (turns != turn) continue;
      const double factor = positive_angles(f, group[k]) * sign;
      put_sign(p, factor, !begun);
      put_factors(p, f, fabs(factor) / number, rest, true);
      begun = true;
    }
  }
  put(p, is_latex(p) ? "\\right)" : ")");
}

static void put_poly(const struct printer *p, const struct closed_form *f, struct poly a)
{
  const struct poly_term *group[512];
  bool first = true;
  if (a.count == 0) put(p, "0");
  for (size_t owner = 0; owner <= CLOSED_GRAVITY; owner++) {
    size_t count = 0;
    for (size_t k = 0; k < a.count; k++) {
      if (owner_of(&a.terms[k]) == owner && count < sizeof group / sizeof *group) group[count++] = &a.terms[k];
    }
    if (count == 0) continue;
    put_group(p, f, group, count, first);
    first = false;
  }
}

/* -- the whole -- */

static const char *line_end(const struct printer *p)
{
  return is_latex(p) ? " \\\\\n" : "\n";
}

/* M12, or M_{12} */
static void put_entry(const struct printer *p, const char *name, size_t row, size_t column)
{
  put(p, is_latex(p) ? "%s_{%zu%zu}" : "%s%zu%zu", name, row + 1, column + 1);
}

static void put_equation(const struct printer *p, const struct closed_form *f, struct poly a)
{
  put(p, "%s", is_latex(p) ? " &= " : " = ");
  put_poly(p, f, a);
  put(p, "%s", line_end(p));
}

static void put_matrix(const struct printer *p, const struct closed_form *f, const char *name,
                       const struct poly *entries, bool symmetric)
{
  for (size_t i = 0; i < f->n; i++) {
    for (size_t j = symmetric ? i : 0; j < f->n; j++) {
      put_entry(p, name, i, j);
      if (symmetric && j > i) {
        put(p, " = ");
        put_entry(p, name, j, i);
      }
      put_equation(p, f, entries[i * f->n + j]);
    }
  }
}

/* Terms of C qd in which one speed is squared, or two are multiplied. */
static struct poly_term *terms_of_kind(struct poly a, bool squared, size_t *count)
{
  struct poly_term *found = calloc(a.count + 1, sizeof *found);
  *count = 0;
  for (size_t k = 0; k < a.count && found; k++) {
    bool square = false;
    for (size_t s = CLOSED_SPEED; s < CLOSED_SYMBOLS; s++) square = square || a.terms[k].power[s] == 2;
    if (square == squared) found[(*count)++] = a.terms[k];
  }
  return found;
}

static void put_speeds(const struct printer *p, const struct closed_form *f, const char *name, bool squared)
{
  for (size_t i = 0; i < f->n; i++) {
    size_t count;
    struct poly_term *terms = terms_of_kind(f->V[i], squared, &count);
    put_indexed(p, name, i + 1);
    put_equation(p, f, (struct poly){ terms, count });
    free(terms);
  }
}

static void put_friction(const struct printer *p, const struct closed_form *f)
{
  for (size_t i = 0; i < f->n; i++) {
    put_indexed(p, "F", i + 1);
    put(p, "%s", is_latex(p) ? " &= " : " = ");
    print_friction(p, f, i);
    put(p, "%s", line_end(p));
  }
}

static bool has_friction(const struct armdyn_robot *robot)
{
  bool any = false;
  for (size_t i = 0; i < robot->joint_count; i++) any = any || robot->joints[i].friction;
  return any;
}

/* tau1 = M11*qdd1 + ... + C11*qd1 + ... + g1 + F1 */
static void put_torques(const struct printer *p, const struct closed_form *f, bool friction)
{
  const char *times = is_latex(p) ? " \\, " : "*";
  for (size_t i = 0; i < f->n; i++) {
    put_indexed(p, is_latex(p) ? "\\tau" : "tau", i + 1);
    put(p, "%s", is_latex(p) ? " &= " : " = ");
    for (size_t j = 0; j < f->n; j++) {
      put(p, "%s", j > 0 ? " + " : "");
      put_entry(p, "M", i, j);
      put(p, "%s", times);
      put_speed(p, f, j, true);
    }
    for (size_t j = 0; j < f->n; j++) {
      put(p, " + ");
      put_entry(p, "C", i, j);
      put(p, "%s", times);
      put_speed(p, f, j, false);
    }
    put(p, " + ");
    put_indexed(p, "G", i + 1);
    if (friction) put(p, " + ");
    if (friction) put_indexed(p, "F", i + 1);
    put(p, "%s", line_end(p));
  }
}

/* What the symbols stand for. */
static void put_legend(const struct printer *p, const struct closed_form *f)
{
  const char *before = is_latex(p) ? "% " : "";
  put(p,
      "%sI about the centre of mass, m in kg, J the rotor's inertia as its joint feels it, kg m^2 (kg of a slide); a "
      "the\n",
      before);
  put(p,
      "%sdistance from axis to axis, b across it; r or x, y, z the centre of mass from its joint's axis, x along a; "
      "m.\n",
      before);
  for (size_t symbol = 0; symbol < CLOSED_SLIDE; symbol++) {
    if (!used(f, symbol)) continue;
    put(p, "%s  ", before);
    put_symbol(p, f, symbol);
    put(p, " = %.12g\n", f->value[symbol]);
  }
  for (size_t i = 0; i < f->n; i++) {
    if (f->slides[i] || f->angle[i] == 0) continue;
    put(p, "%s  ", before);
    put_angle(p, f, i);
    put(p, " = q%zu %s %.12g\n", i + 1, f->angle[i] < 0 ? "-" : "+", fabs(f->angle[i]));
  }
  put(p, "%s\n", is_latex(p) ? "%" : "");
}

/* Titles between the equations, in a language that has none. */
static void put_title(const struct printer *p, const char *text)
{
  put(p, is_latex(p) ? "&\\text{%s} \\\\\n" : "\n%s\n", text);
}

void print_closed_form(const struct printer *p, const struct closed_form *f)
{
  const enum armdyn_code_function function = p->code->request.function;
  const bool all = function == ARMDYN_CODE_INVERSE_DYNAMICS, friction = all && has_friction(p->code->robot);
  put_heading(p, is_latex(p) ? "%" : "");
  put(p, "%s\n", is_latex(p) ? "%" : "");
  put_legend(p, f);
  put(p, "%s", is_latex(p) ? "\\begin{align*}\n" : "");
  if (all) put_torques(p, f, friction);
  if (all || function == ARMDYN_CODE_MASS_MATRIX) {
    put_title(p, "Inertial");
    put_matrix(p, f, "M", f->M, true);
  }
  if (all || function == ARMDYN_CODE_CORIOLIS) {
    put_title(p, "Coriolis matrix of Christoffel symbols");
    put_matrix(p, f, "C", f->C, false);
    put_title(p, "Centrifugal: the squares in C qd");
    put_speeds(p, f, is_latex(p) ? "\\zeta" : "centrifugal", true);
    put_title(p, "Coriolis: the products in C qd");
    put_speeds(p, f, is_latex(p) ? "\\kappa" : "coriolis", false);
  }
  if (all || function == ARMDYN_CODE_GRAVITY) {
    put_title(p, "Gravity");
    for (size_t i = 0; i < f->n; i++) {
      put_indexed(p, "G", i + 1);
      put_equation(p, f, f->G[i]);
    }
  }
  if (friction) {
    put_title(p, "Friction");
    put_friction(p, f);
  }
  put(p, "%s", is_latex(p) ? "\\end{align*}\n" : "");
}
