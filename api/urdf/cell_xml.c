#include "api/urdf/cell_xml.h"

#include <libxml/parser.h>
#include <math.h>

#include "api/urdf/name.h"
#include "api/urdf/tree.h"
#include "armdyn/enclose.h"

struct reading {
  struct xml_reader xml;
  struct cell_document *cell;
  bool urdf;
  bool out_of_memory;
};

/* -- places -- */

/* <pose> of SDF: in the frame of what it stands in. */
static struct rigid read_sdf_pose(struct reading *in, const xmlNode *node)
{
  static const char *const frames[] = { "relative_to", "rotation_format" };
  const xmlNode *pose = xml_child(node, "pose");
  const char *degrees = pose ? xml_attribute(pose, "degrees") : NULL;
  double numbers[6] = { 0 };
  struct armdyn_pose out;
  if (!pose) return rigid_identity;
  for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
    const char *value = xml_attribute(pose, frames[i]);
    if (value && *value && strcmp(value, "euler_rpy"))
      xml_fault(&in->xml, pose, frames[i], FAULT_UNSUPPORTED,
                "must be left out: poses are six numbers in the frame of what they stand in, got '%.64s'", value);
  }
  xml_numbers(&in->xml, pose, NULL, "m, rad", 6, numbers);
  const double unit = degrees && (!strcmp(degrees, "true") || !strcmp(degrees, "1")) ? M_PI / 180 : 1;
  for (int k = 0; k < 3; k++) out.translation[k] = numbers[k], out.rpy[k] = unit * numbers[3 + k];
  return rigid_of_pose(&out);
}

static struct rigid read_urdf_origin(struct reading *in, const xmlNode *node)
{
  const xmlNode *origin = xml_child(node, "origin");
  struct armdyn_pose out = { 0 };
  if (!origin) return rigid_identity;
  xml_numbers(&in->xml, origin, "xyz", "m", 3, out.translation);
  xml_numbers(&in->xml, origin, "rpy", "rad", 3, out.rpy);
  return rigid_of_pose(&out);
}

static struct rigid place_of(struct reading *in, const struct rigid *in_what, const xmlNode *node)
{
  const struct rigid own = in->urdf ? read_urdf_origin(in, node) : read_sdf_pose(in, node);
  return rigid_multiply(in_what, &own);
}

/* -- bodies -- */

static void set_name(struct reading *in, const char *model, const char *link, struct armdyn_obstacle *body)
{
  const struct cell_document *cell = in->cell;
  const size_t count = cell->cell.obstacle_count;
  char whole[2 * ARMDYN_NAME_SIZE], plain[ARMDYN_NAME_SIZE];
  snprintf(whole, sizeof whole, "%.*s%s%.*s", ARMDYN_NAME_SIZE - 2, model, *model && *link ? "-" : "",
           ARMDYN_NAME_SIZE - 2, link);
  urdf_name_make(whole, strlen(whole), plain);
  if (!*plain) snprintf(plain, sizeof plain, "body");
  snprintf(body->name, sizeof body->name, "%s", plain);
  for (size_t k = count + 1, i = 0; i < count; i++) {
    if (strcmp(cell->obstacles[i].name, body->name)) continue;
    snprintf(body->name, sizeof body->name, "%.*s-%zu", ARMDYN_NAME_SIZE - 22, plain, k++);
    i = (size_t)-1; /* from the first one again */
  }
}

/* NULL: out of memory, or one too many, with a fault. */
static struct armdyn_obstacle *add_body(struct reading *in, const xmlNode *node)
{
  struct cell_document *cell = in->cell;
  const size_t count = cell->cell.obstacle_count;
  if (count == ARMDYN_OBSTACLES_MAX) {
    if (!in->xml.fault_count)
      xml_fault(&in->xml, node, NULL, FAULT_MAXIMUM, "a cell may have %d bodies at most", ARMDYN_OBSTACLES_MAX);
    return NULL;
  }
  if (!(count & (count - 1))) { /* 0 and powers of two */
    struct armdyn_obstacle *more = realloc(cell->obstacles, 2 * (count + 1) * sizeof *more);
    if (!more) {
      in->out_of_memory = true;
      return NULL;
    }
    cell->obstacles = more, cell->cell.obstacles = more;
  }
  memset(&cell->obstacles[count], 0, sizeof *cell->obstacles);
  return &cell->obstacles[count];
}

/* A number, or several, of a geometry: an attribute in URDF, an element in SDF; > 0. */
static void read_lengths(struct reading *in, const xmlNode *shape, const char *name, size_t count, double *values)
{
  const size_t before = in->xml.fault_count;
  const xmlNode *at = in->urdf ? shape : xml_child(shape, name);
  const char *attribute = in->urdf ? name : NULL;
  if (!shape) return;
  if (!at || (in->urdf && !xml_attribute(shape, name))) {
    xml_fault(&in->xml, shape, NULL, FAULT_REQUIRED, "<%s> needs its %s (m)", (const char *)shape->name, name);
    return;
  }
  if (!xml_numbers(&in->xml, at, attribute, "m", count, values) || in->xml.fault_count > before) return;
  for (size_t i = 0; i < count; i++)
    if (!(values[i] > 0)) xml_fault(&in->xml, at, attribute, FAULT_MINIMUM, "must be > 0 m, got %.17g", values[i]);
}

