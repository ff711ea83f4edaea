/* What was measured of a motion, summed up: what its transfer and its order tell, and a shift's report adds. */
#ifndef API_CODEC_MEASURED_H
#define API_CODEC_MEASURED_H

#include "api/codec/transfer.h"

/* As schema Measured has it. No meter is read: work is of torques that sensors measured, electricity is what the model of the
 * drives says of it; neither is told of torques that are those of the profile. */
void measured_encode(const struct playback *playback, struct buffer *out);

#endif
