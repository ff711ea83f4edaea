/* Structured log: one JSON object a line on standard error, never split between threads.
 *   {"time":"...Z","level":"info","message":"...","request":"...","robot":"..."}
 *
 * Without log_start every line is written at once. With it lines are gathered and written together by a thread of their
 * own, at most LOG_DELAY later, warnings and errors as soon as it runs: nobody who logs waits for who reads. A standard
 * error that nobody reads costs lines, which are counted and told, and never stops the service. */
#ifndef SERVER_BASE_LOG_H
#define SERVER_BASE_LOG_H

#include <stdbool.h>

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARNING, LOG_ERROR, LOG_LEVEL_COUNT };

void log_set_level(enum log_level least);
/* "debug", "info", "warning", "error"; false for others. */
bool log_level_of(const char *name, enum log_level *level);
/* Would a line of this level be written? For callers that prepare much. */
bool log_wants(enum log_level level);
void log_start(void);
void log_stop(void); /* writes what was gathered; lines are written at once again */

/* Further members as name, value pairs of C strings, ended by NULL: log_event(LOG_INFO, "job done", "job", id, NULL).
 * A member whose value is NULL is left out. */
void log_event(enum log_level level, const char *message, ...) __attribute__((sentinel));
/* A value that is written as a number: log_event(..., "seconds", LOG_NUMBER(0.25), NULL). */
#define LOG_NUMBER(x) log_number((char[32]){ 0 }, (double)(x))
const char *log_number(char text[32], double value);

#endif
