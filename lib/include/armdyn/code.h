/* The equations of one arm as a program: recursion and closed form, as C, structured text (IEC 61131-3), Python, Matlab,
 * LaTeX or plain text.
 *
 * A program is made by running the recursions of armdyn/dynamics.h on expressions: what is zero, one or known folds away, what
 * is equal is computed once. Every language is printed from one scheduled list of operations, and armdyn_code_prove evaluates
 * that list beside the kernels. Nothing here compiles or runs what was printed.
 */
#ifndef ARMDYN_CODE_H
#define ARMDYN_CODE_H

#include "armdyn/trajectory.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { ARMDYN_CODE_JOINTS_MAX = 10, ARMDYN_CODE_NAME_SIZE = 128, ARMDYN_CODE_VECTORS = 10 };

/* What a program computes, with its inputs and outputs; n joints, matrices row-major, SI. In the order of the table in
 * lib/symbolic/functions.c. */
enum armdyn_code_function {
  ARMDYN_CODE_INVERSE_DYNAMICS,   /* q, qd, qdd -> tau */
  ARMDYN_CODE_GRAVITY,            /* q -> tau */
  ARMDYN_CODE_FRICTION,           /* q, qd -> tau */
  ARMDYN_CODE_MASS_MATRIX,        /* q -> mass_matrix, n x n */
  ARMDYN_CODE_CORIOLIS,           /* q, qd -> tau = C qd */
  ARMDYN_CODE_FORWARD_KINEMATICS, /* q -> tool, 4 x 4 */
  ARMDYN_CODE_JACOBIAN,           /* q -> jacobian, 6 x n, rows vx vy vz wx wy wz, base axes */
  ARMDYN_CODE_REGRESSOR,          /* q, qd, qdd -> regressor, n x armdyn_parameter_count */
  ARMDYN_CODE_COLLISION_OBSERVER, /* q, qd, tau, gain, period, state -> state: n residuals, then what it remembers; all 0 at
                                     first. tau is measured at the sample. See armdyn/collision.h */
  ARMDYN_CODE_PAYLOAD_TORQUE, /* q, qd, qdd, payload -> tau of a load alone: its mass, first moment and inertia m, mx, my,
                                     mz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz about the origin and in the axes of the tool frame */
  ARMDYN_CODE_FUNCTIONS
};

enum armdyn_code_language {
  ARMDYN_CODE_C,
  ARMDYN_CODE_STRUCTURED_TEXT,
  ARMDYN_CODE_PYTHON,
  ARMDYN_CODE_MATLAB,
  ARMDYN_CODE_LATEX,
  ARMDYN_CODE_TEXT,
  ARMDYN_CODE_LANGUAGES
};

/* Of structured text. */
enum armdyn_code_dialect { ARMDYN_CODE_CODESYS, ARMDYN_CODE_TWINCAT, ARMDYN_CODE_SIEMENS, ARMDYN_CODE_DIALECTS };

/* What becomes of the robot's parameters. */
enum armdyn_code_parameters {
  ARMDYN_CODE_FOLDED,  /* numbers in the program */
  ARMDYN_CODE_SYMBOLS, /* an input p: the standard parameters of armdyn/regressor.h, default choice. LaTeX and text of a
                          short arm (up to 4 joints) are then its closed form in its own symbols, without p */
  ARMDYN_CODE_BASE /* an input p: the base parameters of links and rotors, then the friction parameters as in SYMBOLS; and
                          the regressor has their columns alone */
};

/* Parts of inverse dynamics, bits. */
enum {
  ARMDYN_CODE_INERTIAL = 1,
  ARMDYN_CODE_VELOCITY = 2, /* Coriolis and centrifugal */
  ARMDYN_CODE_WEIGHT = 4,
  ARMDYN_CODE_RUBBING = 8, /* friction */
  ARMDYN_CODE_ALL_TERMS = 15
};

struct armdyn_code_request {
  enum armdyn_code_function function;
  enum armdyn_code_language language;
  enum armdyn_code_dialect dialect;
  bool single_precision;
  enum armdyn_code_parameters parameters;
  unsigned terms; /* of inverse dynamics */
  /* How far each joint's torque may be off, N m (N), so that terms which matter little are left out: of inverse dynamics,
   * gravity, friction and Coriolis torques with parameters FOLDED. 0: nothing is left out */
  double error_bound[ARMDYN_CODE_JOINTS_MAX];
  /* Where that and the proof hold: along this motion, which must live as long as the program; NULL: wherever the limits of
   * position, velocity and acceleration are kept, without which error_bound is refused */
  const struct armdyn_trajectory *motion;
  char title[ARMDYN_CODE_NAME_SIZE]; /* of the robot and its revision, for comments: "puma560, revision 3" */
};

