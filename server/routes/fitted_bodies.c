/* Bodies for an arm, from what shows it or from its lengths: proposed, not kept. Who wants them puts the answer's
 * model. */
#include "api/codec/fitted_bodies.h"

#include <math.h>

#include "api/codec/part_bodies.h"
#include "api/mesh/cell_stl.h"
#include "api/mesh/mesh.h"
#include "api/urdf/rigid.h"
#include "server/app.h"
#include "server/routes/handlers.h"
#include "server/routes/robots.h"

#define TRIANGLES "triangles" /* the name of a mesh's series */

/* Triangles of one part, in its frame. */
struct surface {
  double *triangles;
  size_t count, room;
};

static enum armdyn_status make_room(struct surface *s, size_t more)
{
  if (s->count + more <= s->room) return ARMDYN_OK;
  double *grown = realloc(s->triangles, (s->count + more) * 9 * sizeof *grown);
  if (!grown) return ARMDYN_EMEMORY;
  s->triangles = grown, s->room = s->count + more;
  return ARMDYN_OK;
}

/* As the visual stands and is scaled. */
static void place(const struct armdyn_visual *visual, double *corners, size_t count)
{
  const struct rigid frame = rigid_of_pose(&visual->frame);
  for (size_t i = 0; i < count; i++) {
    double *p = corners + 3 * i, q[3];
    for (int k = 0; k < 3; k++) q[k] = p[k] * visual->scale[k];
    for (int k = 0; k < 3; k++)
      p[k] = frame.r[3 * k] * q[0] + frame.r[3 * k + 1] * q[1] + frame.r[3 * k + 2] * q[2] + frame.p[k];
  }
}

static enum armdyn_status take_triangles(void *surface, const double *triangles, size_t count)
{
  struct surface *s = surface;
  const enum armdyn_status status = make_room(s, count);
  if (status) return status;
  memcpy(s->triangles + 9 * s->count, triangles, count * 9 * sizeof *triangles);
  s->count += count;
  return ARMDYN_OK;
}

/* Triangles that enclose a shape, by at most 1 % of its radius. */
static enum armdyn_status add_shape(const struct armdyn_shape *shape, struct surface *s)
{
  struct armdyn_obstacle body = { .name = "shape", .shape = *shape };
  struct buffer stl = BUFFER(MB(1));
  struct mesh_summary summary;
  cell_stl_encode(&(struct cell_document){ .cell = { .obstacle_count = 1, .obstacles = &body } }, &stl);
  const enum armdyn_status status =
      stl.failure ? stl.failure
                  : mesh_read(stl.data, stl.length, &(struct mesh_sink){ take_triangles, s }, &summary, NULL);
  buffer_release(&stl);
  return status;
}

/* What a visual shows. Those without an uploaded mesh are told. */
static enum armdyn_status add_visual(struct exchange *x, const struct armdyn_visual *visual, struct surface *s,
                                     struct fitted_bodies *f)
{
  if (!*visual->mesh) return add_shape(&visual->shape, s);
  struct store *store = exchange_app(x)->store;
  struct store_mesh mesh = { 0 };
  enum armdyn_status status = store_mesh_get(store, f->robot->name, visual->mesh, &mesh);
  if (status == ARMDYN_ENOTFOUND) {
    size_t i = 0;
    while (i < f->missing_count && strcmp(f->missing[i], visual->mesh)) i++;
    if (i == f->missing_count) f->missing[f->missing_count++] = visual->mesh;
    return ARMDYN_OK;
  }
  const size_t count = (size_t)mesh.triangles;
  if (!status && s->count + count > LIMIT_FITTED_TRIANGLES) {
    fault_add(exchange_faults(x), FAULT_AT_POINTER, "", FAULT_LENGTH,
              "the meshes of one part have more than %d triangles", LIMIT_FITTED_TRIANGLES);
    status = ARMDYN_EINPUT;
  }
  if (!status) status = make_room(s, count);
  if (!status) status = store_series_read(store, mesh.id, TRIANGLES, 0, count, s->triangles + 9 * s->count);
  if (!status) {
    place(visual, s->triangles + 9 * s->count, 3 * count);
    s->count += count;
  }
  store_mesh_release(&mesh);
  return status;
}

