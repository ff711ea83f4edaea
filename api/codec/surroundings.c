#include "api/codec/surroundings.h"

#include <math.h>

/* -- touches -- */

static void pair_decode(struct json_reader *r, const struct json_field *field, void *member,
                        const struct json_context *context)
{
  (void)context;
  struct armdyn_touch *touch = (struct armdyn_touch *)(void *)((char *)member - field->offset);
  char *const names[2] = { touch->a, touch->b };
  size_t count = 0;
  if (!json_enter_array(r, field->unit)) return;
  for (; json_next_element(r); count++) {
    struct json_slice name;
    if (!json_read_text(r, "the name of a body", &name) || count >= 2) continue;
    if (json_slice_decode(name, names[count], ARMDYN_NAME_SIZE) >= ARMDYN_NAME_SIZE)
      json_fault(r, NULL, FAULT_LENGTH, "must be a name of at most %d bytes", ARMDYN_NAME_SIZE - 1);
  }
  if (count != 2) json_fault(r, NULL, FAULT_LENGTH, "must be the names of 2 bodies, got %zu", count);
}

static void pair_encode(struct json_writer *w, const struct json_field *field, const void *member,
                        const struct json_context *context)
{
  (void)context;
  const struct armdyn_touch *touch = (const struct armdyn_touch *)(const void *)((const char *)member - field->offset);
  json_begin_array(w);
  json_write_text(w, touch->a);
  json_write_text(w, touch->b);
  json_end_array(w);
}

static const struct json_field touch_fields[] = {
  { CUSTOM(struct armdyn_touch, a, pair_decode, pair_encode, "the names of two bodies"), NAMED("bodies"), REQUIRED },
  { NUMBER(struct armdyn_touch, from, ANY_NUMBER, "s"), NULLABLE, OMIT_DEFAULT },
  { NUMBER(struct armdyn_touch, to, ANY_NUMBER, "s"), NULLABLE, OMIT_DEFAULT },
  { NUMBER(struct armdyn_touch, depth, ABOVE_UP_TO(0, 1), "m"), NAMED("depth_max"), NULLABLE, OMIT_DEFAULT },
};

static void touch_init(void *touch)
{
  *(struct armdyn_touch *)touch = (struct armdyn_touch){ .from = -INFINITY, .to = INFINITY };
}

static const double grasp_depth = 0.005; /* m: what is gripped or set down is pressed and placed within */

/* A touch for a time is a grasp, and has a depth; what touches always overlaps by its make, and is not compared. */
static void touch_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  struct armdyn_touch *touch = object;
  (void)r, (void)given, (void)context;
  const bool always = isinf(touch->from) && isinf(touch->to);
  if (!always && !(touch->depth > 0)) touch->depth = grasp_depth;
}

const struct json_type touch_type = JSON_TYPE("two bodies that may touch: bodies, from, to (s), depth_max (m)",
                                              touch_fields, struct armdyn_touch, touch_init, touch_check);

/* -- a cell -- */

void surroundings_check(struct json_reader *r, const struct surroundings *around)
{
  if (around->cell_revision && !*around->cell)
    json_fault(r, "/cell_revision", FAULT_INCONSISTENT, "is the revision of a cell, but no cell is named");
}

void surroundings_encode(struct json_writer *w, const struct surroundings *around)
{
  if (!*around->cell) return;
  json_key(w, "cell"), json_write_text(w, around->cell);
  json_key(w, "cell_revision"), json_write_integer(w, (long long)around->cell_revision);
}

void clearance_constraint_check(struct json_reader *r, const struct clearance_constraint *constraint)
{
  surroundings_check(r, &constraint->around);
  if (*constraint->around.cell) return;
  if (constraint->around.touches.count)
    json_fault(r, "/touches", FAULT_INCONSISTENT, "are those of a cell, but no cell is named");
  if (constraint->least > 0)
    json_fault(r, "/clearance_min", FAULT_INCONSISTENT, "is one from a cell, but no cell is named");
  if (constraint->deviation > 0)
    json_fault(r, "/deviation", FAULT_INCONSISTENT, "counts against clearances, but no cell is named");
}

/* -- how near -- */

void clearance_between_encode(struct json_writer *w, const struct armdyn_clearance *at)
{
  if (!at->a) {
    json_write_null(w);
    return;
  }
  json_begin_array(w);
  json_write_text(w, at->a), json_write_text(w, at->b);
  json_end_array(w);
}

void clearance_points_encode(struct json_writer *w, const struct armdyn_clearance *at)
{
  if (!at->a) {
    json_write_null(w);
    return;
  }
  json_begin_array(w);
  json_write_numbers(w, at->point_a, 3), json_write_numbers(w, at->point_b, 3);
  json_end_array(w);
}

void motion_clearance_encode(struct json_writer *w, const struct armdyn_motion_clearance *motion)
{
  json_key(w, "clearance"), json_write_number(w, motion->bound);
  json_key(w, "time"), json_write_number(w, motion->at.a ? motion->time : NAN);
  json_key(w, "distance"), json_write_number(w, motion->at.distance);
  json_key(w, "between"), clearance_between_encode(w, &motion->at);
  json_key(w, "points"), clearance_points_encode(w, &motion->at);
}

void clearance_constraint_encode(struct json_writer *w, const struct clearance_constraint *constraint,
                                 const struct armdyn_motion_clearance *found)
{
  if (!*constraint->around.cell) return;
  json_key(w, "clearance"), json_begin_object(w);
  surroundings_encode(w, &constraint->around);
  motion_clearance_encode(w, found);
  json_end_object(w);
}
