/* Lagrange's method: velocities outward from link to link give the kinetic energy as a polynomial in the speeds, its second
 * derivatives the mass matrix, Christoffel's symbols of that the Coriolis matrix, and the speed of each centre of mass along
 * gravity the torque of its weight.
 *
 * Joints with parallel axes are a chain: all vectors of it are written in the axes that it began with, in which a link is
 * turned by the sum of the chain's angles. Sines and cosines of two such sums become those of what is between them,
 *   s_i s_j = cos(j - i) - c_i c_j,  c_i s_j = sin(j - i) + s_i c_j,
 * or these the other way round, whatever is shorter. Frames are those of lib/model/reduced.h. */
#include "lib/symbolic/closed_form.h"

#include <math.h>

#include "lib/model/reduced.h"

static const double ROUNDING = 1e-12;
enum { N = CLOSED_JOINTS, READABLE = 400 };

struct vector {
  struct poly x[3];
};

/* What goes outward: in the axes of the chain, angular velocity, velocity of the frame's origin, direction of up. */
struct outward {
  struct vector w, v, up;
  int flip;  /* 1, or -1: z of the link's frame points the other way than that of the chain */
  int angle; /* the joint whose sum of angles the link is turned by; -1: by none */
};

/* -- vectors -- */

static struct vector constant(struct poly_ring *r, const double x[3])
{
  return (struct vector){ { poly_number(r, x[0]), poly_number(r, x[1]), poly_number(r, x[2]) } };
}

static struct poly dot(struct poly_ring *r, const struct vector *a, const struct vector *b)
{
  struct poly sum = { NULL, 0 };
  for (int k = 0; k < 3; k++) sum = poly_add(r, sum, poly_multiply(r, a->x[k], b->x[k]));
  return sum;
}

/* v + w x p */
static struct vector swung(struct poly_ring *r, const struct vector *v, const struct vector *w, const struct vector *p)
{
  struct vector out;
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const struct poly turn = poly_subtract(r, poly_multiply(r, w->x[i], p->x[j]), poly_multiply(r, w->x[j], p->x[i]));
    out.x[k] = poly_add(r, v->x[k], turn);
  }
  return out;
}

static struct poly cosine_of(struct poly_ring *r, int angle)
{
  return angle < 0 ? poly_number(r, 1) : poly_symbol(r, CLOSED_COSINE + (size_t)angle);
}
static struct poly sine_of(struct poly_ring *r, int angle)
{
  return angle < 0 ? poly_number(r, 0) : poly_symbol(r, CLOSED_SINE + (size_t)angle);
}

/* From the link's axes to those of the chain: Rz(sum) diag(1, flip, flip). */
static struct vector to_chain(struct poly_ring *r, const struct outward *o, const struct vector *p)
{
  const struct poly c = cosine_of(r, o->angle), s = sine_of(r, o->angle);
  const struct poly y = poly_scale(r, o->flip, p->x[1]);
  return (struct vector){ { poly_subtract(r, poly_multiply(r, c, p->x[0]), poly_multiply(r, s, y)),
                            poly_add(r, poly_multiply(r, s, p->x[0]), poly_multiply(r, c, y)),
                            poly_scale(r, o->flip, p->x[2]) } };
}
/* And back. */
static struct vector to_link(struct poly_ring *r, const struct outward *o, const struct vector *p)
{
  const struct poly c = cosine_of(r, o->angle), s = sine_of(r, o->angle);
  const struct poly y = poly_subtract(r, poly_multiply(r, c, p->x[1]), poly_multiply(r, s, p->x[0]));
  return (struct vector){ { poly_add(r, poly_multiply(r, c, p->x[0]), poly_multiply(r, s, p->x[1])),
                            poly_scale(r, o->flip, y), poly_scale(r, o->flip, p->x[2]) } };
}

/* -- symbols with their values -- */

static struct poly symbol_of(struct closed_form *f, size_t symbol, double value, double scale)
{
  if (fabs(value) <= ROUNDING * scale) return poly_number(&f->ring, 0);
  f->value[symbol] = value;
  return poly_symbol(&f->ring, symbol);
}

/* The centre of mass; where it lies on the next axis, at that one's distance, it is that length. */
static struct vector center_of(struct closed_form *f, const struct reduced_robot *reduced, size_t i,
                               const struct distribution *body)
{
  const double scale = 1, x = body->h[0] / body->m;
  const bool at_end = i + 1 < f->n && fabs(x) > ROUNDING && fabs(x - reduced->joints[i + 1].x) <= ROUNDING;
  return (struct vector){ { at_end ? symbol_of(f, CLOSED_LENGTH + i + 1, reduced->joints[i + 1].x, scale)
                                   : symbol_of(f, CLOSED_X + i, x, scale),
                            symbol_of(f, CLOSED_Y + i, body->h[1] / body->m, scale),
                            symbol_of(f, CLOSED_Z + i, body->h[2] / body->m, scale) } };
}

