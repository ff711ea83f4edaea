/* Poses, bodies, motions and forces (lib/math/spatial.h) for numbers of type REAL. A template as lib/math/vector_kernel.h,
 * and included after it. */

struct NAME(pose) {
  REAL r[9];
  REAL p[3];
};

struct NAME(distribution) {
  REAL m;
  REAL h[3];
  REAL s[6];
};

/* out = a b */
static inline void NAME(pose_multiply)(struct NAME(pose) *restrict out, const struct NAME(pose) * a,
                                       const struct NAME(pose) * b)
{
  NAME(multiply3)(out->r, a->r, b->r);
  NAME(rotate3)(out->p, a->r, b->p);
  for (int i = 0; i < 3; i++) out->p[i] += a->p[i];
}

/* out += the distribution `d` of a frame at `x`, in the frame that x is given in:
 * m, R h + m p, R S R' + p (R h)' + (R h) p' + m p p'. */
static inline void NAME(distribution_add)(struct NAME(distribution) *restrict out, const struct NAME(pose) * x,
                                          const struct NAME(distribution) * d)
{
  const REAL *r = x->r, *p = x->p, *s = d->s;
  const REAL full[9] = { s[0], s[3], s[4], s[3], s[1], s[5], s[4], s[5], s[2] };
  REAL h[3], rs[9];
  NAME(rotate3)(h, r, d->h);
  NAME(multiply3)(rs, r, full);
  static const int row[6] = { 0, 1, 2, 0, 0, 1 }, column[6] = { 0, 1, 2, 1, 2, 2 };
  for (int k = 0; k < 6; k++) {
    const int i = row[k], j = column[k];
    out->s[k] += NAME(dot3)(rs + 3 * i, r + 3 * j) + p[i] * h[j] + h[i] * p[j] + d->m * p[i] * p[j];
  }
  for (int i = 0; i < 3; i++) out->h[i] += h[i] + d->m * p[i];
  out->m += d->m;
}

/* out = u x s: the rate of a motion s that is carried along by a motion u */
static inline void NAME(cross_motion)(REAL *restrict out, const REAL u[6], const REAL s[6])
{
  REAL other[3];
  NAME(cross3)(out, u, s);
  NAME(cross3)(out + 3, u, s + 3);
  NAME(cross3)(other, u + 3, s);
  for (int k = 0; k < 3; k++) out[3 + k] += other[k];
}

/* out = u x* f: the rate of a force f that is carried along */
static inline void NAME(cross_force)(REAL *restrict out, const REAL u[6], const REAL f[6])
{
  REAL other[3];
  NAME(cross3)(out, u, f);
  NAME(cross3)(other, u + 3, f + 3);
  NAME(cross3)(out + 3, u, f + 3);
  for (int k = 0; k < 3; k++) out[k] += other[k];
}

static inline REAL NAME(dot6)(const REAL *a, const REAL *b)
{
  return (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) + (a[3] * b[3] + a[4] * b[4] + a[5] * b[5]);
}

/* out = the inertia of a body times a motion: [h x v + (tr(S) 1 - S) w; m v + w x h] */
static inline void NAME(body_times)(REAL *restrict out, const struct NAME(distribution) * d, const REAL u[6])
{
  const REAL *s = d->s, trace = s[0] + s[1] + s[2];
  REAL turn[3];
  NAME(cross3)(out, d->h, u + 3);
  NAME(cross3)(turn, u, d->h);
  out[0] += trace * u[0] - (s[0] * u[0] + s[3] * u[1] + s[4] * u[2]);
  out[1] += trace * u[1] - (s[3] * u[0] + s[1] * u[1] + s[5] * u[2]);
  out[2] += trace * u[2] - (s[4] * u[0] + s[5] * u[1] + s[2] * u[2]);
  for (int k = 0; k < 3; k++) out[3 + k] = d->m * u[3 + k] + turn[k];
}