static const char *visual_joint(const struct armdyn_robot_description *robot, int part)
{
  return part < 0 ? "" : robot->joints[part].name;
}

/* In place of those that the part has. */
static enum armdyn_status replace_bodies(struct exchange *x, struct armdyn_robot_description *robot, int part,
                                         const struct armdyn_shape *shapes, size_t count)
{
  size_t kept = 0;
  for (size_t i = 0; i < robot->body_count; i++)
    if (robot->bodies[i].part != part) robot->bodies[kept++] = robot->bodies[i];
  robot->body_count = kept;
  if (kept + count > ARMDYN_BODIES_MAX) {
    fault_add(exchange_faults(x), FAULT_AT_POINTER, "/bodies_per_part", FAULT_LENGTH,
              "the robot would have more than %d bodies", ARMDYN_BODIES_MAX);
    return ARMDYN_EINPUT;
  }
  for (size_t i = 0; i < count; i++) robot->bodies[robot->body_count++] = (struct armdyn_part_body){ part, shapes[i] };
  part_bodies_sort(robot);
  return ARMDYN_OK;
}

static enum armdyn_status fit_part(struct exchange *x, int part, struct surface *s, struct fitted_bodies *f)
{
  struct armdyn_shape shapes[ARMDYN_ENCLOSING_MOST];
  struct armdyn_error error = { "", "" };
  size_t used;
  const struct armdyn_enclosing how = { f->request->kinds, f->request->margin, (size_t)f->request->most };
  struct fitted_part *told = &f->parts[f->part_count++];
  *told = (struct fitted_part){ part, s->count, 0 };
  enum armdyn_status status = armdyn_enclose(s->triangles, s->count, &how, shapes, &used, &told->volume, &error);
  if (status == ARMDYN_EINPUT)
    fault_add(exchange_faults(x), FAULT_AT_POINTER, "", FAULT_INCONSISTENT, "the meshes of %s: %s",
              part < 0 ? "the base" : f->robot->joints[part].name, error.message);
  return status ? status : replace_bodies(x, f->robot, part, shapes, used);
}

/* What collides of a part, or what shows it. */
static enum armdyn_status add_part(struct exchange *x, int part, bool collision, struct surface *s,
                                   struct fitted_bodies *f)
{
  enum armdyn_status status = ARMDYN_OK;
  for (size_t i = 0; i < f->robot->visual_count && !status; i++) {
    const struct armdyn_visual *visual = &f->robot->visuals[i];
    if (visual->collision == collision && !strcmp(visual->joint, visual_joint(f->robot, part)))
      status = add_visual(x, visual, s, f);
  }
  return status;
}

static enum armdyn_status fit_meshes(struct exchange *x, struct fitted_bodies *f)
{
  struct surface surface = { 0 };
  enum armdyn_status status = ARMDYN_OK;
  for (int part = ARMDYN_OF_BASE; part < (int)f->robot->joint_count && !status; part++) {
    surface.count = 0;
    status = add_part(x, part, true, &surface, f);
    if (!status && !surface.count) status = add_part(x, part, false, &surface, f);
    if (!status && surface.count) status = fit_part(x, part, &surface, f);
  }
  free(surface.triangles);
  if (!status && !f->part_count) {
    fault_add(exchange_faults(x), FAULT_AT_POINTER, "/from", FAULT_INCONSISTENT,
              f->robot->visual_count
                  ? "no mesh of '%s' was uploaded yet: PUT them under /v1/robots/%s/meshes"
                  : "'%s' has no visuals, so no meshes: say \"from\": \"lengths\", or import the URDF of %s",
              f->robot->name, f->robot->name);
    status = ARMDYN_EINPUT;
  }
  return status;
}

