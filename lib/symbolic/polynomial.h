/* Polynomials in up to POLY_SYMBOLS symbols with real coefficients: what closed forms are made of. Values never change; all of
 * them live in the memory of their ring until it is closed. A ring that ran out of memory, or made more than POLY_TERMS terms,
 * answers 0 from then on and says so in `failed`. */
#ifndef LIB_SYMBOLIC_POLYNOMIAL_H
#define LIB_SYMBOLIC_POLYNOMIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { POLY_SYMBOLS = 112, POLY_TERMS = 400000 };

struct poly_term {
  double factor; /* not 0 */
  uint8_t power[POLY_SYMBOLS];
};

/* Terms in the order of their powers, each power once; no terms: 0. */
struct poly {
  const struct poly_term *terms;
  size_t count;
};

struct poly_piece;
struct poly_ring {
  struct poly_piece *pieces;
  size_t made;
  bool failed;
};

void poly_close(struct poly_ring *ring);

struct poly poly_number(struct poly_ring *ring, double value);
struct poly poly_symbol(struct poly_ring *ring, size_t symbol);
struct poly poly_add(struct poly_ring *ring, struct poly a, struct poly b);
struct poly poly_scale(struct poly_ring *ring, double factor, struct poly a);
struct poly poly_subtract(struct poly_ring *ring, struct poly a, struct poly b);
struct poly poly_multiply(struct poly_ring *ring, struct poly a, struct poly b);
/* The partial derivative. */
struct poly poly_derivative(struct poly_ring *ring, struct poly a, size_t symbol);
/* Of a, the terms with exactly this power of the symbol, without it. */
struct poly poly_coefficient(struct poly_ring *ring, struct poly a, size_t symbol, unsigned power);
/* Every x y, x and y different or not, becomes `by`, until there is none. */
struct poly poly_replace(struct poly_ring *ring, struct poly a, size_t x, size_t y, struct poly by);
double poly_value(struct poly a, const double values[POLY_SYMBOLS]);

#endif
