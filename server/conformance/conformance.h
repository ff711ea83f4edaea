/* Holds a controller against register protocol v2 and says what to mend: `armdyn controller-test`.
 *
 * bench.c speaks to the controller, one request after the other; the files check_*.c hold the checks, each a row of a table
 * with what to mend when it fails; conformance.c runs the rows and tells a listener; page.c is the one that prints. What is
 * right is read from server/protocol, as everywhere. */
#ifndef SERVER_CONFORMANCE_CONFORMANCE_H
#define SERVER_CONFORMANCE_CONFORMANCE_H

#include <stdio.h>

#include "server/conformance/options.h"
#include "server/conformance/report.h"

/* Exit status: 0 nothing is wrong, 1 something is. */
int conformance_run(const struct conformance_options *options, const struct conformance_listener *listener);

/* The same, printed to `out` as a page. */
int conformance_print(const struct conformance_options *options, FILE *out);

#endif
