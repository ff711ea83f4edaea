/* The request for clearances of states, and its answer. */
#ifndef API_CODEC_CLEARANCE_H
#define API_CODEC_CLEARANCE_H

#include "api/codec/parts.h"
#include "api/codec/surroundings.h"

struct clearance_request {
  struct overrides overrides; /* first: rows of OVERRIDES look for it there */
  struct surroundings around;
  /* states */
  bool batch;
  size_t count;
  double *q; /* count x joints */
  /* or a motion */
  char trajectory[27]; /* its id; "": there is none */
  double rate;         /* Hz at which it is played */
  double deviation[ARMDYN_JOINTS_MAX];
  double tolerance; /* m */
};

/* OK, ESYNTAX (400), EINPUT (422), EMEMORY. clearance_request_release what is accepted. */
enum armdyn_status clearance_decode(const char *body, size_t length, size_t joints, struct clearance_request *out,
                                    struct faults *faults);
void clearance_request_release(struct clearance_request *request);

/* One state and its clearance. */
struct clearance_state {
  struct armdyn_clearance at;
  double gradient[ARMDYN_JOINTS_MAX];
};
void clearance_encode(struct buffer *out, const struct clearance_request *request, size_t joints, long long revision,
                      const struct clearance_state *states);
/* Of a motion. */
void clearance_motion_encode(struct buffer *out, const struct clearance_request *request, long long revision,
                             const struct armdyn_motion_clearance *motion);

#endif
