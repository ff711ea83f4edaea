/* Pendulum tests on the wire. */
#ifndef API_CODEC_PENDULUM_H
#define API_CODEC_PENDULUM_H

#include "api/wire/buffer.h"
#include "api/wire/faults.h"
#include "armdyn/pendulum.h"

/* The times of a request become their mean, with the deviation of a mean. OK, ESYNTAX, EINPUT, EMEMORY. */
enum armdyn_status pendulum_decode(const char *body, size_t length, struct armdyn_pendulum_test *out,
                                   struct faults *faults);
void pendulum_encode(struct buffer *out, const struct armdyn_pendulum_test *test, const struct armdyn_pendulum *found);

#endif
