/* A schedule of a controller's gains: what is asked, what is in force. */
#ifndef API_CODEC_CONTROL_SCHEDULE_H
#define API_CODEC_CONTROL_SCHEDULE_H

#include "api/json/fields.h"
#include "armdyn/control.h"

/* Their names on the wire. */
extern const char *const control_laws[ARMDYN_LAWS];

struct control_schedule {
  char zones[27]; /* the id of a zoning, whose gains are those of the zone that the arm is in; "": of entries */
  double gains_at[ARMDYN_JOINTS_MAX]; /* where the control's own gains were made, which zones take by their inertia */
  bool has_gains_at;                  /* else zones have the gains of the zoning */
  enum armdyn_schedule_over over;
  size_t joint;
  double hysteresis;
  size_t count;
  struct control_entry {
    double from, bandwidth_hz; /* NAN: not given, as the gains */
    enum armdyn_law law;
    bool has_law, has_kp, has_ki, has_kd;
    double kp[ARMDYN_JOINTS_MAX], ki[ARMDYN_JOINTS_MAX], kd[ARMDYN_JOINTS_MAX];
  } entries[ARMDYN_SCHEDULE_ENTRIES_MAX];
};
/* Decoding: context->user is the robot's description. */
extern const struct json_type control_schedule_type;

/* Gains of an entry that are not given are those of its bandwidth at q, and without one those of the control.
 *   control  in/out  its law and gains in; its schedule out */
void control_schedule_in_force(const struct control_schedule *asked, const struct armdyn_robot *robot, const double *q,
                               struct armdyn_workspace *workspace, struct armdyn_control *control);
/* An object, as requests have it.
 *   asked  in  of zones: which, and whose gains */
void control_schedule_encode(struct json_writer *w, const struct armdyn_schedule *schedule,
                             const struct control_schedule *asked, const struct armdyn_robot_description *robot);

#endif
