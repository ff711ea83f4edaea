#ifndef LIB_IDENTIFY_COLLINEAR_H
#define LIB_IDENTIFY_COLLINEAR_H

#include "lib/identify/training.h"

/* Warn of parameters that the weighted equations hardly tell apart, by name. Overwrites the training's stack. OK or EMEMORY. */
enum armdyn_status warn_of_collinear(struct training *training, struct armdyn_warnings *warnings);

#endif
