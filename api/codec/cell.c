#include "api/codec/cell.h"

#include "api/codec/parts.h"
#include "api/codec/shape.h"
#include "api/read_only.h"

/* A body as it is read and written. */
struct body_form {
  struct shape_form shape; /* first: rows of PART_SHAPES look for it there */
  char name[ARMDYN_NAME_SIZE];
};

struct cell_form {
  char name[ARMDYN_NAME_SIZE];
  char description[LIMIT_TAG + 1];
  struct armdyn_pose base;
  size_t body_count;
  struct body_form *bodies;
};

static const struct json_field body_fields[] = {
  { TEXT(struct body_form, name), REQUIRED, MATCHES(json_name_pattern) },
  CELL_SHAPES,
};
static const struct json_type body_form_type =
    JSON_TYPE("a body: name, and sphere, capsule, box, cylinder, half_space or convex", body_fields, struct body_form,
              NULL, shape_form_check);

#define FORM struct cell_form
static const struct json_field cell_fields[] = {
  { TEXT(FORM, name), REQUIRED, MATCHES(json_name_pattern) },
  { TEXT(FORM, description), OMIT_DEFAULT },
  { OBJECT(FORM, base, pose_type), OMIT_DEFAULT },
  { LIST_ALLOCATED(FORM, bodies, body_count, 0, ARMDYN_OBSTACLES_MAX, body_form_type), REQUIRED },
  READ_ONLY_CELL,
};

/* The library has the final say; it stops at its first objection. */
static void cell_check(struct json_reader *r, const struct armdyn_cell *cell)
{
  struct armdyn_error error = { "", "" };
  const enum armdyn_status status = armdyn_cell_check(cell, &error);
  if (status == ARMDYN_EMEMORY)
    json_out_of_memory(r);
  else if (status)
    json_fault(r, error.pointer, FAULT_INCONSISTENT, "%s", error.message);
}

/* The bodies as the library has them. false: out of memory */
static bool obstacles_of(const FORM *form, struct cell_document *cell)
{
  cell->obstacles = calloc(form->body_count + 1, sizeof *cell->obstacles);
  if (!cell->obstacles) return false;
  for (size_t i = 0; i < form->body_count; i++) {
    memcpy(cell->obstacles[i].name, form->bodies[i].name, sizeof cell->obstacles[i].name);
    cell->obstacles[i].shape = form->bodies[i].shape.shape;
  }
  cell->cell = (struct armdyn_cell){ form->base, form->body_count, cell->obstacles };
  return true;
}

static const struct json_type cell_type = JSON_TYPE("a cell: name, bodies", cell_fields, FORM, NULL, NULL);

enum armdyn_status cell_decode(const char *text, size_t length, struct cell_document *cell, struct faults *faults)
{
  FORM form;
  memset(cell, 0, sizeof *cell);
  /* a number takes two characters at least */
  struct shape_points points = { malloc((length / 2 + 3 * ARMDYN_CONVEX_POINTS_MAX + 1) * sizeof(double)), 0 };
  if (!points.numbers) return ARMDYN_EMEMORY;
  const struct json_context context = { .user = &points };
  struct json_reader r;
  json_reader_init(&r, text, length, faults);
  const bool read = json_decode_object(&r, &cell_type, &form, &context);
  json_finish(&r);
  if (read && !json_reader_status(&r)) {
    if (obstacles_of(&form, cell))
      cell_check(&r, &cell->cell);
    else
      json_out_of_memory(&r);
  }
  const enum armdyn_status status = json_reader_status(&r);
  memcpy(cell->name, form.name, sizeof cell->name);
  memcpy(cell->description, form.description, sizeof cell->description);
  cell->points = points.numbers;
  json_release(&cell_type, &form);
  if (status) cell_release(cell);
  return status;
}

void cell_release(struct cell_document *cell)
{
  free(cell->obstacles), free(cell->points);
  cell->obstacles = NULL, cell->points = NULL;
}

static void write_cell(struct json_writer *w, const struct cell_document *cell)
{
  FORM form = { .base = cell->cell.base, .body_count = cell->cell.obstacle_count };
  form.bodies = calloc(form.body_count + 1, sizeof *form.bodies);
  if (!form.bodies) {
    if (!w->out->failure) w->out->failure = ARMDYN_EMEMORY;
    return;
  }
  memcpy(form.name, cell->name, sizeof form.name);
  memcpy(form.description, cell->description, sizeof form.description);
  for (size_t i = 0; i < form.body_count; i++) {
    const struct armdyn_obstacle *from = &cell->cell.obstacles[i];
    memcpy(form.bodies[i].name, from->name, sizeof from->name);
    form.bodies[i].shape.shape = from->shape;
    form.bodies[i].shape.has[from->shape.kind] = true;
  }
  json_encode_fields(w, &cell_type, &form, NULL);
  free(form.bodies);
}

void cell_encode(const struct cell_document *cell, struct buffer *out)
{
  struct json_writer w = { .out = out };
  json_begin_object(&w);
  write_cell(&w, cell);
  json_end_object(&w);
}

void cell_resource_encode(const struct cell_document *cell, int64_t revision, const char *created_at,
                          struct buffer *out)
{
  struct json_writer w = { .out = out };
  json_begin_object(&w);
  write_cell(&w, cell);
  json_key(&w, "revision"), json_write_integer(&w, (long long)revision);
  json_key(&w, "created_at"), json_write_text(&w, created_at);
  json_end_object(&w);
}
