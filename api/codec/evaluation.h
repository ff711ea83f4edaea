/* Evaluations: models held against data sets. What is asked, and what is answered. */
#ifndef API_CODEC_EVALUATION_H
#define API_CODEC_EVALUATION_H

#include "api/codec/identification.h"

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

struct evaluation_request {
  struct evaluation_models models;
  struct id_list datasets;
  struct identification_conditioning conditioning;
  struct result_labels labels;
};
enum armdyn_status evaluation_request_decode(const char *text, size_t length,
                                             const struct armdyn_robot_description *robot,
                                             struct evaluation_request *out, struct faults *faults);

/* One model on one data set. */
struct evaluation_entry {
  size_t model, dataset;
  bool trained_on_this;  /* the model was identified from this data set */
  bool repeats_training; /* from one that has the same motion */
  struct identification_errors errors;
  struct identification_residuals residuals;
};

struct evaluation_result {
  const struct evaluation_request *request;
  const char *request_text;
  size_t joint_count;
  const int64_t *revisions; /* of the models: that they are, or that they were identified from */
  const struct identification_data *data;
  struct identification_conditioning conditioning; /* as used, without NAN */
  const struct evaluation_entry *entries;
  size_t entry_count;
  const struct identification_warning *warnings;
  size_t warning_count;
};
void evaluation_result_encode(const struct evaluation_result *result, struct buffer *out);
extern const struct result_form evaluation_form;

/* The data sets that an identification was trained on, from its document. OK, ELIMIT. */
enum armdyn_status evaluation_training_read(const cJSON *document, struct id_list *out);

#endif
