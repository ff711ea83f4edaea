/* Field tables of what occurs in several documents: poses and rigid bodies. */
#ifndef API_CODEC_PARTS_H
#define API_CODEC_PARTS_H

#include "api/codec/part_bodies.h"
#include "api/json/fields.h"
#include "armdyn/robot.h"

extern const struct json_type pose_type; /* struct armdyn_pose; identity by default */

/* Where the tool is to be, in the base frame. What is not given is no default: components of it may not count. */
struct tool_pose {
  struct armdyn_pose pose;
  bool placed, turned; /* it has a translation, an orientation */
};
extern const struct json_type tool_pose_type;
/* One value: {"translation": [...], "rpy": [...]}. */
void pose_write(struct json_writer *w, const struct armdyn_pose *pose);

/* struct armdyn_body; zero by default. A body that is physically impossible is a fault. */
extern const struct json_type body_type;

/* The same for models, which may be allowed to be impossible: json_context.user begins with a struct body_context. */
extern const struct json_type model_body_type;

/* The most of something of the tool, and when. */
struct tool_peak {
  double max, time; /* s */
};
/* The member {"max", "time"}. */
void tool_peak_write(struct json_writer *w, const char *name, const struct tool_peak *peak);

/* The library's [angular; linear] becomes the wire's [linear; angular], or the other way round, of wrenches too: the first
 * `half` numbers change place with the next `half`. */
void swap_halves(double *numbers, size_t half);

/* What any call of dynamics may put in place of the stored model's, for this call alone. */
struct overrides {
  bool has_payload, has_gravity, has_tool;
  struct armdyn_body payload;
  double gravity[3];
  struct armdyn_pose tool;
};
/* Rows of a field table for a struct that begins with a struct overrides. */
#define OVERRIDES                                                                                                      \
  { OBJECT(struct overrides, payload, body_type), HAS(struct overrides, has_payload), NULLABLE },                      \
      { NUMBERS(struct overrides, gravity, 3, BETWEEN(-LIMIT_SAMPLE_NUMBER, LIMIT_SAMPLE_NUMBER), "m/s^2"),            \
        HAS(struct overrides, has_gravity), NULLABLE },                                                                \
  {                                                                                                                    \
    OBJECT(struct overrides, tool, pose_type), HAS(struct overrides, has_tool), NULLABLE                               \
  }
/* The model with them put in, allocated; NULL when there are none. OK or EMEMORY. */
enum armdyn_status overrides_apply(const struct overrides *overrides, const struct armdyn_robot_description *robot,
                                   struct armdyn_robot_description **out);

#endif
