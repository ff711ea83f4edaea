/* The libraries that this program runs with, which need not be those that it was built with. */
#ifndef SERVER_CMD_LIBRARIES_H
#define SERVER_CMD_LIBRARIES_H

enum { LIBRARY_VERSION_SIZE = 32 };

struct library {
  const char *name;
  void (*version)(char out[LIBRARY_VERSION_SIZE]); /* "3.40.1" */
};
/* One whose name is NULL ends them. To add one: a function and a row. */
extern const struct library libraries[];

#endif
