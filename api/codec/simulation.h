/* Simulations between JSON and the library: what is asked, and what is answered. */
#ifndef API_CODEC_SIMULATION_H
#define API_CODEC_SIMULATION_H

#include "api/codec/result.h"
#include "armdyn/robot.h"

enum simulation_method { SIMULATION_ADAPTIVE, SIMULATION_FIXED, SIMULATION_METHODS };

struct simulation_request {
  double q[ARMDYN_JOINTS_MAX], qd[ARMDYN_JOINTS_MAX]; /* at t = 0 */
  double tau[ARMDYN_JOINTS_MAX];                      /* of the drives, constant */
  double duration;                                    /* s */
  bool friction;
  enum simulation_method method;
  double tolerance;   /* of adaptive steps, relative and absolute; NAN = not given */
  double step;        /* s, of fixed steps; NAN = not given */
  double sample_rate; /* Hz */
  struct result_labels labels;
};

/* Decode and check in full: everything but how the motion goes.
 *   out  out  holds no memory of its own
 * OK, ESYNTAX (400), EINPUT (422), EMEMORY. */
enum armdyn_status simulation_request_decode(const char *text, size_t length,
                                             const struct armdyn_robot_description *robot,
                                             struct simulation_request *out, struct faults *faults);

struct simulation_momentum {
  double angular[3], linear[3]; /* about the base origin, in base axes; kg m^2/s, kg m/s */
};
struct simulation_state {
  double kinetic, potential; /* J */
  struct simulation_momentum momentum;
};

/* What was computed. */
struct simulation_result {
  const struct simulation_request *request;
  const char *request_text;
  long steps;
  size_t samples;
  struct simulation_state start, end;
  double work;         /* J, of the drives */
  double peak_kinetic; /* J, at a sample */
  double unbalanced;   /* J, the largest |energy - energy at the start - work| at a sample */
};
/* The document that is kept: a JSON object. */
void simulation_result_encode(const struct simulation_result *result, struct buffer *out);
extern const struct result_form simulation_form;

#endif