static void read_box(struct reading *in, const xmlNode *node, const struct rigid *place, struct armdyn_shape *out)
{
  *out = (struct armdyn_shape){ .kind = ARMDYN_BOX, .pose = rigid_to_pose(place) };
  read_lengths(in, node, "size", 3, out->size);
}

static void read_sphere(struct reading *in, const xmlNode *node, const struct rigid *place, struct armdyn_shape *out)
{
  *out = (struct armdyn_shape){ .kind = ARMDYN_SPHERE };
  memcpy(out->from, place->p, sizeof out->from);
  read_lengths(in, node, "radius", 1, &out->radius);
}

static void read_cylinder(struct reading *in, const xmlNode *node, const struct rigid *place, struct armdyn_shape *out)
{
  *out = (struct armdyn_shape){ .kind = ARMDYN_CYLINDER, .pose = rigid_to_pose(place) };
  read_lengths(in, node, "radius", 1, &out->radius);
  read_lengths(in, node, "length", 1, &out->size[2]);
}

static void read_capsule(struct reading *in, const xmlNode *node, const struct rigid *place, struct armdyn_shape *out)
{
  double length = 0;
  *out = (struct armdyn_shape){ .kind = ARMDYN_CAPSULE };
  read_lengths(in, node, "radius", 1, &out->radius);
  read_lengths(in, node, "length", 1, &length); /* of its middle line */
  for (int k = 0; k < 3; k++) {
    out->from[k] = place->p[k] - length / 2 * place->r[3 * k + 2];
    out->to[k] = place->p[k] + length / 2 * place->r[3 * k + 2];
  }
}

/* Without an end, whatever its size says: that is of its picture. */
static void read_plane(struct reading *in, const xmlNode *node, const struct rigid *place, struct armdyn_shape *out)
{
  double n[3] = { 0, 0, 1 }, length = 0;
  const xmlNode *normal = xml_child(node, "normal");
  *out = (struct armdyn_shape){ .kind = ARMDYN_HALF_SPACE };
  if (normal) xml_numbers(&in->xml, normal, NULL, NULL, 3, n);
  for (int k = 0; k < 3; k++) length += n[k] * n[k];
  if (!(length > 0)) {
    xml_fault(&in->xml, normal, NULL, FAULT_MINIMUM, "must be a direction with a length > 0");
    return;
  }
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++) out->from[k] += place->r[3 * k + i] * n[i] / sqrt(length);
  for (int k = 0; k < 3; k++) out->offset += out->from[k] * place->p[k];
}

/* To add a shape: a row. */
static const struct {
  const char *name;
  void (*read)(struct reading *in, const xmlNode *node, const struct rigid *place, struct armdyn_shape *out);
  bool in_urdf;
} shapes[] = {
  { "box", read_box, true },         { "sphere", read_sphere, true }, { "cylinder", read_cylinder, true },
  { "capsule", read_capsule, true }, { "plane", read_plane, false },
};

static void read_collision(struct reading *in, const xmlNode *node, const struct rigid *link, const char *model,
                           const char *name)
{
  const xmlNode *geometry = xml_child(node, "geometry"), *shape = NULL;
  struct armdyn_obstacle *body = add_body(in, node);
  if (!body) return;
  const struct rigid place = place_of(in, link, node);
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes && !shape; i++) {
    shape = in->urdf && !shapes[i].in_urdf ? NULL : xml_child(geometry, shapes[i].name);
    if (shape) shapes[i].read(in, shape, &place, &body->shape);
  }
  if (!shape) {
    const bool mesh = xml_child(geometry, "mesh");
    xml_fault(
        &in->xml, geometry ? geometry : node, NULL, FAULT_UNSUPPORTED, "%s",
        mesh ? "is a mesh, whose file is not here: POST it as a cell of its own (model/stl), or put a box in its place"
             : "must be a box, sphere, cylinder, capsule or plane");
    return;
  }
  set_name(in, model, name, body);
  in->cell->cell.obstacle_count++;
}

static const char *name_of(const xmlNode *node)
{
  const char *name = xml_attribute(node, "name");
  return name ? name : "";
}

/* One collision of a link has the link's name, several have their own; that of a model's only link has the model's. */
static void read_collisions(struct reading *in, const xmlNode *link, const struct rigid *place, const char *model,
                            bool only_link)
{
  const xmlNode *first = xml_child(link, "collision");
  const bool several = first && xml_next(first, "collision");
  for (const xmlNode *node = first; node; node = xml_next(node, "collision"))
    read_collision(in, node, place, model,
                   several && *name_of(node) ? name_of(node)
                   : only_link && *model     ? ""
                                             : name_of(link));
}

/* -- SDF -- */

