/* Torque profiles as a controller takes them: joint motion turned into axes, grid and words, and held against every
 * limit before anything is sent. */
#ifndef SERVER_GATEWAY_PROFILE_H
#define SERVER_GATEWAY_PROFILE_H

#include "api/codec/controller.h"
#include "armdyn/robot.h"
#include "server/protocol/words.h"

/* Beside the formats of the register protocol: position, torque and velocity, each float32, for register maps. */
enum { FORMAT_MOTION = FORMAT_END };
/* Words of a sample in any of them. */
unsigned profile_sample_words(unsigned format, unsigned axes);

/* One axis of the controller and the joint that it moves:
 *   position = position_scale q + position_offset,   torque = torque_scale tau */
struct mapped_axis {
  size_t joint;
  unsigned axis; /* number from 0 */
  char name[ARMDYN_NAME_SIZE];
  double position_scale, position_offset; /* the scale has the sign */
  double torque_scale;                    /* sign, and 1 / gear ratio on the motor side */
  double rated;                           /* at 1000 per mille; INFINITY where nothing says it */
  double start_tolerance;                 /* in the controller's units of position */
  double torque_most, rate_most; /* the smallest of joint, drive and controller, on the axis's side; or INFINITY */
};

/* Ascending by axis. */
struct axis_map {
  size_t count;
  struct mapped_axis axes[LIMIT_AXES];
};

/* Bind a controller to a robot.
 *   faults  out  pointers into the controller: joints that the robot lacks or that no axis moves, too many axes, lists of
 *                limits of another length, motor torques of a coupled transmission
 * OK or EINPUT. */
enum armdyn_status axis_map_make(const struct controller_description *controller,
                                 const struct armdyn_robot_description *robot, struct axis_map *map,
                                 struct faults *faults);

/* All of a profile but its data; flat, so that it travels between processes as it is. */
struct profile_head {
  uint32_t id, total, period_us, crc;
  uint16_t format, axis_mask, end_policy, loss_policy, torque_content;
  uint32_t axis_count;
  float start[LIMIT_AXES]; /* by axis number */
  struct profile_axis {
    uint32_t axis, joint_index; /* numbers from 0 */
    double position_scale, position_offset, torque_scale;
    double rated, torque_most, rate_most, start_tolerance;
    char joint[ARMDYN_NAME_SIZE];
  } axes[LIMIT_AXES]; /* in the order of a sample */
};

struct profile {
  struct profile_head head;
  uint16_t *words; /* total x sample_words; owned */
};

/* The grid's period: a whole number of microseconds (within 1e-9 of the rate), 100 us .. 1 s. EINPUT, pointer "/rate". */
enum armdyn_status profile_period(double rate, uint32_t *period_us, struct armdyn_error *error);

/* EMEMORY; ELIMIT when total is beyond LIMIT_SERIES_ROWS; EINPUT when per mille of an unknown rated torque is asked for. */
enum armdyn_status profile_init(struct profile *profile, const struct axis_map *map, enum sample_format format,
                                uint32_t period_us, size_t total, struct armdyn_error *error);
void profile_release(struct profile *profile);
/* Sample `index` from joint positions and joint torques. Per mille is rounded to the nearest that is within the limit. */
void profile_put(struct profile *profile, const struct axis_map *map, size_t index, const double *q, const double *tau);
/* Of FORMAT_MOTION: its joint velocities too. */
void profile_put_velocity(struct profile *profile, const struct axis_map *map, size_t index, const double *qd);
/* After the last sample: start position and CRC-32. */
void profile_finish(struct profile *profile);

/* Make it one of another format that says less: torque of position and torque, per mille of torque.
 * EINPUT: there is no such way, a rated torque is unknown, or rounding to per mille leaves the limits. EMEMORY. */
enum armdyn_status profile_convert(struct profile *profile, enum sample_format format, struct armdyn_error *error);

/* Position, torque and velocity of one axis of a sample as the controller will understand them (0 what the format has
 * not). */
double profile_position(const struct profile *profile, size_t index, size_t axis);
double profile_torque(const struct profile *profile, size_t index, size_t axis);
double profile_velocity(const struct profile *profile, size_t index, size_t axis);

/* Hold what will be sent against the limits: |torque|, torque rate between samples, finite numbers.
 *   faults  out  cells: row = sample, column = axis in the order of the map; the detail names both, and the joint
 * OK or EINPUT. */
enum armdyn_status profile_check(const struct profile *profile, struct faults *faults);

#endif
