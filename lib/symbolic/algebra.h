/* Three-vectors, poses and mass distributions of expressions; conventions in lib/math/spatial.h. An output may not be an
 * input unless said. */
#ifndef LIB_SYMBOLIC_ALGEBRA_H
#define LIB_SYMBOLIC_ALGEBRA_H

#include "lib/math/spatial.h"
#include "lib/symbolic/expression.h"

struct expr_body {
  expr m, h[3], s[6];
};

static inline expr expr_dot(struct expr_graph *g, const expr *a, const expr *b)
{
  const expr first = expr_add(g, expr_multiply(g, a[0], b[0]), expr_multiply(g, a[1], b[1]));
  return expr_add(g, first, expr_multiply(g, a[2], b[2]));
}

/* x y - z w */
static inline expr expr_cross_element(struct expr_graph *g, expr x, expr y, expr z, expr w)
{
  return expr_subtract(g, expr_multiply(g, x, y), expr_multiply(g, z, w));
}

static inline void expr_cross(struct expr_graph *g, expr out[3], const expr a[3], const expr b[3])
{
  out[0] = expr_cross_element(g, a[1], b[2], a[2], b[1]);
  out[1] = expr_cross_element(g, a[2], b[0], a[0], b[2]);
  out[2] = expr_cross_element(g, a[0], b[1], a[1], b[0]);
}

static inline void expr_vector_add(struct expr_graph *g, expr *out, const expr *x, size_t count)
{
  for (size_t k = 0; k < count; k++) out[k] = expr_add(g, out[k], x[k]);
}

static inline void expr_vector(struct expr_graph *g, expr *out, const double *x, size_t count)
{
  for (size_t k = 0; k < count; k++) out[k] = expr_number(g, x[k]);
}

/* v = A v, or A' v; in place */
static inline void expr_rotate(struct expr_graph *g, const double A[9], expr v[3])
{
  expr r[9], out[3];
  expr_vector(g, r, A, 9);
  for (int i = 0; i < 3; i++) out[i] = expr_dot(g, r + 3 * i, v);
  for (int i = 0; i < 3; i++) v[i] = out[i];
}
static inline void expr_unrotate(struct expr_graph *g, const double A[9], expr v[3])
{
  const double t[9] = { A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8] };
  expr_rotate(g, t, v);
}

/* v = Rz v, or Rz' v, of an angle with cosine c and sine s; in place */
static inline void expr_turn(struct expr_graph *g, expr c, expr s, expr v[3])
{
  const expr x = v[0];
  v[0] = expr_cross_element(g, c, x, s, v[1]);
  v[1] = expr_add(g, expr_multiply(g, s, x), expr_multiply(g, c, v[1]));
}
static inline void expr_unturn(struct expr_graph *g, expr c, expr s, expr v[3])
{
  expr_turn(g, c, expr_negate(g, s), v);
}

/* Element k of a symmetric matrix xx yy zz xy xz yz in row and column. */
static const int expr_row[6] = { 0, 1, 2, 0, 0, 1 }, expr_column[6] = { 0, 1, 2, 1, 2, 2 };

/* S += p h' + h p' + m p p' and h += m p: the body seen from a frame in which its own stands at p. */
static inline void expr_body_shift(struct expr_graph *g, struct expr_body *x, const expr p[3])
{
  expr moved[3];
  for (int k = 0; k < 3; k++) moved[k] = expr_add(g, x->h[k], expr_multiply(g, x->m, p[k]));
  for (int k = 0; k < 6; k++) {
    const int i = expr_row[k], j = expr_column[k];
    x->s[k] = expr_add(g, x->s[k], expr_add(g, expr_multiply(g, p[i], moved[j]), expr_multiply(g, x->h[i], p[j])));
  }
  for (int k = 0; k < 3; k++) x->h[k] = moved[k];
}

/* h = R h, S = R S R' for a constant R */
static inline void expr_body_rotate(struct expr_graph *g, struct expr_body *x, const double R[9])
{
  const expr *s = x->s;
  expr columns[3][3] = { { s[0], s[3], s[4] }, { s[3], s[1], s[5] }, { s[4], s[5], s[2] } };
  expr_rotate(g, R, x->h);
  for (int k = 0; k < 3; k++) expr_rotate(g, R, columns[k]);
  for (int i = 0; i < 3; i++) {
    expr row[3] = { columns[0][i], columns[1][i], columns[2][i] };
    expr_rotate(g, R, row);
    for (int k = 0; k < 6; k++) {
      if (expr_row[k] == i) x->s[k] = row[expr_column[k]];
    }
  }
}

/* The same for Rz of an angle with cosine c and sine s. */
static inline void expr_body_turn(struct expr_graph *g, struct expr_body *x, expr c, expr s)
{
  expr *S = x->s;
  const expr sc = expr_multiply(g, s, c), across = expr_subtract(g, S[0], S[1]), two = expr_number(g, 2);
  const expr cc = expr_subtract(g, expr_multiply(g, c, c), expr_multiply(g, s, s));
  const expr xy = expr_add(g, expr_multiply(g, sc, across), expr_multiply(g, cc, S[3]));
  const expr shift =
      expr_add(g, expr_multiply(g, expr_multiply(g, s, s), across), expr_multiply(g, two, expr_multiply(g, sc, S[3])));
  expr z[3] = { S[4], S[5], 0 };
  expr_turn(g, c, s, x->h);
  expr_turn(g, c, s, z);
  S[0] = expr_subtract(g, S[0], shift);
  S[1] = expr_add(g, S[1], shift);
  S[3] = xy;
  S[4] = z[0];
  S[5] = z[1];
}

#endif
