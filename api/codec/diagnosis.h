/* The answer of a diagnosis; its request is a call on samples (dynamics.h). */
#ifndef API_CODEC_DIAGNOSIS_H
#define API_CODEC_DIAGNOSIS_H

#include "api/json/writer.h"
#include "armdyn/diagnose.h"

/*   robot  in  names of joints */
void diagnosis_encode(struct buffer *out, const struct armdyn_diagnosis *diagnosis,
                      const struct armdyn_robot_description *robot, long long revision);

#endif
