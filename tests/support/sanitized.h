/* Is this the build under AddressSanitizer? It is some times slower, and finds in the first round of a test what it finds in
 * all: so a test may do less there, where the release build does it all. enum { ROUNDS = SANITIZED ? 2 : 8 }; */
#ifndef TESTS_SUPPORT_SANITIZED_H
#define TESTS_SUPPORT_SANITIZED_H

#ifdef __SANITIZE_ADDRESS__
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

#endif
