#include "api/urdf/visuals.h"

#include <math.h>

#include "api/urdf/name.h"
#include "api/urdf/shapes.h"

/* -- names of meshes: a file's name without its folders and its ending, "package://arm/meshes/Link_1.STL" is link_1 -- */

static void name_of_file(const char *reference, char name[ARMDYN_NAME_SIZE])
{
  const char *file = reference + strlen(reference);
  while (file > reference && file[-1] != '/' && file[-1] != '\\') file--;
  const char *ending = strrchr(file, '.');
  urdf_name_make(file, ending && ending > file ? (size_t)(ending - file) : strlen(file), name);
  if (!*name) urdf_name_make("mesh", 4, name);
}

/* NULL: there is none of this name. */
static const struct armdyn_visual *find_mesh(const struct armdyn_robot_description *model, const char *name)
{
  for (size_t i = 0; i < model->visual_count; i++)
    if (!strcmp(model->visuals[i].mesh, name)) return &model->visuals[i];
  return NULL;
}

/* One reference has one name wherever it is seen; two that would get the same are told apart by a number. */
static void name_mesh(const struct armdyn_robot_description *model, const char *reference, char name[ARMDYN_NAME_SIZE])
{
  char plain[ARMDYN_NAME_SIZE];
  const struct armdyn_visual *taken;
  name_of_file(reference, plain);
  snprintf(name, ARMDYN_NAME_SIZE, "%s", plain); /* and 0 behind it, as before */
  for (unsigned k = 2; (taken = find_mesh(model, name)) && strcmp(taken->reference, reference); k++)
    snprintf(name, ARMDYN_NAME_SIZE, "%.*s-%u", ARMDYN_NAME_SIZE - 5, plain, k); /* two digits: ARMDYN_VISUALS_MAX */
}

/* -- colours -- */

/* <material> states its colour, or names one of the robot's that does. */
static void read_color(struct xml_reader *x, const xmlNode *robot, const xmlNode *material,
                       struct armdyn_visual *visual)
{
  double color[4];
  const char *name = material ? xml_attribute(material, "name") : NULL;
  const xmlNode *node = xml_child(material, "color");
  const xmlNode *known = node || !name ? NULL : xml_child(robot, "material");
  for (; known && !node; known = xml_next(known, "material")) {
    const char *its = xml_attribute(known, "name");
    if (its && !strcmp(its, name)) node = xml_child(known, "color");
  }
  if (!node || !xml_numbers(x, node, "rgba", "0 to 1", 4, color)) return;
  for (int i = 0; i < 4; i++) visual->color[i] = fmax(0, fmin(1, color[i]));
  visual->has_color = true;
}

/* -- visuals -- */

/* Into a visual with its defaults. False: `why` says what is wrong. */
static bool read_mesh(const xmlNode *node, const struct visual_place *place, struct armdyn_visual *visual,
                      const char **why)
{
  struct xml_reader quiet = { .faults = NULL };
  const xmlNode *mesh = xml_child(xml_child(node, "geometry"), "mesh");
  const char *reference = xml_attribute(mesh, "filename");
  const xmlNode *origin = xml_child(node, "origin");
  *why = "the mesh has no filename, or one of more than 256 bytes";
  if (!reference || !*reference || strlen(reference) >= sizeof visual->reference) return false;
  memcpy(visual->reference, reference, strlen(reference) + 1);
  if (origin) {
    xml_numbers(&quiet, origin, "xyz", "m", 3, visual->frame.translation);
    xml_numbers(&quiet, origin, "rpy", "rad", 3, visual->frame.rpy);
  }
  xml_numbers(&quiet, mesh, "scale", "1", 3, visual->scale);
  *why = "its origin and scale must be 3 numbers each";
  if (quiet.fault_count) return false;
  *why = "no scale may be 0";
  for (int i = 0; i < 3; i++)
    if (!(fabs(visual->scale[i]) > 0)) return false;
  if (!place->frame) return true; /* as it was written, bit for bit */
  const struct rigid own = rigid_of_pose(&visual->frame), whole = rigid_multiply(place->frame, &own);
  visual->frame = rigid_to_pose(&whole);
  return true;
}

/* Into a visual with its defaults, of a mesh but for its name. False: `why` says what is wrong. */
static bool read_visual(const xmlNode *robot, const xmlNode *node, const struct visual_place *place,
                        struct armdyn_visual *visual, const char **why)
{
  struct xml_reader quiet = { .faults = NULL };
  struct rigid frame;
  const bool is_mesh = xml_child(xml_child(node, "geometry"), "mesh");
  if (is_mesh ? !read_mesh(node, place, visual, why)
              : !urdf_shape_read(node, place->frame, &visual->shape, &frame, why))
    return false;
  snprintf(visual->joint, sizeof visual->joint, "%s", place->joint);
  read_color(&quiet, robot, xml_child(node, "material"), visual);
  *why = "its color must be 4 numbers";
  return !quiet.fault_count;
}

/* Of what collides the meshes alone: shapes become bodies (api/urdf/collisions.h). */
static void read_all(const xmlNode *robot, const xmlNode *link, bool collision, const struct visual_place *place,
                     struct armdyn_robot_description *model, struct robot_notes *notes)
{
  const char *name = collision ? "collision" : "visual";
  for (const xmlNode *node = xml_child(link, name); node; node = xml_next(node, name)) {
    const bool is_mesh = xml_child(xml_child(node, "geometry"), "mesh");
    const char *why = "a model has 64 at most";
    struct armdyn_visual visual;
    if (collision && !is_mesh) continue;
    armdyn_visual_init(&visual);
    if (model->visual_count < ARMDYN_VISUALS_MAX && read_visual(robot, node, place, &visual, &why)) {
      if (is_mesh) name_mesh(model, visual.reference, visual.mesh);
      visual.collision = collision;
      memcpy(&model->visuals[model->visual_count++], &visual, sizeof visual); /* its padding, too, is 0 */
    } else {
      robot_note_add(notes, "/visuals", "visual_left_out", "a %s of link '%.64s' is left out: %s",
                     is_mesh ? "mesh" : "shape", xml_attribute(link, "name"), why);
    }
  }
}

void urdf_visuals_read(const xmlNode *robot, const xmlNode *link, const struct visual_place *place,
                       struct armdyn_robot_description *model, struct robot_notes *notes)
{
  read_all(robot, link, false, place, model, notes);
  read_all(robot, link, true, place, model, notes);
}
