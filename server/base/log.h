/* Structured log: one JSON object a line on standard error, never split between threads.
 *   {"time":"...Z","level":"info","message":"...","request":"...","robot":"..."} */
#ifndef SERVER_BASE_LOG_H
#define SERVER_BASE_LOG_H

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARNING, LOG_ERROR };

void log_set_level(enum log_level least);
/* Further members as name, value pairs of C strings, ended by NULL: log_event(LOG_INFO, "job done", "job", id, NULL). */
void log_event(enum log_level level, const char *message, ...) __attribute__((sentinel));
/* The same with a number formatted by the caller: LOGF(12.5) is a short-lived string. */
#define LOG_NUMBER(x) log_number((char[32]){ 0 }, (double)(x))
const char *log_number(char text[32], double value);

#endif
