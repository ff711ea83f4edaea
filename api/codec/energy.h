/* Electrical energy of motions and logs: what is asked, and what is answered. */
#ifndef API_CODEC_ENERGY_H
#define API_CODEC_ENERGY_H

#include "api/codec/carried.h"
#include "api/codec/dynamics.h"
#include "api/json/writer.h"
#include "armdyn/electrical.h"
#include "armdyn/identify.h"

/* {"total", "by_cause": {...}, "by_joint": [...]}, J; null when `energy` is NULL. */
void electrical_energy_encode(struct json_writer *w, const struct armdyn_electrical_energy *energy,
                              const struct armdyn_robot_description *robot);

enum { ENERGY_ID = 27, ENERGY_MEMORIES = 6 };

/* A stored trajectory, a stored data set, or a log: t, q, qd, and as many of qdd, tau and current as it has. */
struct energy_request {
  struct carried carried;
  char trajectory[ENERGY_ID], dataset[ENERGY_ID]; /* "" = a log */
  double cutoff_hz;                               /* of the filters of a data set; NAN = by its motion */
  struct armdyn_electrical_model drives;
  size_t count;
  struct armdyn_rows t, q, qd, qdd, tau, current; /* data NULL where there is none; t is 1 wide, the others n */
  double *memory[ENERGY_MEMORIES];
};

/* Decode a request, JSON, CSV (t, q1.., qd1.., and qdd1.., tau1.., i1.. if given; options in the query) or .npy (the same,
 * named by ?fields= or known by their number).
 *   out  out  release with energy_request_release unless refused
 * OK, ESYNTAX (400), EINPUT (422), ELIMIT (413), EMEMORY. */
enum armdyn_status energy_request_decode(enum media media, size_t joints, const char *body, size_t length,
                                         query_lookup *query, const void *context, struct energy_request *out,
                                         struct faults *faults);
void energy_request_release(struct energy_request *request);

struct energy_estimate {
  const struct armdyn_robot_description *robot;
  long long revision;
  const struct carried *carried;
  const struct armdyn_electrical_model *drives;
  double duration;
  size_t samples;                                   /* 0: of a trajectory */
  const struct armdyn_conditioning *conditioning;   /* of a data set; NULL: none */
  bool other_conditions;                            /* of a data set: not the model's payload, tool or gravity */
  const struct armdyn_electrical_energy *predicted; /* by the model's torques */
  const struct armdyn_electrical_energy *measured;  /* by the log's; NULL: it has none */
};
void energy_estimate_encode(struct buffer *out, const struct energy_estimate *estimate);

#endif