/* Inverse dynamics in C with numbers, all terms. */
void armdyn_code_request_init(struct armdyn_code_request *request);

/* An input or output of a program. */
struct armdyn_code_variable {
  const char *name, *meaning; /* with unit */
  size_t rows, columns;       /* a scalar is 1 x 1 */
  bool scalar, state;         /* state: both input and output */
};

struct armdyn_code;

/* Make the program.
 *   robot    in   must live as long as the program; 1 to ARMDYN_CODE_JOINTS_MAX joints
 *   request  in   is copied
 *   out      out  release with armdyn_code_free
 * OK, EINPUT (too many joints), ELIMIT (too many expressions), EMEMORY. Allocates. */
enum armdyn_status armdyn_code_new(const struct armdyn_robot *robot, const struct armdyn_code_request *request,
                                   struct armdyn_code **out, struct armdyn_error *error);
void armdyn_code_free(struct armdyn_code *code);

/* What the program has to compute. */
struct armdyn_code_figures {
  size_t multiplications, additions; /* additions: subtractions and changes of sign too */
  size_t divisions, sines, others;   /* sines: cosines too; others: tanh, exp, ... */
  size_t live;                       /* values that it must remember at once */
};
void armdyn_code_figures(const struct armdyn_code *code, struct armdyn_code_figures *figures);

/* What was left out for error_bound. */
struct armdyn_code_bound {
  size_t dropped; /* terms of sums */
  /* Of each joint, N m (N): the torque is not further off than this and the rounding of the program, in any state that it
   * holds for. By interval arithmetic, rounded outward: an upper bound that is proven, and mostly some times what is met. */
  double torque[ARMDYN_CODE_JOINTS_MAX];
};
void armdyn_code_bound(const struct armdyn_code *code, struct armdyn_code_bound *bound);

size_t armdyn_code_input_count(const struct armdyn_code *code);
const struct armdyn_code_variable *armdyn_code_input(const struct armdyn_code *code, size_t k);
const struct armdyn_code_variable *armdyn_code_output(const struct armdyn_code *code);
/* The values that the parameters p have in the model: as many as the input has. NULL when the program has none. */
const double *armdyn_code_parameter_values(const struct armdyn_code *code);
/* The name of p[k], as armdyn_parameter_name or armdyn_base_parameter_text; cut to size. */
void armdyn_code_parameter_name(const struct armdyn_code *code, size_t k, char *text, size_t size);

/* Run the list of operations, in the precision of the request.
 *   inputs   in   all of them one after the other
 *   output   out */
void armdyn_code_evaluate(struct armdyn_code *code, const double *inputs, double *output);

/* The list of operations beside the kernels at random states: within position limits where there are any, up to the limits of
 * velocity and acceleration; or along the motion of the request. */
struct armdyn_code_proof {
  size_t states;
  unsigned long seed;
  double largest_difference; /* of any output */
  double largest_entry;      /* of the kernels' outputs */
  /* Of the difference, beyond what was left out: 1e-12 of the largest entry, or of 1 where that is less; in single
   * precision 1e-5. */
  double tolerance;
  bool holds;
};
/* OK or EMEMORY. */
enum armdyn_status armdyn_code_prove(struct armdyn_code *code, size_t states, unsigned long seed,
                                     struct armdyn_code_proof *proof);

/* Where text goes. */
struct armdyn_sink {
  void (*write)(void *context, const char *bytes, size_t length);
  void *context;
};

/* The files of the program: itself, and in languages that run a test of ARMDYN_CODE_VECTORS states and their results, computed
 * by the kernels. */
size_t armdyn_code_file_count(const struct armdyn_code *code);
void armdyn_code_file_name(const struct armdyn_code *code, size_t file, char name[ARMDYN_CODE_NAME_SIZE]);
/* OK, or EMEMORY. */
enum armdyn_status armdyn_code_print(struct armdyn_code *code, size_t file, const struct armdyn_sink *sink);
/* The name that the program is called by, and how: "void puma560_gravity(const double *q, double *tau)". Of LaTeX and text the
 * name is empty. */
const char *armdyn_code_entry(const struct armdyn_code *code);
void armdyn_code_signature(const struct armdyn_code *code, char *text, size_t size);

/* The names that people choose functions, languages, dialects and parameters by: "inverse_dynamics", "c", ... */
extern const char *const armdyn_code_function_names[ARMDYN_CODE_FUNCTIONS];
extern const char *const armdyn_code_language_names[ARMDYN_CODE_LANGUAGES];

#ifdef __cplusplus
}
#endif
#endif
