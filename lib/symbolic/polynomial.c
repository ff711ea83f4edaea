#include "lib/symbolic/polynomial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Less than this of a coefficient's summands is their rounding. */
static const double ROUNDING = 1e-12;

struct poly_piece {
  struct poly_piece *next;
  struct poly_term terms[];
};

void poly_close(struct poly_ring *ring)
{
  while (ring->pieces) {
    struct poly_piece *next = ring->pieces->next;
    free(ring->pieces);
    ring->pieces = next;
  }
  ring->made = 0;
}

static struct poly_term *room(struct poly_ring *ring, size_t count)
{
  ring->made += count;
  ring->failed = ring->failed || ring->made > POLY_TERMS;
  struct poly_piece *piece = ring->failed ? NULL : malloc(sizeof *piece + count * sizeof *piece->terms);
  if (!piece) {
    ring->failed = true;
    return NULL;
  }
  piece->next = ring->pieces;
  ring->pieces = piece;
  return piece->terms;
}

static const struct poly none = { NULL, 0 };

struct poly poly_number(struct poly_ring *ring, double value)
{
  struct poly_term *term = value != 0 ? room(ring, 1) : NULL;
  if (!term) return none;
  *term = (struct poly_term){ .factor = value };
  return (struct poly){ term, 1 };
}

struct poly poly_symbol(struct poly_ring *ring, size_t symbol)
{
  struct poly_term *term = room(ring, 1);
  if (!term) return none;
  *term = (struct poly_term){ .factor = 1 };
  term->power[symbol] = 1;
  return (struct poly){ term, 1 };
}

static int compare(const void *x, const void *y)
{
  const struct poly_term *a = x, *b = y;
  return memcmp(b->power, a->power, sizeof a->power);
}

/* Terms in any order become a polynomial, in place. */
static struct poly tidy(struct poly_term *terms, size_t count)
{
  size_t kept = 0;
  if (count > 1) qsort(terms, count, sizeof *terms, compare);
  for (size_t k = 0; k < count;) {
    double sum = 0, size = 0;
    size_t next = k;
    for (; next < count && compare(&terms[next], &terms[k]) == 0; next++) {
      sum += terms[next].factor;
      size += fabs(terms[next].factor);
    }
    if (fabs(sum) > ROUNDING * size) {
      terms[kept] = terms[k];
      terms[kept++].factor = sum;
    }
    k = next;
  }
  return (struct poly){ terms, kept };
}

struct poly poly_add(struct poly_ring *ring, struct poly a, struct poly b)
{
  if (a.count == 0) return b;
  if (b.count == 0) return a;
  struct poly_term *terms = room(ring, a.count + b.count);
  if (!terms) return none;
  memcpy(terms, a.terms, a.count * sizeof *terms);
  memcpy(terms + a.count, b.terms, b.count * sizeof *terms);
  return tidy(terms, a.count + b.count);
}

struct poly poly_scale(struct poly_ring *ring, double factor, struct poly a)
{
  struct poly_term *terms = factor != 0 && a.count > 0 ? room(ring, a.count) : NULL;
  if (!terms) return none;
  for (size_t k = 0; k < a.count; k++) {
    terms[k] = a.terms[k];
    terms[k].factor *= factor;
  }
  return (struct poly){ terms, a.count };
}

struct poly poly_subtract(struct poly_ring *ring, struct poly a, struct poly b)
{
  return poly_add(ring, a, poly_scale(ring, -1, b));
}

struct poly poly_multiply(struct poly_ring *ring, struct poly a, struct poly b)
{
  struct poly_term *terms = a.count > 0 && b.count > 0 ? room(ring, a.count * b.count) : NULL;
  if (!terms) return none;
  for (size_t i = 0; i < a.count; i++) {
    for (size_t j = 0; j < b.count; j++) {
      struct poly_term *out = &terms[i * b.count + j];
      out->factor = a.terms[i].factor * b.terms[j].factor;
      for (size_t s = 0; s < POLY_SYMBOLS; s++) {
        out->power[s] = (uint8_t)(a.terms[i].power[s] + b.terms[j].power[s]);
      }
    }
  }
  return tidy(terms, a.count * b.count);
}

struct poly poly_derivative(struct poly_ring *ring, struct poly a, size_t symbol)
{
  struct poly_term *terms = a.count > 0 ? room(ring, a.count) : NULL;
  size_t count = 0;
  if (!terms) return none;
  for (size_t k = 0; k < a.count; k++) {
    const uint8_t power = a.terms[k].power[symbol];
    if (power == 0) continue;
    terms[count] = a.terms[k];
    terms[count].factor *= power;
    terms[count++].power[symbol]--;
  }
  return tidy(terms, count);
}

struct poly poly_coefficient(struct poly_ring *ring, struct poly a, size_t symbol, unsigned power)
{
  struct poly_term *terms = a.count > 0 ? room(ring, a.count) : NULL;
  size_t count = 0;
  if (!terms) return none;
  for (size_t k = 0; k < a.count; k++) {
    if (a.terms[k].power[symbol] != power) continue;
    terms[count] = a.terms[k];
    terms[count++].power[symbol] = 0;
  }
  return tidy(terms, count);
}

static bool has_product(const struct poly_term *term, size_t x, size_t y)
{
  return x == y ? term->power[x] >= 2 : term->power[x] > 0 && term->power[y] > 0;
}

struct poly poly_replace(struct poly_ring *ring, struct poly a, size_t x, size_t y, struct poly by)
{
  for (;;) {
    size_t found = 0, others = 0;
    for (size_t k = 0; k < a.count; k++) found += has_product(&a.terms[k], x, y);
    if (found == 0) return a;
    struct poly_term *with = room(ring, found), *without = room(ring, a.count - found + 1);
    if (!with || !without) return none;
    found = 0;
    for (size_t k = 0; k < a.count; k++) {
      if (!has_product(&a.terms[k], x, y)) {
        without[others++] = a.terms[k];
        continue;
      }
      with[found] = a.terms[k];
      with[found].power[x]--;
      with[found++].power[y]--;
    }
    const struct poly quotient = tidy(with, found);
    a = poly_add(ring, (struct poly){ without, others }, poly_multiply(ring, quotient, by));
  }
}

double poly_value(struct poly a, const double values[POLY_SYMBOLS])
{
  double sum = 0;
  for (size_t k = 0; k < a.count; k++) {
    double product = a.terms[k].factor;
    for (size_t s = 0; s < POLY_SYMBOLS; s++) {
      for (unsigned p = 0; p < a.terms[k].power[s]; p++) product *= values[s];
    }
    sum += product;
  }
  return sum;
}
