/* Holds a controller against register protocol v2 and says what to mend: `armdyn controller-test`.
 *
 * bench.c speaks to the controller, one request after the other; the files check_*.c hold the checks, each a row of a table
 * with what to mend when it fails; conformance.c runs the rows and prints the page. What is right is read from
 * server/protocol, as everywhere. */
#ifndef SERVER_CONFORMANCE_CONFORMANCE_H
#define SERVER_CONFORMANCE_CONFORMANCE_H

#include <stdio.h>

#include "server/conformance/options.h"

/* Exit status: 0 nothing is wrong, 1 something is. Prints the page to `out`. */
int conformance_run(const struct conformance_options *options, FILE *out);

#endif
