/* How long a thread may run before the kernel looks who else waits. */
#ifndef SERVER_BASE_SLICE_H
#define SERVER_BASE_SLICE_H

#include <stdint.h>

/* Ask for turns of `ns` (0: the kernel's own, some ms) on a busy machine for this thread and those that it makes from now on.
 * Its share of the machine stays the same; it comes in smaller pieces, and so sooner. Kernels before 6.12, and policies
 * other than the normal one, take no notice. Returns what was in force, to be given back. */
uint64_t slice_set(uint64_t ns);

#endif
