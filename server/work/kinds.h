/* What kinds of jobs and results there are: JOB_KIND_LIST. */
#ifndef SERVER_WORK_KINDS_H
#define SERVER_WORK_KINDS_H

#include "api/codec/carried.h"
#include "api/codec/result.h"
#include "api/wire/faults.h"
#include "armdyn/robot.h"
#include "server/data/samples.h"
#include "server/work/work.h"

/* A data set or result that a job computes from, and where its request names it. */
struct job_source {
  struct store_referral referral;
  char pointer[64]; /* "/datasets/0" */
};
enum { JOB_SOURCES = 2 * LIMIT_DATASETS + 1, JOB_DATASET_LISTS = 3 };
#define SOURCE_MOTION "motion" /* kind of a source that is any motion */

/* A kind keeps all that one of its jobs needs in one zeroed struct of its own, its run, so that one exit releases it. */
struct job_kind {
  const char *name;                  /* of the job, and of its result in the store: "trajectory" */
  const struct result_form *form;    /* of its results */
  const struct series_form *samples; /* of its results; NULL: they have none */
  bool motion;                       /* its results can be played: they have a polynomial */
  size_t size;                       /* of a run */
  long stall_s;                      /* without a step (work_progress, work_rows) for so long it does not get on */
  size_t labels;                     /* struct result_labels within the run, once decoded */
  size_t carried;                    /* struct carried within the run, once decoded; 0: the model is the revision's */
  bool in_cell;                      /* requests may name a cell */
  struct job_datasets {
    const char *name;            /* of the request's member: "datasets"; NULL: no more */
    size_t at;                   /* struct id_list within the run, once decoded */
  } datasets[JOB_DATASET_LISTS]; /* that it computes from */

  /* Read the request into the run. Every fault is found; faults may be NULL. OK, ESYNTAX, EINPUT, EMEMORY. */
  enum armdyn_status (*decode)(const char *text, size_t length, const struct armdyn_robot_description *robot, void *run,
                               struct faults *faults);

  /* What a decoded request computes from besides data sets: with them at most JOB_SOURCES. NULL: nothing. Answers how
   * many. */
  size_t (*sources)(const void *run, struct job_source *sources);

  /* In the worker process: compute what was decoded, and end with work_result, work_problem or work_refused. */
  void (*compute)(struct work *work, struct armdyn_robot *robot, void *run);

  /* What the run holds, decoded or not; the run itself is not its business. NULL: nothing. */
  void (*release)(void *run);
};

/* The one source of a kind that follows a stored motion by its id, which the request's "trajectory" has; "": none. Answers
 * how many. */
size_t job_source_of_motion(const char *id, struct job_source *source);

/* The decode of a kind whose runs hold what `decoder` reads as their `request`: JOB_REQUEST(struct run, x_request_decode) */
#define JOB_REQUEST(run_type, decoder)                                                                                 \
  static enum armdyn_status decode(const char *text, size_t length, const struct armdyn_robot_description *robot,      \
                                   void *context, struct faults *faults)                                               \
  {                                                                                                                    \
    run_type *run = context;                                                                                           \
    return decoder(text, length, robot, &run->request, faults);                                                        \
  }

/* NULL when there is no such kind. */
const struct job_kind *job_kind_find(const char *name);

/* The motion of this id, of whichever kind: in the store (release it), or as a referral of unknown kind, which gets it.
 * OK, ENOTFOUND, what the store says. */
enum armdyn_status motion_get(struct store *store, const char *id, struct store_result *result);
enum armdyn_status motion_find(struct store *store, struct store_referral *motion);

/* What the server has to know of a request that it accepts. */
struct job_acceptance {
  struct buffer tags; /* a JSON object; release it */
  int priority;
  int64_t time_limit_ms;          /* 0 = none */
  char webhook[ARMDYN_NAME_SIZE]; /* "" = none */
  struct job_source sources[JOB_SOURCES];
  size_t source_count;
};

/* At acceptance: is the request right for this robot? OK, ESYNTAX, EINPUT, EMEMORY. */
enum armdyn_status job_kind_accept(const struct job_kind *kind, const struct armdyn_robot_description *robot,
                                   const char *request, size_t length, struct job_acceptance *out,
                                   struct faults *faults);

/* In the worker process: to its end, whatever it is. */
void job_kind_run(const struct job_kind *kind, struct work *work);

/* The kinds that there are: name, and what its calls have of it: createTuning, listTunings. To add one: a file of its own with
 * its struct job_kind, its row here, its paths in api/; of further routes, rows in server/routes. */
#define JOB_KIND_LIST(X)                                                                                               \
  X(trajectory, Trajectory, Trajectories)                                                                              \
  X(excitation, Excitation, Excitations)                                                                               \
  X(friction_test, FrictionTest, FrictionTests)                                                                        \
  X(friction_identification, FrictionIdentification, FrictionIdentifications)                                          \
  X(simulation, Simulation, Simulations)                                                                               \
  X(identification, Identification, Identifications)                                                                   \
  X(identification_study, IdentificationStudy, IdentificationStudies)                                                  \
  X(evaluation, Evaluation, Evaluations)                                                                               \
  X(collision_check, CollisionCheck, CollisionChecks)                                                                  \
  X(verification, Verification, Verifications)                                                                         \
  X(tuning, Tuning, Tunings)                                                                                           \
  X(zoning, Zoning, Zonings)
#define X(name, one, many) extern const struct job_kind name##_kind;
JOB_KIND_LIST(X)
#undef X

#endif
