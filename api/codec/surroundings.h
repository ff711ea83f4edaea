/* What an arm is held against: a stored cell, and what may touch in it; as requests name it, and how near the arm comes. */
#ifndef API_CODEC_SURROUNDINGS_H
#define API_CODEC_SURROUNDINGS_H

#include "api/json/fields.h"
#include "api/json/writer.h"
#include "armdyn/clearance.h"

/* Bodies that may touch, as requests say it. */
struct touches {
  size_t count;
  struct armdyn_touch items[ARMDYN_TOUCHES_MAX];
};
extern const struct json_type touch_type; /* struct armdyn_touch */

struct surroundings {
  char cell[ARMDYN_NAME_SIZE]; /* "": none */
  int64_t cell_revision;       /* 0: the newest */
  struct touches touches;
};
/* Rows of the field table of a struct with a struct surroundings; its check calls surroundings_check. */
#define SURROUNDINGS(type, member)                                                                                     \
  { TEXT(type, member.cell), NAMED("cell"), MATCHES(json_name_pattern), NULLABLE },                                    \
      { INTEGER(type, member.cell_revision, BETWEEN(1, 9e15), NULL), NAMED("cell_revision"), NULLABLE },               \
  {                                                                                                                    \
    LIST(type, member.touches.items, member.touches.count, 0, touch_type), NAMED("touches")                            \
  }
/* A revision is one of a cell. Adds faults. */
void surroundings_check(struct json_reader *r, const struct surroundings *around);

/* What a motion that is planned is to keep clear of. */
struct clearance_constraint {
  struct surroundings around;
  double least;     /* m */
  double deviation; /* rad, m: how far each joint may be from the motion */
};
/* Rows as above; the check calls clearance_constraint_check. */
#define CLEARANCE_CONSTRAINT(type, member)                                                                             \
  SURROUNDINGS(type, member.around), { NUMBER(type, member.least, BETWEEN(0, 10), "m"), NAMED("clearance_min") },      \
  {                                                                                                                    \
    NUMBER(type, member.deviation, BETWEEN(0, 10), "rad; m for a slide"), NAMED("deviation")                           \
  }
/* What is said of a cell needs one. Adds faults. */
void clearance_constraint_check(struct json_reader *r, const struct clearance_constraint *constraint);
/* The member "clearance" of an answer: the cell, and how near the motion comes to it; nothing where no cell is named. */
void clearance_constraint_encode(struct json_writer *w, const struct clearance_constraint *constraint,
                                 const struct armdyn_motion_clearance *found);

/* The members "cell" and "cell_revision"; nothing where no cell is named. */
void surroundings_encode(struct json_writer *w, const struct surroundings *around);
/* The names of the two bodies, and the nearest points on both; null where there is nothing to compare. */
void clearance_between_encode(struct json_writer *w, const struct armdyn_clearance *at);
void clearance_points_encode(struct json_writer *w, const struct armdyn_clearance *at);
/* The members "clearance", "time", "distance", "between" and "points" of a motion. */
void motion_clearance_encode(struct json_writer *w, const struct armdyn_motion_clearance *motion);

#endif
