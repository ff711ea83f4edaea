/* What a controller is to be held against, and how far that may go. */
#ifndef SERVER_CONFORMANCE_OPTIONS_H
#define SERVER_CONFORMANCE_OPTIONS_H

#include <stdbool.h>

struct conformance_options {
  const char *host, *port;
  unsigned unit, base;
  const char *only;    /* checks in whose name this stands, and who the controller is; NULL: all */
  bool allow_motion;   /* ARM, START and RESUME may be sent */
  const char *restart; /* a command of the shell that restarts the controller; NULL: a person is asked, or nobody */
  bool ask;            /* somebody sits before the terminal */
};

#endif
