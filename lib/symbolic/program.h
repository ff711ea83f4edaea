/* A program inside: what lib/symbolic/functions.c knows of a function, and what became of it for one robot. */
#ifndef LIB_SYMBOLIC_PROGRAM_H
#define LIB_SYMBOLIC_PROGRAM_H

#include "armdyn/code.h"
#include "armdyn/regressor.h"
#include "lib/symbolic/arm.h"
#include "lib/symbolic/closed_form.h"
#include "lib/symbolic/schedule.h"

enum { INPUTS_MAX = 8 };

/* Inputs in the order in which every function takes them. */
enum input { INPUT_P, INPUT_Q, INPUT_QD, INPUT_QDD, INPUT_TAU, INPUT_PAYLOAD, INPUT_GAIN, INPUT_PERIOD, INPUT_STATE };

struct armdyn_code {
  const struct armdyn_robot *robot;
  struct armdyn_code_request request;
  char entry[ARMDYN_CODE_NAME_SIZE];
  size_t joint_count;

  size_t input_count, input_size; /* vectors; numbers of all of them */
  enum input kinds[INPUTS_MAX];
  struct armdyn_code_variable inputs[INPUTS_MAX];
  size_t first[INPUTS_MAX]; /* of each input's numbers among all */
  struct armdyn_code_variable output;
  size_t output_size;

  struct expr_graph graph;
  expr *roots; /* output_size */
  struct schedule schedule;
  double *values;             /* of every node, while evaluating */
  struct closed_form *closed; /* of LaTeX and text with symbols, where the arm has one that can be read; else NULL */
  struct armdyn_code_bound bound;
  struct armdyn_code_proof proof; /* the last one; states 0: none */

  double *parameters;                  /* the values of p, or NULL */
  size_t parameter_count;              /* of p, and columns of the regressor */
  struct armdyn_base_parameters *base; /* of ARMDYN_CODE_BASE, else NULL: the first base_count of p, then friction */
  size_t base_count, standard_count, friction_first; /* among the standard parameters */
};

/* To add a function: its row in functions.c, with what makes it and what proves it. */
struct code_function {
  const char *title;      /* for a comment: "Joint torques of a motion" */
  unsigned inputs;        /* bits of enum input */
  bool parameterized;     /* may have p */
  enum arm_frames frames; /* with folded parameters */
  const char *output, *meaning;
  void (*shape)(const struct armdyn_code *code, size_t *rows, size_t *columns);
  /* The expressions of the output. `arm` has the states as inputs; `input` are the numbers of all inputs. */
  void (*make)(const struct armdyn_code *code, struct arm *arm, const expr *input, expr *out);
  /* The kernels' output for the same inputs. */
  void (*reference)(const struct armdyn_code *code, const double *input, struct armdyn_workspace *workspace,
                    double *out);
};
extern const struct code_function code_functions[ARMDYN_CODE_FUNCTIONS];

/* Where the numbers of an input begin among all, or SIZE_MAX. */
size_t code_input_place(const struct armdyn_code *code, enum input input);

/* Which standard parameter the k-th of p is, or of the columns of the regressor; or leads it. */
size_t code_parameter_standard(const struct armdyn_code *code, size_t k);

/* Make expressions anew until they get no cheaper.
 *   g     in, out  is replaced
 *   cost  out      in additions; NULL: not wanted */
bool code_refine(struct expr_graph *g, enum expr_sums sums, expr *roots, size_t count, double *cost);

/* Does the request allow it to leave anything out? */
static inline bool code_may_be_off(const struct armdyn_code *code)
{
  for (size_t i = 0; i < ARMDYN_CODE_JOINTS_MAX; i++) {
    if (code->request.error_bound[i] != 0) return true;
  }
  return false;
}
/* Leave out what request.error_bound allows. OK, EINPUT, EMEMORY. */
enum armdyn_status code_abridge(struct armdyn_code *code, struct armdyn_error *error);

/* States, and whatever other inputs there are, drawn for a proof or a test. */
void code_draw_inputs(const struct armdyn_code *code, uint64_t *seed, double *inputs);

#endif
