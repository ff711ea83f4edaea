/* Identifications: what is asked, and what is answered. */
#ifndef API_CODEC_IDENTIFICATION_H
#define API_CODEC_IDENTIFICATION_H

#include "api/codec/result.h"
#include "armdyn/closed_loop.h"
#include "armdyn/filter_test.h"
#include "armdyn/loads.h"
#include "armdyn/payload.h"
#include "armdyn/signals.h"

/* -- what is asked -- */

/* Ids of data sets, each once. */
struct id_list {
  size_t count;
  char items[LIMIT_DATASETS][27];
};
void id_list_decode(struct json_reader *r, const struct json_field *field, void *member,
                    const struct json_context *context);
/* A row of a field table. */
#define ID_LIST(type_, member_) CUSTOM(type_, member_, id_list_decode, NULL, "a list of ids of data sets, [\"01J...\"]")

struct identification_conditioning {
  double rate;                                 /* Hz; NAN: that of the first data set */
  double position_cutoff_hz, torque_cutoff_hz; /* NAN: chosen from the data; 0: not filtered */
  double trim;                                 /* s; NAN: by the cut-off */
  enum armdyn_conditioning_method method;
  double tracking_acceleration; /* of the tracking differentiator; NAN: no limit */
  bool has_torque_delay;
  size_t torque_delay_count;
  double torque_delay[ARMDYN_JOINTS_MAX]; /* s, of each joint; 0 without */
};
extern const struct json_type identification_conditioning_type;

/* What becomes of velocities that were logged. */
enum identification_velocities { VELOCITIES_AUTO /* where they agree */, VELOCITIES_LOGGED, VELOCITIES_POSITIONS };

enum identification_subject { IDENTIFY_ARM, IDENTIFY_PAYLOAD };

/* Parts of training data that are left out. */
enum { EXCLUSIONS_MOST = 64 };
struct identification_exclusion {
  char dataset[27];
  double from, to; /* s, as the data set has them */
};

/* What is true of the payloads that data sets say. */
enum identification_payloads_known { PAYLOADS_KNOWN, PAYLOADS_WEIGHED };

struct identification_friction {
  unsigned terms; /* enum armdyn_friction_terms; automatic: to choose from */
  bool automatic; /* those that the data show to be there */
};

/* The loop that the arm was logged in. */
struct identification_loop {
  struct id_list reference; /* for each data set, one that has as positions where the arm should have been */
  double kp[ARMDYN_JOINTS_MAX], kd[ARMDYN_JOINTS_MAX];
};

struct identification_request {
  enum identification_subject identify;
  struct id_list datasets, validation;
  struct id_list unloaded;    /* IDENTIFY_PAYLOAD: one, of the same motion without the load, or none */
  double validation_fraction; /* NAN: none */
  enum armdyn_estimator estimator;
  enum identification_velocities velocities;
  enum identification_payloads_known payloads_known; /* of find_drive_gains */
  bool prior;
  double prior_strength; /* NAN: by cross-validation */
  bool rotor_inertia, free_signs, find_cutoffs, find_drive_gains, test_filters;
  bool has_find_torque_delay, find_torque_delay; /* the former false: where a delay is plain */
  bool has_loop;
  struct identification_loop loop; /* of ARMDYN_DIDIM, ARMDYN_IV and test_filters */
  struct identification_friction friction;
  char friction_from[27]; /* an identification of friction that holds for the joints that it found; "": none */
  size_t exclusion_count;
  struct identification_exclusion exclude[EXCLUSIONS_MOST];
  struct identification_conditioning conditioning;
  int64_t seed;
  struct result_labels labels;
};
enum armdyn_status identification_request_decode(const char *text, size_t length,
                                                 const struct armdyn_robot_description *robot,
                                                 struct identification_request *out, struct faults *faults);
extern const char *const identification_estimators[ARMDYN_ESTIMATORS]; /* names, by enum armdyn_estimator */

/* -- what is answered -- */

enum identification_role {
  IDENTIFICATION_TRAINING,
  IDENTIFICATION_VALIDATION,
  IDENTIFICATION_ROLES, /* that errors are told of */
  IDENTIFICATION_UNLOADED = IDENTIFICATION_ROLES
};

/* Errors of predicted torques: against the filtered ones, those as measured, and, filtered alike, the filtered ones. */
enum identification_comparison { COMPARED_FILTERED, COMPARED_RAW, COMPARED_PARALLEL, COMPARISONS };
struct identification_errors {
  bool known;
  size_t samples;
  double fastest[ARMDYN_JOINTS_MAX]; /* that each joint moves, rad/s (m/s) */
  struct armdyn_fit joints[COMPARISONS][ARMDYN_JOINTS_MAX], together[COMPARISONS];
};
/* {"filtered": {...}, "raw": {...}, "parallel": {...}}, or null */
void identification_errors_encode(struct json_writer *w, const struct identification_errors *errors, size_t joints);

struct identification_data {
  char id[27], sha256[65];
  const char *label;
  enum identification_role role;
  long long samples;
};

/* What was learnt from, as a list: id, label, sha256 and samples of each. */
void identification_data_encode(struct json_writer *w, const struct identification_data *data, size_t count);

