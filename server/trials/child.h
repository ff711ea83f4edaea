/* The process that tests one controller for `serve`. */
#ifndef SERVER_TRIALS_CHILD_H
#define SERVER_TRIALS_CHILD_H

#include "server/conformance/options.h"

/* Make the test, and tell `fd`, a socket, what comes of it. Exit status: 0 it was made to its end, whatever it found. */
int trial_child(int fd, const struct conformance_options *options);

#endif
