/* Allocations that fail on purpose: the n-th of malloc, calloc and realloc from now answers NULL. A test program includes
 * this once. Not with sanitizers, which have put their own malloc here: FAILING is 0 then. */
#ifndef TESTS_SUPPORT_FAILING_H
#define TESTS_SUPPORT_FAILING_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FAILING 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FAILING 0
#endif
#endif
#ifndef FAILING
#define FAILING 1
#endif

#if FAILING
static _Thread_local long failing_in; /* 0: never */
static _Thread_local long held;       /* allocated and not freed, while counting */
static _Thread_local bool failed;

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void __libc_free(void *old);

static inline bool fails_now(void)
{
  bool now = failing_in > 0 && --failing_in == 0;
  failed |= now;
  return now;
}

void *malloc(size_t size)
{
  void *memory = fails_now() ? NULL : __libc_malloc(size);
  held += memory != NULL;
  return memory;
}
void *calloc(size_t count, size_t size)
{
  void *memory = fails_now() ? NULL : __libc_calloc(count, size);
  held += memory != NULL;
  return memory;
}
void *realloc(void *old, size_t size)
{
  void *memory = fails_now() ? NULL : __libc_realloc(old, size);
  held += memory != NULL && !old;
  return memory;
}
void free(void *old)
{
  held -= old != NULL;
  __libc_free(old);
}
#endif

#endif