/* What residuals look like: of the validation where there is one, else of the training. */
enum { RESIDUAL_BINS = 41, RESIDUAL_LINES = 129 };
struct identification_residuals {
  enum identification_role role;
  size_t lines;                                      /* of the spectrum; 0: too few samples */
  double frequency[RESIDUAL_LINES];                  /* Hz */
  double density[ARMDYN_JOINTS_MAX][RESIDUAL_LINES]; /* (N m)^2/Hz, one-sided */
  double range[ARMDYN_JOINTS_MAX];                   /* N m: the bins go from -range to range */
  long long counts[ARMDYN_JOINTS_MAX][RESIDUAL_BINS];
};

/* {"of": .., "spectrum": .., "histograms": ..} */
void identification_residuals_encode(struct json_writer *w, const struct identification_residuals *residuals,
                                     size_t joints);

struct identification_warning {
  const char *code, *joint; /* joint NULL: of none */
  const char *detail;
};
/* "warnings": [..] */
void identification_warnings_encode(struct json_writer *w, const struct identification_warning *warnings, size_t count);

/* Friction of a joint that another identification found, and that was held. */
struct identification_held {
  bool held;
  struct armdyn_friction friction, deviation; /* its offset is none of it; deviation 0: not known */
};

/* Velocities that a data set was logged with. */
struct identification_velocity {
  bool has;                     /* it has them */
  bool used[ARMDYN_JOINTS_MAX]; /* in place of the changes of positions */
  struct armdyn_logged_velocity found[ARMDYN_JOINTS_MAX];
};

/* Cut-offs that were tried. */
enum { CUTOFFS_MOST = 25 };
struct identification_cutoffs {
  bool asked;
  size_t count, chosen; /* the first is what the motion's bandwidth says */
  struct {
    double position, torque; /* Hz */
    double error;            /* on held-out parts, by that of the first */
    double gain;             /* how much better than the first, in standard errors */
  } tried[CUTOFFS_MOST];
};

/* A delay that was searched for. */
struct identification_delay {
  struct armdyn_torque_delay found;
  bool compensated;
};

/* Are the filters right? */
struct identification_filter_test {
  bool asked;
  struct armdyn_filter_test found;
  double instrument_cutoff; /* Hz; NAN: they are of the simulated loop */
};

/* Of ARMDYN_IV: where its instruments come from. */
struct identification_instruments {
  bool asked;
  double cutoff; /* Hz, of the filter along the measured path; NAN: they are of the simulated loop */
};

/* A gain that was searched for. */
struct identification_gain {
  struct armdyn_drive_gain found;
  bool applied; /* it is known well enough */
};

/* Payloads of which the mass was known, and what was found of them. */
struct identification_weighed {
  size_t count;
  struct armdyn_weighed_load loads[ARMDYN_LOAD_KINDS_MOST];
  size_t kind[2 * LIMIT_DATASETS + 1]; /* of each data set: 1 .. count; 0: what the model carries */
};

struct identification_result {
  const struct armdyn_robot_description *robot;
  const char *robot_sha256;
  const struct identification_request *request;
  const char *request_text;
  const struct armdyn_robot_description *identified; /* with friction that was searched for before it was identified,
                                                        and that was held */
  const struct identification_held *held;            /* n; NULL: none was */
  const struct armdyn_unknowns *unknowns;
  const struct armdyn_estimate *estimate;
  const struct armdyn_friction_choice *choices; /* by joint; NULL: nothing was chosen */
  const double *stribeck_deviation; /* of a joint's Stribeck velocity, NAN: not known; NULL: none was searched for */
  const struct armdyn_payload_estimate *payload;    /* instead of the estimate; NULL: the arm was identified */
  struct identification_conditioning conditioning;  /* as used, without NAN */
  const struct identification_velocity *velocities; /* by data set; NULL: nobody looked at them */
  const struct identification_delay *delays;        /* n; NULL: none were searched for */
  struct identification_cutoffs cutoffs;
  struct identification_filter_test filter_test;
  struct identification_instruments instruments;
  const struct armdyn_closed_loop *closed_loop; /* of a loop that was simulated, else NULL */
  const struct identification_gain *gains;      /* n; NULL: the same */
  const struct identification_weighed *weighed; /* NULL or of none: they were known */
  double rate, sample_rate;                     /* Hz: of the data, of the samples that are kept */
  const struct identification_data *data;
  size_t data_count;
  struct identification_errors errors[IDENTIFICATION_ROLES];
  struct identification_residuals residuals;
  const struct identification_warning *warnings;
  size_t warning_count;
};
/* "parameters": {"base": [..], "standard": [..], "friction": [..]} */
void identification_parameters_encode(struct json_writer *w, const struct identification_result *result);
/* "payload": {...}; "weighed_payloads": [..], where there are any */
void identification_payload_encode(struct json_writer *w, const struct armdyn_payload_estimate *payload);
void identification_weighed_encode(struct json_writer *w, const struct identification_result *result);
void identification_result_encode(const struct identification_result *result, struct buffer *out);
extern const struct result_form identification_form;

#endif
