#include "lib/dynamics/lanes.h"

size_t lanes_supported(const struct lanes_kernels *kinds[LANES_KINDS])
{
  size_t count = 0;
#ifdef LANES_OF_X86_64
  if (__builtin_cpu_supports("x86-64-v4")) kinds[count++] = &lanes_avx512;
  if (__builtin_cpu_supports("x86-64-v3")) kinds[count++] = &lanes_avx2;
#elif defined LANES_OF_AARCH64
  kinds[count++] = &lanes_neon;
#endif
  kinds[count++] = &lanes_baseline;
  return count;
}

const struct lanes_kernels *lanes_fastest(void)
{
  const struct lanes_kernels *kinds[LANES_KINDS];
  lanes_supported(kinds);
  return kinds[0];
}
