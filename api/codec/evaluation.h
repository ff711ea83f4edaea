/* Evaluations: models held against data sets. What is asked, and what is answered. */
#ifndef API_CODEC_EVALUATION_H
#define API_CODEC_EVALUATION_H

#include "api/codec/identification.h"
#include "armdyn/bootstrap.h"

/* A model by its name: "identification:01J...", "revision:6", "latest" or an alias of the robot. */
struct evaluation_model {
  char name[64];
  char identification[27]; /* "": a revision */
  int64_t revision;        /* 0: the newest */
  bool alias;              /* the name is one */
};
struct evaluation_models {
  size_t count;
  struct evaluation_model items[LIMIT_EVALUATION_MODELS];
};

/* How intervals of the errors are found. */
struct evaluation_bootstrap {
  int64_t resamples, seed;
  double level;        /* 0.5 .. 0.999 */
  double block_length; /* s; NAN: by the residuals */
};

struct evaluation_request {
  struct evaluation_models models;
  struct id_list datasets;
  struct identification_conditioning conditioning;
  struct evaluation_bootstrap bootstrap;
  char drive_gains_from[27]; /* an identification whose gains multiply the torques of all data sets; "": none */
  struct result_labels labels;
};
enum armdyn_status evaluation_request_decode(const char *text, size_t length,
                                             const struct armdyn_robot_description *robot,
                                             struct evaluation_request *out, struct faults *faults);

/* A data set that a model was identified from, or one that it began with was. */
enum { LINEAGE_MOST = 64 };
struct evaluation_origin {
  char dataset[27], sha256[65];
  char identification[27]; /* that did it, of the arm or of its friction */
  double part;             /* of its rows, from the first; the rest validated */
  size_t window_count;     /* that were left out, s */
  double windows[EXCLUSIONS_MOST][2];
};
/* Where a model comes from, as far as that is stored. */
struct evaluation_lineage {
  size_t origin_count, identification_count, written_count, gone_count;
  struct evaluation_origin origins[LINEAGE_MOST];
  char identifications[LINEAGE_MOST][27];
  int64_t written[LINEAGE_MOST]; /* revisions that were not promoted: nobody knows where their numbers come from */
  char gone[LINEAGE_MOST][27];   /* identifications that were deleted */
  bool cut;                      /* there is more than LINEAGE_MOST of something */
};

/* Why the errors of a model on a log are too good. */
enum evaluation_leak_kind { LEAK_NONE, LEAK_SAME_DATASET, LEAK_SAME_CONTENT, LEAK_SAME_SAMPLES, LEAK_SAME_MOTION };
struct evaluation_leak {
  enum evaluation_leak_kind kind;
  const struct evaluation_origin *origin;
  double share; /* of the log's rows that were trained on */
};

/* How sure the errors of a model on a log are, and what they are above those of the best on that log; the last is of all
 * joints together. */
struct evaluation_intervals {
  size_t best; /* model: the least error of all joints together among those without leaks, if there are any */
  double above[ARMDYN_JOINTS_MAX + 1];
  struct armdyn_interval errors[ARMDYN_JOINTS_MAX + 1], differences[ARMDYN_JOINTS_MAX + 1];
};

/* One model on one data set. */
struct evaluation_entry {
  size_t model, dataset;
  bool trained_on_this;  /* the model was identified from this data set */
  bool repeats_training; /* from one that has the same content, samples or motion */
  size_t leak_count;
  struct evaluation_leak leaks[LINEAGE_MOST];
  struct identification_errors errors;
  struct identification_residuals residuals;
  struct evaluation_intervals intervals[COMPARISONS]; /* of raw and parallel, where the log is known in blocks */
};

struct evaluation_result {
  const struct evaluation_request *request;
  const char *request_text;
  size_t joint_count;
  const int64_t *revisions;                  /* of the models: that they are, or that they were identified from */
  const struct evaluation_lineage *lineages; /* of the models */
  const double *gains;                       /* of drives, of the joints; NULL: torques are as logged */
  const struct identification_data *data;
  const struct armdyn_blocks *blocks;              /* of the data; of length 0: too short for any */
  struct identification_conditioning conditioning; /* as used, without NAN */
  const struct evaluation_entry *entries;
  size_t entry_count;
  const struct identification_warning *warnings;
  size_t warning_count;
};
void evaluation_result_encode(const struct evaluation_result *result, struct buffer *out);
extern const struct result_form evaluation_form;

#endif
