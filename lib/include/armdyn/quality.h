/* How good a log is: what can be seen in it without a model of the arm. Rows are taken as they come, and memory does not
 * depend on how many there are. */
#ifndef ARMDYN_QUALITY_H
#define ARMDYN_QUALITY_H

#include <stdbool.h>
#include <stddef.h>

#include "armdyn/robot.h"
#include "armdyn/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct armdyn_quality;

/*   joints   in   n
 *   columns  in   of a row: the time, n positions, perhaps others
 *   torque   in   the first of n columns of torques; 0: there are none
 *   out      out  release with armdyn_quality_free
 * OK, EINPUT or EMEMORY. */
enum armdyn_status armdyn_quality_new(size_t joints, size_t columns, size_t torque, struct armdyn_quality **out);
void armdyn_quality_free(struct armdyn_quality *quality);
/* The rows that follow: count x columns, finite; s (increasing), rad (m), any unit, N m (N). */
void armdyn_quality_add(struct armdyn_quality *quality, size_t count, const double *rows);

struct armdyn_column_figures {
  double least, greatest, rms;
};
struct armdyn_joint_figures {
  bool moves; /* its range is at least 1e-4 rad (m), and a thousandth of the widest */
  /* Samples in a row that have exactly the greatest or least torque of the log while the joint moves: the most of them,
   * and when they end (s). A controller that clips makes many, noise makes one or two. */
  size_t clipped;
  double clipped_value, clipped_time;
  /* By how much the torque comes after (before: negative) the motion that it belongs to, s: the shift with which the
   * torque is best explained by positions, signs of velocities, velocities and accelerations of all joints, fitted to the
   * first 8,192 samples of motion. NAN: not found (little motion, or no shift that stands out). */
  double delay;
};
struct armdyn_quality_report {
  size_t count;
  double first, last;   /* s */
  double rate;          /* Hz, without gaps; NAN of one sample */
  double jitter;        /* standard deviation of the intervals without gaps, over their mean */
  size_t gaps;          /* intervals of more than 1.5 usual ones, the median of the first thousand */
  double gap, gap_time; /* the longest, s, and when it begins */
  size_t repeated;      /* rows like the one before but for the time, less than 0.1 s in a row, amid motion */
  double repeated_time; /* of the first, s */
  size_t rests;         /* stretches of 0.25 s and more in which no joint has 2 % of its greatest speed */
  double resting;       /* s, of all of them */
  const struct armdyn_column_figures *columns; /* as many as a row has */
  const struct armdyn_joint_figures *joints;
};
/* What was found so far; the arrays live as long as `quality`, and change with the next report. */
enum armdyn_status armdyn_quality_report(struct armdyn_quality *quality, struct armdyn_quality_report *report);

#ifdef __cplusplus
}
#endif
#endif
