/* Requests on samples in every format: rows lie where they may and are finite, and what is answered in one format can be
 * asked in it again. The first byte chooses call and format. */
#include <math.h>

#include "api/codec/dynamics.h"
#include "tests/fuzz/fuzz.h"

enum { JOINTS = 2 };

static const char *option(const void *context, const char *name)
{
  const uint8_t choice = *(const uint8_t *)context;
  return choice & 0x40 && strcmp(name, "friction") == 0 ? choice & 0x80 ? "false" : "no" : NULL;
}

static void check_rows(const struct armdyn_rows *rows, size_t count, size_t width)
{
  for (size_t i = 0; i < count && rows->data; i++)
    for (size_t k = 0; k < width; k++) REQUIRE(fabs(rows->data[i * rows->stride + k]) <= 1e12);
}

/* q as an answer, in the same format, decodes to the same q. */
static void check_echo(enum media media, const struct armdyn_robot_description *robot,
                       const struct samples_request *request)
{
  static struct faults faults;
  struct samples_request again;
  struct buffer text = BUFFER(MB(64));
  double *q = malloc(request->count * JOINTS * sizeof *q);
  REQUIRE(q);
  for (size_t i = 0; i < request->count; i++)
    memcpy(q + i * JOINTS, request->q.data + i * request->q.stride, JOINTS * sizeof *q);
  const struct samples_field field = { "q", { JOINTS }, q, false };
  samples_answer_encode(media, &field, 1, 0, request->count, request->single, &text, NULL);
  REQUIRE(buffer_ok(&text));
  REQUIRE(samples_request_decode(CALL_FORWARD_KINEMATICS, media, robot, text.data, text.length, NULL, NULL, &again,
                                 &faults) == ARMDYN_OK);
  REQUIRE(again.count == request->count && again.single == request->single);
  for (size_t i = 0; i < again.count; i++)
    REQUIRE(memcmp(again.q.data + i * again.q.stride, q + i * JOINTS, JOINTS * sizeof *q) == 0);
  samples_request_release(&again);
  buffer_release(&text);
  free(q);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static struct faults faults;
  static struct armdyn_robot_description robot;
  static const enum media formats[] = { MEDIA_JSON, MEDIA_NPY, MEDIA_CSV };
  if (size == 0) return 0;
  armdyn_robot_description_init(&robot);
  robot.joint_count = JOINTS;
  enum media media = formats[data[0] % 3];
  enum samples_call call = (enum samples_call)(data[0] / 3 % SAMPLES_CALL_COUNT);
  char *body = copy_of(data + 1, size - 1);
  struct samples_request request;
  faults.count = 0;
  enum armdyn_status status =
      samples_request_decode(call, media, &robot, body, size - 1, option, data, &request, &faults);
  REQUIRE((status == ARMDYN_OK) == (faults.count == 0));
  if (!status) {
    REQUIRE(request.count > 0 && request.q.data && request.overridden == (request.robot != NULL));
    check_rows(&request.q, request.count, JOINTS);
    check_rows(&request.qd, request.count, JOINTS);
    check_rows(&request.qdd, request.count, JOINTS);
    check_rows(&request.tau, request.count, JOINTS);
    check_rows(&request.wrench, request.count, 6);
    check_echo(media, &robot, &request);
    samples_request_release(&request);
  }
  free(body);
  return 0;
}