/* w . I w, of the link's own axes */
static struct poly spin_energy(struct closed_form *f, size_t i, const struct distribution *body, const struct vector *w)
{
  struct poly_ring *r = &f->ring;
  static const int row[6] = { 0, 1, 2, 0, 0, 1 }, column[6] = { 0, 1, 2, 1, 2, 2 };
  double S[6], trace = 0;
  struct poly sum = { NULL, 0 };
  for (int k = 0; k < 6; k++) {
    S[k] = body->s[k] - (body->m > 0 ? body->h[row[k]] * body->h[column[k]] / body->m : 0);
    trace += k < 3 ? S[k] : 0;
  }
  const double size = fabs(body->s[0]) + fabs(body->s[1]) + fabs(body->s[2]);
  for (size_t k = 0; k < 6; k++) {
    const double value = k < 3 ? trace - S[k] : -S[k];
    const struct poly I = symbol_of(f, CLOSED_INERTIA + 6 * i + k, value, size);
    const struct poly product = poly_multiply(r, w->x[row[k]], w->x[column[k]]);
    sum = poly_add(r, sum, poly_scale(r, k < 3 ? 1 : 2, poly_multiply(r, I, product)));
  }
  return sum;
}

/* -- outward -- */

static struct vector turned_back(struct poly_ring *r, const struct reduced_joint *joint, const struct vector *v)
{
  const double c = joint->twist_cosine, s = joint->twist_sine;
  return (struct vector){ { v->x[0], poly_add(r, poly_scale(r, c, v->x[1]), poly_scale(r, s, v->x[2])),
                            poly_subtract(r, poly_scale(r, c, v->x[2]), poly_scale(r, s, v->x[1])) } };
}

/* From link i - 1 to the axes before joint i's own motion. */
static void step_to_joint(struct closed_form *f, size_t i, const struct reduced_joint *joint, struct outward *o)
{
  struct poly_ring *r = &f->ring;
  const struct vector arm = { { symbol_of(f, CLOSED_LENGTH + i, joint->x, 1),
                                symbol_of(f, CLOSED_OFFSET + i, joint->y, 1), poly_number(r, 0) } };
  const struct vector p = to_chain(r, o, &arm);
  o->v = swung(r, &o->v, &o->w, &p);
  if (fabs(joint->twist_sine) < ROUNDING) { /* parallel: the chain goes on */
    if (joint->twist_cosine < 0) o->flip = -o->flip;
    f->first[i] = f->first[i - 1];
    return;
  }
  struct vector *all[3] = { &o->w, &o->v, &o->up };
  for (int k = 0; k < 3; k++) {
    const struct vector in_link = to_link(r, o, all[k]);
    *all[k] = turned_back(r, joint, &in_link);
  }
  o->flip = 1;
  o->angle = -1;
  f->first[i] = (int)i;
}

static void step_of_joint(struct closed_form *f, size_t i, struct outward *o)
{
  struct poly_ring *r = &f->ring;
  const struct poly speed = poly_scale(r, o->flip, poly_symbol(r, CLOSED_SPEED + i));
  if (!f->slides[i]) {
    o->w.x[2] = poly_add(r, o->w.x[2], speed);
    o->angle = (int)i;
    f->sign[i] = o->flip;
    return;
  }
  const double zero[3] = { 0, 0, 0 };
  struct vector p = constant(r, zero);
  p.x[2] = poly_scale(r, o->flip, poly_symbol(r, CLOSED_SLIDE + i));
  o->v = swung(r, &o->v, &o->w, &p);
  o->v.x[2] = poly_add(r, o->v.x[2], speed);
}

