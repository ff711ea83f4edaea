/* Requests for programs of an arm: refusals have reasons; what is accepted names functions once, and torques that are
 * numbers. */
#include "api/codec/code.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static struct faults faults;
  struct code_request request;
  struct armdyn_code_request asked;
  if (!size) return 0;
  char *bytes = copy_of(data + 1, size - 1);
  const size_t joints = data[0] % (ARMDYN_CODE_JOINTS_MAX + 2);
  faults.count = 0;
  const enum armdyn_status status = code_request_decode(bytes, size - 1, joints, &request, &faults);
  require_reason(status, &faults);
  if (!status) {
    REQUIRE(request.function_count >= 1 && request.function_count <= ARMDYN_CODE_FUNCTIONS);
    REQUIRE(request.bound_count <= 1 || !joints || request.bound_count == joints);
    REQUIRE(!request.trajectory[0] || request.bound_count > 0);
    for (size_t k = 0; k < request.function_count; k++) {
      for (size_t j = 0; j < k; j++) REQUIRE(request.functions[j] != request.functions[k]);
      code_request_of(&request, k, "arm", NULL, &asked);
      for (size_t i = 0; i < joints && i < ARMDYN_CODE_JOINTS_MAX; i++) {
        REQUIRE(asked.error_bound[i] >= 0 && isfinite(asked.error_bound[i]));
        REQUIRE((asked.error_bound[i] > 0) == (request.bound_count > 0));
      }
    }
  }
  free(bytes);
  return 0;
}
