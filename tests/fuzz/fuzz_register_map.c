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
  unsigned long requests;
};

/* The torques of a write of points, as the controller reads them: of requests that write whole points. */
static void check_points(const struct visiting *v, const struct map_request *r)
{
  const struct map_points *p = &v->map->points;
  if (v->map->writing == MAP_WRITE_SINGLE || p->table_count) return;
  REQUIRE(r->count % (unsigned)p->alone.stride == 0);
  for (unsigned at = 0; at < r->count; at += (unsigned)p->alone.stride)
    for (size_t c = 0; c < p->column_count; c++) {
      const struct map_column *column = &p->columns[c];
      REQUIRE(column->at + map_type_words(column->form.type) <= p->alone.stride);
      double number = map_decode(&column->form, r->words + at + column->at);
      REQUIRE(isfinite(number));
      if (column->quantity == MAP_TORQUE) REQUIRE(fabs(number) <= torque_most * (1 + 1e-6));
    }
}

static bool visit(void *context, const struct map_request *r)
{
  struct visiting *v = context;
  const bool written = r->kind <= MAP_STEP_TOGGLE;
  v->requests++;
  REQUIRE(!written || r->space == MAP_HOLDING || r->space == MAP_COIL);
  REQUIRE(r->count >= 1 && r->count <= (unsigned)v->map->write_most && r->address + r->count <= 65536);
  REQUIRE(r->mask == UINT16_MAX || r->count == 1);
  REQUIRE(!r->stays || !written || r->read_back);
  REQUIRE(written == (r->function >= 5));
  REQUIRE(r->function == 16 || r->count == 1 || !written);
  REQUIRE(memchr(r->what, 0, sizeof r->what) && *r->what);
  if (r->points) check_points(v, r);
  return true;
}

/* Every command, too. */
static void plan_commands(const struct controller_description *controller, struct visiting *v)
{
  const struct map_commands *m = &v->map->commands;
  const struct map_steps *const lists[] = { &m->arm, &m->start, &m->hold, &m->resume, &m->stop, &m->clear };
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    struct armdyn_error error = { "", "" };
    enum armdyn_status status = map_plan_steps(v->map, (unsigned)controller->unit, lists[i], visit, v, &error);
    REQUIRE(status == ARMDYN_OK || (status == ARMDYN_EINPUT && *error.message));
  }
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
  if (map_bind(&controller->profile, &axes, &faults)) {
    REQUIRE(faults.count > 0);
    return;
  }
  plan_commands(controller, &v);
  const unsigned format = map_has(v.map, MAP_VELOCITY) ? FORMAT_MOTION : FORMAT_POSITION_TORQUE;
  REQUIRE(!profile_init(&profile, &axes, (enum sample_format)format, 10000, SAMPLES, NULL));
  for (size_t k = 0; k < SAMPLES; k++) {
    double x = (double)k / (SAMPLES - 1);
    profile_put(&profile, &axes, k, (double[]){ x, 1 - x }, (double[]){ torque_most * x, -torque_most * x });
    if (format == FORMAT_MOTION) profile_put_velocity(&profile, &axes, k, (double[]){ 1, -1 });
  }
  profile_finish(&profile);
  REQUIRE(!profile_check(&profile, &faults));
  enum armdyn_status status = map_plan(v.map, (unsigned)controller->unit, &profile, visit, &v, &error);
  REQUIRE(status == ARMDYN_OK || (status == ARMDYN_EINPUT && *error.message));
  REQUIRE(status || v.requests > 0);
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
