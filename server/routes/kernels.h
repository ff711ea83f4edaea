/* The kernels of the library behind the calls on samples. */
#ifndef SERVER_ROUTES_KERNELS_H
#define SERVER_ROUTES_KERNELS_H

#include "api/codec/dynamics.h"
#include "armdyn/regressor.h"

/* One request while it is computed. */
struct samples_task {
  const struct armdyn_robot *robot;
  const struct samples_request *request;
  size_t joints, parameters;                 /* parameters: columns of a regressor */
  const struct armdyn_base_parameters *base; /* of a regressor in its minimal form; NULL: in the standard one */
  double *out[OUTPUTS_MOST];  /* as the outputs of the call's form: count x width each; NULL = not wanted */
  size_t width[OUTPUTS_MOST]; /* numbers a sample */
};

/* Compute the samples [first, last). After another status than OK, *failed is the sample that has no answer. */
typedef enum armdyn_status samples_kernel(const struct samples_task *task, struct armdyn_workspace *workspace,
                                          size_t first, size_t last, size_t *failed);

/* What the route of a call is about: its form and its kernel. By call. */
struct kernel {
  enum samples_call call;
  samples_kernel *compute;
};
extern const struct kernel kernels[SAMPLES_CALL_COUNT];

/* Is the method that was asked for one for this robot? error: why not. */
bool samples_method_fits(enum samples_call call, const struct samples_task *task, struct armdyn_error *error);

#endif