static enum armdyn_status fit_lengths(struct exchange *x, struct fitted_bodies *f)
{
  struct armdyn_part_body bodies[ARMDYN_BODIES_MAX];
  struct armdyn_error error = { "", "" };
  double radius[ARMDYN_JOINTS_MAX];
  size_t used;
  for (size_t j = 0; j < ARMDYN_JOINTS_MAX; j++) radius[j] = f->request->radius + f->request->margin;
  enum armdyn_status status = armdyn_enclose_lengths(f->robot, radius, bodies, &used, &error);
  if (status)
    fault_add(exchange_faults(x), FAULT_AT_POINTER, "/from", FAULT_INCONSISTENT, "%s (%s of the model)", error.message,
              error.pointer);
  for (int part = ARMDYN_OF_BASE; part < (int)f->robot->joint_count && !status; part++) {
    struct armdyn_shape shapes[ARMDYN_BODIES_MAX];
    size_t count = 0;
    for (size_t i = 0; i < used; i++)
      if (bodies[i].part == part) shapes[count++] = bodies[i].shape;
    if (!count) continue;
    f->parts[f->part_count++] = (struct fitted_part){ .part = part };
    status = replace_bodies(x, f->robot, part, shapes, count);
  }
  return status;
}

/* In the middle of its limits, 0 where there are none: what touches there was fitted too large, or touches by its make. */
static enum armdyn_status hold_against_itself(struct fitted_bodies *f)
{
  struct armdyn_robot *robot;
  struct armdyn_scene *scene = NULL;
  for (size_t j = 0; j < f->robot->joint_count; j++) {
    const double *range = f->robot->joints[j].limits.position;
    f->q[j] = isfinite(range[0] + range[1]) ? (range[0] + range[1]) / 2 : 0;
  }
  enum armdyn_status status = armdyn_robot_new(f->robot, &robot, NULL);
  if (status) return status;
  status = armdyn_scene_new(robot, NULL, NULL, 0, &scene, NULL);
  struct armdyn_scene_workspace *workspace = status ? NULL : armdyn_scene_workspace_new(scene);
  if (workspace) {
    armdyn_clearance(scene, f->q, workspace, &f->clearance, NULL);
    if (f->clearance.a) { /* its names end with the scene */
      snprintf(f->a, sizeof f->a, "%s", f->clearance.a), f->clearance.a = f->a;
      snprintf(f->b, sizeof f->b, "%s", f->clearance.b), f->clearance.b = f->b;
    }
  } else if (!status) {
    status = ARMDYN_EMEMORY;
  }
  armdyn_scene_workspace_free(workspace);
  armdyn_scene_free(scene);
  armdyn_robot_free(robot);
  return status;
}

static void answer_fitted(struct exchange *x, const struct robot_entry *entry,
                          const struct fitted_bodies_request *request)
{
  struct fitted_bodies *f = calloc(1, sizeof *f);
  struct armdyn_robot_description *model = malloc(sizeof *model);
  enum armdyn_status status = ARMDYN_EMEMORY;
  if (f && model) {
    *model = *armdyn_robot_description(entry->robot);
    f->request = request, f->robot = model, f->revision = (long long)entry->revision;
    f->write_row = robot_row_write, f->row = &entry->row;
    status = request->from == FIT_LENGTHS ? fit_lengths(x, f) : fit_meshes(x, f);
    if (!status) status = hold_against_itself(f);
  }
  if (status) {
    answer_status(x, status, NULL);
  } else {
    struct buffer body = BUFFER(LIMIT_ANSWER);
    fitted_bodies_encode(&body, f);
    exchange_set_revision(x, entry->revision);
    answer_json(x, 200, &body);
  }
  free(model);
  free(f);
}

enum outcome fitted_bodies(struct exchange *x)
{
  const struct robot_entry *entry;
  enum outcome outcome;
  struct fitted_bodies_request request;
  size_t length;
  const char *body = exchange_body(x, &length);
  if (!robot_of_request(x, exchange_query(x, "revision"), &entry, &outcome)) return outcome;
  const enum armdyn_status status = fitted_bodies_decode(body, length, &request, exchange_faults(x));
  if (status)
    answer_status(x, status, NULL);
  else
    answer_fitted(x, entry, &request);
  robots_release(exchange_app(x)->robots, entry);
  return ANSWERED;
}
