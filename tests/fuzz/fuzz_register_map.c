/* Register maps: what is accepted is the same after a round through JSON, and whatever it says, what is written by it stays
 * within its requests, its address space and the limits of torque; refusals have reasons. */
#include <math.h>

#include "api/codec/controller.h"
#include "server/gateway/map_plan.h"
#include "tests/fuzz/fuzz.h"

enum { AXES = 2, SAMPLES = 5 };
static const double torque_most = 10;

struct visiting {
  const struct register_map *map;
  unsigned long writes;
};

/* The numbers of a write of points, as the controller reads them. */
static void check_points(const struct visiting *v, const struct map_write *w)
{
  const struct map_points *p = &v->map->points;
  REQUIRE(w->count % (unsigned)p->stride == 0);
  for (unsigned at = 0; at < w->count; at += (unsigned)p->stride)
    for (size_t c = 0; c < p->column_count; c++) {
      const struct map_column *column = &p->columns[c];
      REQUIRE(column->at + map_type_words(column->form.type) <= p->stride);
      double number = map_decode(&column->form, w->words + at + column->at);
      REQUIRE(isfinite(number));
      if (column->quantity == MAP_TORQUE) REQUIRE(fabs(number) <= torque_most * (1 + 1e-6));
    }
}

static bool visit(void *context, const struct map_write *w)
{
  struct visiting *v = context;
  v->writes++;
  REQUIRE(w->space == MAP_HOLDING || w->space == MAP_COIL);
  REQUIRE(w->count >= 1 && w->count <= (unsigned)v->map->write_most && w->address + w->count <= 65536);
  REQUIRE(memchr(w->what, 0, sizeof w->what));
  bool points = !strncmp(w->what, "points ", 7) && w->what[7] >= '0' && w->what[7] <= '9';
  if (points) check_points(v, w);
  return true;
}

static void plan(const struct controller_description *controller)
{
  static struct faults faults;
  struct axis_map axes = { .count = AXES };
  struct profile profile;
  struct armdyn_error error = { "", "" };
  struct visiting v = { .map = &controller->profile.map };
  for (size_t a = 0; a < AXES; a++)
    axes.axes[a] = (struct mapped_axis){ .joint = a,
                                         .axis = (unsigned)a,
                                         .name = "j",
                                         .position_scale = 1,
                                         .torque_scale = 1,
                                         .rated = torque_most,
                                         .torque_most = torque_most,
                                         .rate_most = INFINITY };
  faults.count = 0;
  if (map_bind(v.map, &axes, &faults)) {
    REQUIRE(faults.count > 0);
    return;
  }
  REQUIRE(!profile_init(&profile, &axes, FORMAT_POSITION_TORQUE, 10000, SAMPLES, NULL));
  for (size_t k = 0; k < SAMPLES; k++) {
    double x = (double)k / (SAMPLES - 1);
    profile_put(&profile, &axes, k, (double[]){ x, 1 - x }, (double[]){ torque_most * x, -torque_most * x });
  }
  profile_finish(&profile);
  REQUIRE(!profile_check(&profile, &faults));
  enum armdyn_status status = map_plan(v.map, (unsigned)controller->unit, &profile, visit, &v, &error);
  REQUIRE(status == ARMDYN_OK || (status == ARMDYN_EINPUT && *error.message));
  REQUIRE(status || v.writes > 0);
  profile_release(&profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static struct faults faults;
  static struct controller_description controller, again;
  struct buffer first = BUFFER(MB(1)), second = BUFFER(MB(1));
  char *bytes = copy_of(data, size);
  faults.count = 0;
  enum armdyn_status status = controller_decode(bytes, size, &controller, &faults);
  require_reason(status, &faults);
  if (!status) {
    controller_encode(&controller, &first);
    REQUIRE(buffer_ok(&first) && is_json(first.data, first.length));
    REQUIRE(controller_decode(first.data, first.length, &again, &faults) == ARMDYN_OK);
    controller_encode(&again, &second);
    REQUIRE(buffer_ok(&second) && first.length == second.length && !memcmp(first.data, second.data, first.length));
    if (controller.profile.has_map) plan(&controller);
  }
  buffer_release(&first);
  buffer_release(&second);
  free(bytes);
  return 0;
}
