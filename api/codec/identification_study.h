/* Studies of identifications: what is asked, and what is answered. */
#ifndef API_CODEC_IDENTIFICATION_STUDY_H
#define API_CODEC_IDENTIFICATION_STUDY_H

#include "api/codec/identification.h"
#include "armdyn/study.h"

struct identification_study_request {
  char identification[27];
  int64_t repetitions, seed;
  bool position_noise;
  struct result_labels labels;
};
enum armdyn_status identification_study_request_decode(const char *text, size_t length,
                                                       const struct armdyn_robot_description *robot,
                                                       struct identification_study_request *out, struct faults *faults);

/* How often an interval of a share is to hold the truth. */
#define IDENTIFICATION_STUDY_LEVEL 0.95

/* What was computed. */
struct identification_study_result {
  const struct armdyn_robot_description *robot; /* of the identification's revision */
  int64_t revision;
  const struct identification_study_request *request;
  const char *request_text;
  const char *estimator;
  struct identification_conditioning conditioning; /* as used, without NAN */
  const struct identification_data *data;          /* whose motion was simulated */
  size_t data_count, samples;                      /* of a simulated run */
  bool in_loop;                                    /* the motion is that of a simulated loop, not the measured one */
  const struct armdyn_noise *noise;                /* of torques */
  double position_deviation[ARMDYN_JOINTS_MAX];    /* rad (m); NAN: not known, 0 was taken */
  const struct armdyn_unknowns *unknowns;          /* that are told of */
  const struct armdyn_study *study;
  size_t completed, failed, other_terms; /* runs; of the completed ones those that chose other terms of friction */
  const struct identification_warning *warnings;
  size_t warning_count;
};
/* The document that is kept: a JSON object. */
void identification_study_result_encode(const struct identification_study_result *result, struct buffer *out);
extern const struct result_form identification_study_form;

#endif
