#include "api/urdf/collisions.h"

#include <math.h>
#include <string.h>

#include "api/urdf/shapes.h"
#include "api/urdf/text.h"

static const double same = 1e-9; /* m: two numbers of one file that were printed from one */

/* One element, in the link frame of the model. */
struct element {
  struct armdyn_shape shape;
  struct rigid frame; /* of its middle */
  bool used;          /* as an end of a capsule */
  bool capped;        /* a cylinder that has both */
};

struct collisions {
  struct element items[URDF_COLLISIONS_MAX];
  size_t count;
};

/* -- shapes -- */

/* One end of a cylinder's axis. */
static void end_of(const struct element *cylinder, double sign, double out[3])
{
  for (int i = 0; i < 3; i++)
    out[i] = cylinder->frame.p[i] + sign * cylinder->shape.size[2] / 2 * cylinder->frame.r[3 * i + 2];
}

static struct element *ball_at(struct collisions *all, const double point[3], double radius)
{
  for (size_t i = 0; i < all->count; i++) {
    struct element *e = &all->items[i];
    const double *p = e->frame.p, d[3] = { p[0] - point[0], p[1] - point[1], p[2] - point[2] };
    if (e->shape.kind == ARMDYN_SPHERE && !e->used && fabs(e->shape.radius - radius) <= same &&
        d[0] * d[0] + d[1] * d[1] + d[2] * d[2] <= same * same)
      return e;
  }
  return NULL;
}

static struct armdyn_shape capsule_along(const struct element *cylinder)
{
  struct armdyn_shape shape = { .kind = ARMDYN_CAPSULE, .radius = cylinder->shape.radius };
  end_of(cylinder, -1, shape.from);
  end_of(cylinder, 1, shape.to);
  return shape;
}

/* Cylinders take the balls at their ends. */
static void make_capsules(struct collisions *all)
{
  for (size_t i = 0; i < all->count; i++) {
    struct element *e = &all->items[i];
    double ends[2][3];
    if (e->shape.kind != ARMDYN_CYLINDER) continue;
    end_of(e, -1, ends[0]), end_of(e, 1, ends[1]);
    struct element *first = ball_at(all, ends[0], e->shape.radius), *last = ball_at(all, ends[1], e->shape.radius);
    e->capped = first && last;
    if (e->capped) first->used = last->used = true;
  }
}

/* Of the capsule about a cylinder, whose line is as long, and the box, the one with the smaller volume. */
static struct armdyn_shape body_of(const struct element *e)
{
  const double radius = e->shape.radius, length = e->shape.size[2], area = M_PI * radius * radius;
  const bool slim = area * (length + 4 * radius / 3) <= 4 * radius * radius * length;
  if (e->shape.kind != ARMDYN_CYLINDER) return e->shape;
  if (e->capped || slim) return capsule_along(e);
  return (struct armdyn_shape){ .kind = ARMDYN_BOX, .size = { 2 * radius, 2 * radius, length }, .pose = e->shape.pose };
}

static void leave_out(struct robot_notes *notes, const xmlNode *link, const char *why)
{
  robot_note_add(notes, "/bodies", "body_left_out", "a collision body of link '%.64s' is left out: %s",
                 xml_attribute(link, "name"), why);
}

void urdf_collisions_read(const xmlNode *link, const struct collision_place *place,
                          struct armdyn_robot_description *model, struct robot_notes *notes)
{
  struct collisions all = { .count = 0 };
  const xmlNode *node = xml_child(link, "collision");
  for (; node; node = xml_next(node, "collision")) {
    const bool is_mesh = xml_child(xml_child(node, "geometry"), "mesh");
    const char *why =
        is_mesh ? "it is a mesh, kept among `visuals`; upload it and fit bodies to it" : "a link has too many";
    struct element *e = &all.items[all.count];
    if (!is_mesh && all.count < URDF_COLLISIONS_MAX && urdf_shape_read(node, place->frame, &e->shape, &e->frame, &why))
      e->used = e->capped = false, all.count++;
    else
      leave_out(notes, link, why);
  }
  make_capsules(&all);
  for (size_t i = 0; i < all.count; i++) {
    if (all.items[i].used) continue;
    if (model->body_count == ARMDYN_BODIES_MAX)
      leave_out(notes, link, "a model has 64 at most");
    else
      model->bodies[model->body_count++] = (struct armdyn_part_body){ place->part, body_of(&all.items[i]) };
  }
}

