/* Three-vectors and 3 x 3 matrices (row-major), inline, for numbers of type REAL: a double, or a vector of them. A template,
 * included once for each type; NAME(x) names its functions. An output may not be an input unless said. */

static inline void NAME(cross3)(REAL *restrict out, const REAL *a, const REAL *b)
{
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

static inline REAL NAME(dot3)(const REAL *a, const REAL *b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* out = A v */
static inline void NAME(rotate3)(REAL *restrict out, const REAL *A, const REAL *v)
{
  for (int i = 0; i < 3; i++) out[i] = A[3 * i] * v[0] + A[3 * i + 1] * v[1] + A[3 * i + 2] * v[2];
}

/* out = A' v */
static inline void NAME(unrotate3)(REAL *restrict out, const REAL *A, const REAL *v)
{
  for (int i = 0; i < 3; i++) out[i] = A[i] * v[0] + A[3 + i] * v[1] + A[6 + i] * v[2];
}

/* out = A B */
static inline void NAME(multiply3)(REAL *restrict out, const REAL *A, const REAL *B)
{
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) out[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
  }
}