/* A world, or a model in one. */
static void read_model(struct reading *in, const xmlNode *model, const struct rigid *in_what, const char *name)
{
  const xmlNode *include = xml_child(model, "include");
  const struct rigid place = place_of(in, in_what, model);
  if (include)
    xml_fault(&in->xml, include, NULL, FAULT_UNSUPPORTED, "cannot be fetched: put the model itself in its place");
  if (xml_attribute(model, "placement_frame"))
    xml_fault(&in->xml, model, "placement_frame", FAULT_UNSUPPORTED, "must be left out");
  const xmlNode *first = xml_child(model, "link");
  const bool only_link = first && !xml_next(first, "link");
  for (const xmlNode *link = first; link; link = xml_next(link, "link")) {
    const struct rigid at = place_of(in, &place, link);
    read_collisions(in, link, &at, name, only_link);
  }
  for (const xmlNode *inner = xml_child(model, "model"); inner; inner = xml_next(inner, "model"))
    read_model(in, inner, &place, name_of(inner));
}

static const xmlNode *read_sdf(struct reading *in, const xmlNode *root)
{
  const xmlNode *world = xml_child(root, "world"), *whole = world ? world : xml_child(root, "model");
  if (!whole || (world && xml_next(world, "world"))) {
    xml_fault(&in->xml, root, NULL, FAULT_REQUIRED, "must have one <world>, or a <model>");
    return NULL;
  }
  read_model(in, whole, &rigid_identity, world ? "" : name_of(whole));
  for (const xmlNode *frame = xml_child(whole, "frame"); frame; frame = xml_next(frame, "frame"))
    if (!strcmp(name_of(frame), "arm_base")) {
      const struct rigid base = read_sdf_pose(in, frame);
      in->cell->cell.base = rigid_to_pose(&base);
    }
  return whole;
}

/* -- URDF -- */

static void read_urdf(struct reading *in, const xmlNode *root)
{
  struct urdf_tree *tree = malloc(sizeof *tree);
  if (!tree) in->out_of_memory = true;
  in->urdf = true;
  if (tree && urdf_tree_read(&in->xml, root, tree))
    for (size_t i = 0; i < tree->link_count; i++) {
      struct rigid place = rigid_identity;
      for (size_t link = i; tree->links[link].joint != URDF_NONE; link = tree->joints[tree->links[link].joint].parent) {
        const struct rigid step = rigid_of_pose(&tree->joints[tree->links[link].joint].origin);
        place = rigid_multiply(&step, &place);
      }
      read_collisions(in, tree->links[i].node, &place, "", false);
    }
  free(tree);
}

/* -- the cell -- */

static void read_name(struct reading *in, const xmlNode *whole, const char *asked)
{
  const char *own = asked ? asked : name_of(whole);
  char *name = in->cell->name;
  urdf_name_make(own, strlen(own), name);
  if (asked && (strcmp(name, asked) || !*name)) {
    fault_add(
        in->xml.faults, FAULT_AT_PARAMETER, "name", FAULT_PATTERN,
        "must be lower-case letters, digits, '.', '_' and '-', 1 to 64 of them, the first one a letter or digit, got "
        "'%.64s'",
        asked);
    in->xml.fault_count++;
  } else if (!*name) {
    xml_fault(&in->xml, whole, NULL, FAULT_REQUIRED, "no name can be made of '%.64s': state one, ?name=", own);
  }
}

static enum armdyn_status check(struct reading *in, const xmlNode *root)
{
  struct armdyn_error error = { "", "" };
  const enum armdyn_status status = armdyn_cell_check(&in->cell->cell, &error);
  if (status && status != ARMDYN_EMEMORY)
    xml_fault(&in->xml, root, NULL, FAULT_INCONSISTENT, "the cell has at %s: %s", error.pointer, error.message);
  return status;
}

static enum armdyn_status read_cell(struct reading *in, const xmlNode *root, const char *name)
{
  const xmlNode *whole = xml_is(root, "robot") ? root : NULL;
  if (whole)
    read_urdf(in, root);
  else if (xml_is(root, "sdf"))
    whole = read_sdf(in, root);
  else
    xml_fault(&in->xml, root, NULL, FAULT_UNSUPPORTED, "must be <sdf> or <robot>, got <%.64s>",
              (const char *)root->name);
  if (in->out_of_memory) return ARMDYN_EMEMORY;
  if (whole) read_name(in, whole, name);
  if (in->xml.fault_count) return ARMDYN_EINPUT;
  snprintf(in->cell->description, sizeof in->cell->description, "%s", in->urdf ? "URDF" : "SDF");
  return check(in, root);
}

enum armdyn_status cell_xml_decode(const char *text, size_t length, const char *name, struct cell_document *cell,
                                   struct faults *faults)
{
  struct reading in = { .xml = { .faults = faults }, .cell = cell };
  xmlDoc *doc = NULL;
  memset(cell, 0, sizeof *cell);
  enum armdyn_status status = xml_parse(&in.xml, text, length, &doc);
  const xmlNode *root = status ? NULL : xmlDocGetRootElement(doc);
  if (!status) status = root ? read_cell(&in, root, name) : ARMDYN_ESYNTAX;
  xmlFreeDoc(doc);
  if (status) cell_release(cell);
  return status;
}
