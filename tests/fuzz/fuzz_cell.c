/* Cells in JSON, requests for clearances, worlds of SDF and URDF, and meshes (by the first byte): what is decoded and encoded
 * is the same again; refusals have reasons; an arm can be held against whatever is accepted. */
#include "api/codec/cell.h"
#include "api/codec/clearance.h"
#include "api/mesh/cell_mesh.h"
#include "api/urdf/cell_xml.h"
#include "tests/fuzz/fuzz.h"

/* An arm of one link, in the cell. */
static void use(const struct armdyn_cell *cell)
{
  static struct armdyn_robot_description d;
  struct armdyn_robot *robot;
  struct armdyn_scene *scene;
  struct armdyn_clearance c;
  double gradient[1];
  armdyn_robot_description_init(&d);
  d.joint_count = d.body_count = 1, d.joints[0].a = 1;
  d.bodies[0].shape = (struct armdyn_shape){ .kind = ARMDYN_CAPSULE, .from = { -1, 0, 0 }, .radius = 0.1 };
  REQUIRE(armdyn_robot_new(&d, &robot, NULL) == ARMDYN_OK);
  REQUIRE(armdyn_scene_new(robot, cell, NULL, 0, &scene, NULL) == ARMDYN_OK);
  struct armdyn_scene_workspace *workspace = armdyn_scene_workspace_new(scene);
  armdyn_clearance(scene, (const double[]){ 0.3 }, workspace, &c, gradient);
  REQUIRE(!isnan(c.distance) && !isnan(gradient[0]));
  REQUIRE(cell->obstacle_count ? isfinite(c.distance) : isinf(c.distance));
  armdyn_scene_workspace_free(workspace);
  armdyn_scene_free(scene);
  armdyn_robot_free(robot);
}

static void cell(const char *bytes, size_t size)
{
  static struct faults faults;
  struct cell_document cell, again;
  struct buffer text = BUFFER(MB(16)), repeated = BUFFER(MB(16));
  faults.count = 0;
  const enum armdyn_status status = cell_decode(bytes, size, &cell, &faults);
  require_reason(status, &faults);
  if (status) return;
  cell_encode(&cell, &text);
  REQUIRE(buffer_ok(&text));
  REQUIRE(cell_decode(text.data, text.length, &again, &faults) == ARMDYN_OK);
  cell_encode(&again, &repeated);
  REQUIRE(text.length == repeated.length && !memcmp(text.data, repeated.data, text.length));
  use(&cell.cell);
  cell_release(&cell), cell_release(&again);
  buffer_release(&text), buffer_release(&repeated);
}

static void request(const char *bytes, size_t size)
{
  static struct faults faults;
  static struct clearance_request r;
  faults.count = 0;
  const enum armdyn_status status = clearance_decode(bytes, size, 2, &r, &faults);
  require_reason(status, &faults);
  if (status) return;
  for (size_t i = 0; i < 2 * r.count; i++) REQUIRE(isfinite(r.q[i]));
  clearance_request_release(&r);
}

/* What an export says is read back with as many bodies. */
static void world(const char *bytes, size_t size)
{
  static struct faults faults;
  struct cell_document cell, again;
  struct buffer text = BUFFER(MB(16));
  faults.count = 0;
  const enum armdyn_status status = cell_xml_decode(bytes, size, NULL, &cell, &faults);
  require_reason(status, &faults);
  if (status) return;
  REQUIRE(*cell.name && armdyn_cell_check(&cell.cell, NULL) == ARMDYN_OK);
  use(&cell.cell);
  cell_xml_encode(&cell, &text);
  REQUIRE(buffer_ok(&text));
  REQUIRE(cell_xml_decode(text.data, text.length, NULL, &again, &faults) == ARMDYN_OK);
  REQUIRE(again.cell.obstacle_count == cell.cell.obstacle_count);
  cell_release(&cell), cell_release(&again);
  buffer_release(&text);
}

static void mesh(const char *bytes, size_t size)
{
  struct cell_document cell;
  struct armdyn_error error = { "", "" };
  const struct cell_mesh_options options = { "mesh", 1 };
  const enum armdyn_status status = cell_mesh_decode(bytes, size, &options, &cell, &error);
  REQUIRE(!status || *error.message || status == ARMDYN_EMEMORY);
  if (status) return;
  REQUIRE(cell.cell.obstacle_count >= 1);
  use(&cell.cell);
  cell_release(&cell);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < 1) return 0;
  char *bytes = copy_of(data + 1, size - 1);
  static void (*const parsers[])(const char *bytes, size_t size) = { cell, request, world, mesh };
  parsers[data[0] % 4](bytes, size - 1);
  free(bytes);
  return 0;
}
