/* Requests for energy estimates in JSON, CSV and .npy (by the first byte): refusals have reasons; what is accepted is a
 * trajectory, a data set, or a log whose times increase. */
#include "api/codec/energy.h"
#include "tests/fuzz/fuzz.h"

static const char *no_options(const void *context, const char *name)
{
  (void)context, (void)name;
  return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static struct faults faults;
  struct energy_request request;
  if (!size) return 0;
  char *bytes = copy_of(data + 1, size - 1);
  faults.count = 0;
  static const enum media kinds[] = { MEDIA_JSON, MEDIA_CSV, MEDIA_NPY, MEDIA_JSON };
  enum armdyn_status status =
      energy_request_decode(kinds[data[0] % 4], 2, bytes, size - 1, no_options, NULL, &request, &faults);
  require_reason(status, &faults);
  if (!status) {
    REQUIRE((!request.trajectory[0] && !request.dataset[0]) == (request.count >= 2));
    REQUIRE(!request.trajectory[0] || !request.dataset[0]);
    for (size_t k = 1; k < request.count; k++) {
      REQUIRE(request.t.data[k * request.t.stride] > request.t.data[(k - 1) * request.t.stride]);
      REQUIRE(isfinite(request.q.data[k * request.q.stride + 1]) &&
              isfinite(request.qd.data[k * request.qd.stride + 1]));
    }
    REQUIRE(!request.tau.data || !request.current.data);
    energy_request_release(&request);
  }
  free(bytes);
  return 0;
}
