/* Is this the build under AddressSanitizer? It is some times slower, and finds in the first round of a test what it finds in
 * all: so a test may do less there, where the release build does it all. enum { ROUNDS = SANITIZED ? 2 : 8 };
 * Of a campaign of random draws it tries one in seven, as a sample(k) of all: seven, so that what goes
 * round by k % 2, 3, 4, 5 or 10 comes in all its kinds. */
#ifndef TESTS_SUPPORT_SANITIZED_H
#define TESTS_SUPPORT_SANITIZED_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __SANITIZE_ADDRESS__
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

static inline bool sample(size_t k)
{
  return !SANITIZED || k % 7 == 0;
}

#endif
