/* Requests and answers of the synchronous calls on samples, in JSON, .npy and CSV. */
#ifndef API_CODEC_DYNAMICS_H
#define API_CODEC_DYNAMICS_H

#include "api/codec/media.h"
#include "api/json/fields.h"
#include "api/wire/buffer.h"
#include "api/wire/faults.h"
#include "armdyn/constraint.h"
#include "armdyn/methods.h"
#include "armdyn/terms.h"

enum { SAMPLES_MEMORIES = 5, OUTPUTS_MOST = 8, POSE = 6 };

/* The synchronous calls on samples. To add a call: a row of samples_forms (dynamics_forms.c), its path in the contract, its
 * kernel (server/routes/kernels.c) and a route. */
enum samples_call {
  CALL_INVERSE_DYNAMICS,
  CALL_FORWARD_DYNAMICS,
  CALL_MASS_MATRIX,
  CALL_CORIOLIS,
  CALL_GRAVITY,
  CALL_ENERGY,
  CALL_FORWARD_KINEMATICS,
  CALL_JACOBIAN,
  CALL_STATICS,
  CALL_DERIVATIVES,
  CALL_LINEARIZE,
  CALL_REGRESSOR,
  CALL_DIAGNOSE, /* answered as a whole: no outputs for each sample, and no kernel */
  SAMPLES_CALL_COUNT
};

/* Extents of outputs that depend on the robot, besides PER_JOINT: of a state [q, qd], twice as many; of a regressor, as
 * many as there are parameters. */
#define PER_STATE     (SIZE_MAX - 1)
#define PER_PARAMETER (SIZE_MAX - 2)

/* When an output is there. */
enum samples_when {
  ALWAYS,
  WITH_DECOMPOSE,
  WITH_VELOCITIES,
  WITH_ACCELERATIONS,
  WITH_JOINT_WRENCHES,
  WITH_POSES,
  WITH_CONSTRAINT
};

struct samples_output {
  const char *name; /* "momentum.linear": member `linear` of an object `momentum` */
  size_t shape[3];  /* of one sample, 0 ends it */
  enum samples_when when;
  bool poses; /* the last extent is POSE: x, y, z, roll, pitch, yaw; {translation, rpy} in JSON */
};

/* What a call takes and answers. */
struct samples_form {
  const struct json_type *request;
  struct samples_output outputs[OUTPUTS_MOST]; /* in the order of the answer; a name NULL ends them */
};
extern const struct samples_form samples_forms[];

/* What a call on samples was asked. Owned: samples_request_release. */
struct samples_request {
  size_t count;                               /* samples */
  bool single;                                /* one sample, not a batch of one: the answer has the same shape */
  struct armdyn_rows q, qd, qdd, tau, wrench; /* SI; wrench in library order [moment; force], converted from the wire's
                                                 [f; m]; data NULL where a call has none */
  enum armdyn_wrench_frame wrench_frame;
  enum armdyn_jacobian_frame frame;
  int method; /* as the names of the call's form are numbered */
  enum armdyn_constraint constraint;
  double normal[3]; /* of a wall */
  bool friction, decompose, joint_wrenches, poses;
  double tolerance; /* of a diagnosis */
  bool overridden;  /* payload, gravity or tool were given: `robot` is the stored model with them put in */
  struct armdyn_robot_description *robot; /* NULL unless overridden */
  double *memory[SAMPLES_MEMORIES];       /* what rows point into, unless they point into the body itself */
};

/* A query option of a call on .npy or CSV bodies (JSON bodies carry options inside): name -> value, NULL = absent. */
typedef const char *query_lookup(const void *context, const char *name);

/* Decode a request.
 *   call, media     in
 *   robot           in   the stored model: number of joints, and the base of overrides
 *   body, length    in   must outlive the request (.npy rows may point into it)
 *   query, context  in   options for .npy and CSV; NULL: none
 *   out, faults     out
 * Columns of .npy: the fields in the order of the table, e.g. q, qd, qdd, then the wrench if given. Columns of CSV:
 * q1..qn, qd1.., qdd1.., and fx, fy, fz, mx, my, mz if given, in any order.
 * OK, ESYNTAX (400), EINPUT/EUNPHYSICAL (422), ELIMIT (413), EMEMORY. */
enum armdyn_status samples_request_decode(enum samples_call call, enum media media,
                                          const struct armdyn_robot_description *robot, const char *body, size_t length,
                                          query_lookup *query, const void *context, struct samples_request *out,
                                          struct faults *faults);
void samples_request_release(struct samples_request *request);

/* Options in the query of a JSON body, which carries them inside, are faults; false then. */
bool samples_options_in_place(enum samples_call call, query_lookup *query, const void *context, struct faults *faults);

/* Is this output part of the answer to this request? */
bool samples_output_wanted(const struct samples_output *output, const struct samples_request *request);

/* One output of an answer: so many numbers a sample, e.g. {"tau", {6}} or {"tool", {4, 4}}. */
struct samples_field {
  const char *name;
  size_t shape[3];    /* of one sample; 0 ends it: {0} number, {6} vector, {4, 4} matrix, {6, 4, 4} list of matrices */
  const double *data; /* count x product of shape */
  bool poses;         /* as of the output */
};

/* The fields of a JSON answer, between a json_begin_object and json_end_object of the caller. */
void samples_answer_write(struct json_writer *w, const struct samples_field *fields, size_t field_count, size_t count,
                          bool single);

/* Encode an answer: JSON carries every field; .npy and CSV the one chosen (its index in `chosen`).
 *   single  in  as in the request
 * The columns' names go into `columns` (comma-separated, for the Columns: header) when it is not NULL: tau1,tau2 of a
 * vector, tool_1_1,tool_1_2 of a matrix. */
void samples_answer_encode(enum media media, const struct samples_field *fields, size_t field_count, size_t chosen,
                           size_t count, bool single, struct buffer *out, struct buffer *columns);

#endif