/* Twice the kinetic energy, and the weight's power m g up . v. */
static void sum_energies(struct closed_form *f, const struct reduced_robot *reduced, const struct distribution *bodies,
                         const double up[3], struct poly *twice_kinetic, struct poly *power)
{
  struct poly_ring *r = &f->ring;
  const double zero[3] = { 0, 0, 0 };
  const double size = sqrt(dot3(up, up)), unit[3] = { up[0], up[1], up[2] };
  struct outward o = { .w = constant(r, zero), .v = constant(r, zero), .flip = 1, .angle = -1 };
  double direction[3];
  for (int k = 0; k < 3; k++) direction[k] = size > 0 && fabs(unit[k]) > ROUNDING * size ? unit[k] / size : 0;
  o.up = constant(r, direction);
  const struct poly g = symbol_of(f, CLOSED_GRAVITY, size, 0);
  for (size_t i = 0; i < f->n; i++) {
    if (i > 0) step_to_joint(f, i, &reduced->joints[i], &o);
    step_of_joint(f, i, &o);
    const struct vector w = to_link(r, &o, &o.w);
    *twice_kinetic = poly_add(r, *twice_kinetic, spin_energy(f, i, &bodies[i], &w));
    if (!(bodies[i].m > 0)) continue;
    const struct vector center = center_of(f, reduced, i, &bodies[i]), p = to_chain(r, &o, &center);
    const struct vector v = swung(r, &o.v, &o.w, &p);
    const struct poly m = symbol_of(f, CLOSED_MASS + i, bodies[i].m, 0);
    *twice_kinetic = poly_add(r, *twice_kinetic, poly_multiply(r, m, dot(r, &v, &v)));
    *power = poly_add(r, *power, poly_multiply(r, poly_multiply(r, m, g), dot(r, &o.up, &v)));
  }
}

/* -- sines and cosines -- */

/* x y = number or symbol, less or more a product */
static struct poly replaced(struct poly_ring *r, struct poly a, size_t x, size_t y, struct poly by, double factor,
                            size_t u, size_t v)
{
  const struct poly product = poly_scale(r, factor, poly_multiply(r, poly_symbol(r, u), poly_symbol(r, v)));
  return poly_replace(r, a, x, y, poly_add(r, by, product));
}

static struct poly reduced_by(struct closed_form *f, struct poly a, bool keep_sines)
{
  struct poly_ring *r = &f->ring;
  for (size_t j = 0; j < f->n; j++) {
    for (size_t i = 0; i <= j; i++) {
      if (f->slides[i] || f->slides[j] || f->first[i] != f->first[j]) continue;
      const size_t ci = CLOSED_COSINE + i, cj = CLOSED_COSINE + j, si = CLOSED_SINE + i, sj = CLOSED_SINE + j;
      const size_t out = keep_sines ? ci : si, other = keep_sines ? cj : sj, in = keep_sines ? si : ci,
                   inner = keep_sines ? sj : cj;
      const struct poly between = i == j ? poly_number(r, 1) : poly_symbol(r, CLOSED_COSINE_BETWEEN + N * i + j);
      a = replaced(r, a, out, other, between, -1, in, inner);
      if (i == j) continue;
      const struct poly sine = poly_symbol(r, CLOSED_SINE_BETWEEN + N * i + j);
      /* sin(j - i) = c_i s_j - s_i c_j */
      a = keep_sines ? replaced(r, a, si, cj, poly_scale(r, -1, sine), 1, ci, sj)
                     : replaced(r, a, ci, sj, sine, 1, si, cj);
    }
  }
  return a;
}

static struct poly reduced(struct closed_form *f, struct poly a)
{
  const struct poly one = reduced_by(f, a, false), other = reduced_by(f, a, true);
  return other.count < one.count ? other : one;
}

/* d a / d q_k */
static struct poly by_position(struct closed_form *f, struct poly a, size_t k)
{
  struct poly_ring *r = &f->ring;
  if (f->slides[k]) return poly_derivative(r, a, CLOSED_SLIDE + k);
  struct poly sum = { NULL, 0 };
  for (size_t symbol = CLOSED_COSINE; symbol < CLOSED_SPEED; symbol++) {
    int from, to;
    bool sine;
    if (!closed_form_angles(f, symbol, &from, &to, &sine) || (int)k < from || (int)k > to) continue;
    const struct poly slope = poly_derivative(r, a, symbol);
    if (slope.count == 0) continue;
    const size_t apart = symbol < CLOSED_COSINE_BETWEEN ? N : (size_t)N * N;
    const size_t other = sine ? symbol - apart : symbol + apart;
    const struct poly inner = poly_scale(r, (sine ? 1 : -1) * f->sign[k], poly_symbol(r, other));
    sum = poly_add(r, sum, poly_multiply(r, slope, inner));
  }
  return sum;
}

bool closed_form_angles(const struct closed_form *f, size_t symbol, int *from, int *to, bool *sine)
{
  if (symbol < CLOSED_COSINE || symbol >= CLOSED_SPEED) return false;
  if (symbol < CLOSED_COSINE_BETWEEN) {
    *sine = symbol >= CLOSED_SINE;
    *to = (int)((symbol - CLOSED_COSINE) % N);
    *from = f->first[*to];
    return (size_t)*to < f->n;
  }
  *sine = symbol >= CLOSED_SINE_BETWEEN;
  const size_t pair = symbol - (*sine ? CLOSED_SINE_BETWEEN : CLOSED_COSINE_BETWEEN);
  *from = (int)(pair / N) + 1;
  *to = (int)(pair % N);
  return (size_t)*to < f->n && *from <= *to;
}

