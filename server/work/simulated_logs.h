/* Logs that an identified arm might have made: its own motion, or that of the loop that it was logged in, the torques of its
 * model, and noise like that which was left. */
#ifndef SERVER_WORK_SIMULATED_LOGS_H
#define SERVER_WORK_SIMULATED_LOGS_H

#include "armdyn/study.h"
#include "server/data/opened_logs.h"
#include "server/work/held_friction.h"
#include "server/work/logged_loop.h"

struct simulated_log {
  size_t n, count;
  double *time;   /* count, s: the even clock */
  double *q;      /* count x n, as the filter left it, or as the loop moves: the true motion */
  double *tau;    /* count x n, of the model: the true torques */
  double *q_read; /* with noise, what a run reads */
  double *tau_read;
  double *wanted; /* with a loop: its reference, count x n, unfiltered */
};

struct simulated_logs {
  size_t count;
  struct simulated_log logs[LIMIT_DATASETS];
  struct armdyn_noise *of_torques, *of_positions;
  double position_deviation[ARMDYN_JOINTS_MAX]; /* NAN: not known, there is none */
};

/* What is simulated, and the training data whose motion it is. */
struct simulated_truth {
  const struct armdyn_unknowns *unknowns;
  const double *beta;
  const struct armdyn_known_friction *known; /* whose torques come to those of beta; NULL: none */
  struct logged_loop *loop;         /* that the data were logged in, and whose motion is simulated; NULL: not known */
  const struct armdyn_robot *robot; /* with a loop: that moves in it, with the terms of the unknowns */
  const struct armdyn_estimate *in_loop; /* with a loop: of that robot */
  const struct armdyn_conditioning *conditioning;
  struct opened_logs *data;
  size_t data_count;
  const struct armdyn_source *trained; /* on, without the known friction: its residuals are the noise's pattern */
  bool position_noise;
};
/*   logs  in/out  zeroed before; release them in any case
 * OK; EINPUT: more than LIMIT_STUDY_TORQUES; the refusals of reading; EMEMORY. */
enum armdyn_status simulated_logs_make(const struct simulated_truth *truth, struct simulated_logs *logs,
                                       struct armdyn_error *error);
void simulated_logs_release(struct simulated_logs *logs);

/* Another run: fresh noise, of its own for every run of a seed. OK or EMEMORY. */
enum armdyn_status simulated_logs_draw(struct simulated_logs *logs, uint64_t seed, size_t run);
/* For armdyn_log_stream_new: what a run reads, and the reference of its loop. */
struct armdyn_log_reader simulated_log_reader(struct simulated_log *log);
struct armdyn_log_reader simulated_reference_reader(struct simulated_log *log);

#endif