/* -- writing -- */

/* A frame whose z axis is a direction of length 1, about a point. */
static struct rigid frame_along(const double z[3], const double point[3])
{
  const double x[3] = { 1, 0, 0 }, y[3] = { 0, 1, 0 };
  const double *from = fabs(z[0]) < 0.9 ? x : y; /* not along z */
  const double along = from[0] * z[0] + from[1] * z[1] + from[2] * z[2];
  double u[3], length = 0;
  struct rigid out;
  for (int i = 0; i < 3; i++) u[i] = from[i] - along * z[i], length += u[i] * u[i];
  length = sqrt(length);
  for (int i = 0; i < 3; i++) u[i] /= length;
  const double v[3] = { z[1] * u[2] - z[2] * u[1], z[2] * u[0] - z[0] * u[2], z[0] * u[1] - z[1] * u[0] };
  for (int i = 0; i < 3; i++)
    out.r[3 * i] = u[i], out.r[3 * i + 1] = v[i], out.r[3 * i + 2] = z[i], out.p[i] = point[i];
  return out;
}

static void begin(struct buffer *out, const struct rigid *link, const struct rigid *frame)
{
  const struct rigid whole = link ? rigid_multiply(link, frame) : *frame;
  const struct armdyn_pose origin = rigid_to_pose(&whole);
  buffer_text(out, "    <collision>\n  ");
  xml_write_origin(out, &origin);
}

static void write_ball(struct buffer *out, const struct rigid *link, const double center[3], double radius)
{
  struct rigid frame = rigid_identity;
  memcpy(frame.p, center, sizeof frame.p);
  begin(out, link, &frame);
  urdf_geometry_write(out, &(struct armdyn_shape){ .kind = ARMDYN_SPHERE, .radius = radius });
  buffer_text(out, "    </collision>\n");
}

static void write_capsule(struct buffer *out, const struct rigid *link, const struct armdyn_shape *shape)
{
  double along[3], middle[3], length = 0;
  for (int i = 0; i < 3; i++) {
    along[i] = shape->to[i] - shape->from[i], length += along[i] * along[i];
    middle[i] = (shape->from[i] + shape->to[i]) / 2;
  }
  length = sqrt(length);
  write_ball(out, link, shape->from, shape->radius);
  if (!(length > same)) return;
  for (int i = 0; i < 3; i++) along[i] /= length;
  const struct rigid frame = frame_along(along, middle);
  begin(out, link, &frame);
  urdf_geometry_write(
      out, &(struct armdyn_shape){ .kind = ARMDYN_CYLINDER, .radius = shape->radius, .size = { 0, 0, length } });
  buffer_text(out, "    </collision>\n");
  write_ball(out, link, shape->to, shape->radius);
}

static void write_box(struct buffer *out, const struct rigid *link, const struct armdyn_shape *shape)
{
  const struct rigid frame = rigid_of_pose(&shape->pose);
  if (link) {
    begin(out, link, &frame);
  } else { /* as it was given, bit for bit */
    buffer_text(out, "    <collision>\n  ");
    xml_write_origin(out, &shape->pose);
  }
  urdf_geometry_write(out, shape);
  buffer_text(out, "    </collision>\n");
}

void urdf_collisions_write(const struct armdyn_robot_description *model, int part, const struct rigid *link,
                           struct buffer *out)
{
  for (size_t i = 0; i < model->body_count; i++) {
    const struct armdyn_shape *shape = &model->bodies[i].shape;
    const int of = model->bodies[i].part == ARMDYN_OF_PAYLOAD ? ARMDYN_OF_TOOL : model->bodies[i].part;
    if (of != part) continue;
    if (shape->kind == ARMDYN_BOX)
      write_box(out, link, shape);
    else if (shape->kind == ARMDYN_SPHERE)
      write_ball(out, link, shape->from, shape->radius);
    else
      write_capsule(out, link, shape);
  }
}