/* -- the matrices -- */

static void make_mass_matrix(struct closed_form *f, const struct armdyn_robot *robot, struct poly twice_kinetic)
{
  struct poly_ring *r = &f->ring;
  for (size_t i = 0; i < f->n; i++) {
    for (size_t j = i; j < f->n; j++) {
      struct poly entry = poly_coefficient(r, twice_kinetic, CLOSED_SPEED + i, i == j ? 2 : 1);
      if (i != j) entry = poly_scale(r, 0.5, poly_coefficient(r, entry, CLOSED_SPEED + j, 1));
      entry = reduced(f, entry);
      if (i == j) entry = poly_add(r, entry, symbol_of(f, CLOSED_ROTOR + i, robot->rotor_inertia[i], 0));
      f->M[i * f->n + j] = f->M[j * f->n + i] = entry;
    }
  }
}

/* C_ij = sum_k (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) qd_k / 2 */
static void make_coriolis_matrix(struct closed_form *f)
{
  struct poly_ring *r = &f->ring;
  const size_t n = f->n;
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      struct poly sum = { NULL, 0 };
      for (size_t k = 0; k < n; k++) {
        const struct poly first = by_position(f, f->M[i * n + j], k), second = by_position(f, f->M[i * n + k], j);
        const struct poly both = poly_subtract(r, poly_add(r, first, second), by_position(f, f->M[j * n + k], i));
        sum = poly_add(r, sum, poly_multiply(r, poly_scale(r, 0.5, both), poly_symbol(r, CLOSED_SPEED + k)));
      }
      f->C[i * n + j] = reduced(f, sum);
      f->V[i] = poly_add(r, f->V[i], poly_multiply(r, f->C[i * n + j], poly_symbol(r, CLOSED_SPEED + j)));
    }
  }
}

static size_t terms_of(const struct closed_form *f)
{
  size_t count = 0;
  for (size_t k = 0; k < f->n * f->n; k++) count += f->M[k].count + f->C[k].count;
  return count;
}

bool closed_form_make(const struct armdyn_robot *robot, struct closed_form *f)
{
  struct distribution bodies[ARMDYN_JOINTS_MAX];
  struct poly twice_kinetic = { NULL, 0 }, power = { NULL, 0 };
  *f = (struct closed_form){ .n = robot->joint_count };
  if (f->n > N || robot->coupled) return false;
  reduced_bodies(robot, bodies);
  for (size_t i = 0; i < f->n; i++) {
    const struct reduced_joint *joint = &robot->reduced.joints[i];
    f->slides[i] = joint->slides;
    f->angle[i] = atan2(joint->angle_sine, joint->angle_cosine);
    if (fabs(f->angle[i]) < ROUNDING) f->angle[i] = 0;
    const double *h = bodies[i].h;
    if (joint->slides && f->angle[i] != 0) return false; /* its frame would have to be turned */
    if (!(bodies[i].m > 0) && (h[0] != 0 || h[1] != 0 || h[2] != 0)) return false;
  }
  sum_energies(f, &robot->reduced, bodies, robot->reduced.upward, &twice_kinetic, &power);
  make_mass_matrix(f, robot, twice_kinetic);
  if (f->ring.failed || terms_of(f) > READABLE) return false;
  make_coriolis_matrix(f);
  for (size_t i = 0; i < f->n; i++) {
    f->G[i] = reduced(f, poly_coefficient(&f->ring, power, CLOSED_SPEED + i, 1));
  }
  return !f->ring.failed && terms_of(f) <= READABLE;
}

void closed_form_release(struct closed_form *f)
{
  poly_close(&f->ring);
}

void closed_form_value(const struct closed_form *f, const double *q, const double *qd, double *M, double *C, double *G)
{
  double value[POLY_SYMBOLS];
  memcpy(value, f->value, sizeof value);
  for (size_t i = 0; i < f->n; i++) {
    value[CLOSED_SPEED + i] = qd[i];
    value[CLOSED_SLIDE + i] = q[i];
  }
  for (size_t symbol = CLOSED_COSINE; symbol < CLOSED_SPEED; symbol++) {
    int from, to;
    bool sine;
    double sum = 0;
    if (!closed_form_angles(f, symbol, &from, &to, &sine)) continue;
    for (int k = from; k <= to; k++) sum += f->sign[k] * (q[k] + f->angle[k]);
    value[symbol] = sine ? sin(sum) : cos(sum);
  }
  for (size_t k = 0; k < f->n * f->n; k++) {
    M[k] = poly_value(f->M[k], value);
    C[k] = poly_value(f->C[k], value);
  }
  for (size_t i = 0; i < f->n; i++) G[i] = poly_value(f->G[i], value);
}
