/* Scripts of the Robotics Toolbox. */
#include "tests/fuzz/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  return fuzz_import(MEDIA_MATLAB, data, size);
}
