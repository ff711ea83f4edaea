/* Random numbers that are the same everywhere: xorshift64* (Vigna 2016). */
#ifndef LIB_BASE_RANDOM_H
#define LIB_BASE_RANDOM_H

#include <stdint.h>

/* A state for any seed, 0 too. */
static inline uint64_t random_from_seed(unsigned long seed)
{
  return UINT64_C(0x9E3779B97F4A7C15) * ((uint64_t)seed + 1) | 1;
}

/* Uniform in [0, 1); *state is not 0, and never becomes so. */
static inline double random_unit(uint64_t *state)
{
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return (double)(*state * UINT64_C(2685821657736338717) >> 11) * 0x1p-53;
}

/* Uniform in [-1, 1). */
static inline double random_symmetric(uint64_t *state)
{
  return 2 * random_unit(state) - 1;
}

/* Normal, of mean 0 and deviation 1, nearly: the sum of twelve (no libm, whose last bit differs between machines). */
static inline double random_normal(uint64_t *state)
{
  double sum = -6;
  for (int k = 0; k < 12; k++) sum += random_unit(state);
  return sum;
}

#endif
