/* What every function of armdyn may answer, and where the details of a refusal go. */
#ifndef ARMDYN_STATUS_H
#define ARMDYN_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

/* One list makes the enum, the texts and (in api/problem) the map to HTTP, which does not compile with a row missing.
 * To add a status: a row here and a row there. */
#define ARMDYN_STATUS_LIST(X)                                                                                          \
  X(OK, "ok")                                                                                                          \
  X(EINPUT, "invalid input")                                                                                           \
  X(ESYNTAX, "not parseable")                                                                                          \
  X(EUNPHYSICAL, "physically impossible")                                                                              \
  X(EINFEASIBLE, "no motion keeps the limits")                                                                         \
  X(ESINGULAR, "singular matrix")                                                                                      \
  X(ECANCELLED, "cancelled")                                                                                           \
  X(ENOTFOUND, "not found")                                                                                            \
  X(EEXISTS, "exists already")                                                                                         \
  X(ECONFLICT, "in conflict with the present state")                                                                   \
  X(ESTALE, "changed meanwhile")                                                                                       \
  X(ELIMIT, "beyond a configured limit")                                                                               \
  X(EBUSY, "busy")                                                                                                     \
  X(EUNAVAILABLE, "not available now")                                                                                 \
  X(EFULL, "storage is full")                                                                                          \
  X(EIO, "input or output failed")                                                                                     \
  X(EMEMORY, "out of memory")                                                                                          \
  X(EINTERNAL, "internal error")

enum armdyn_status {
#define X(name, text) ARMDYN_##name,
  ARMDYN_STATUS_LIST(X)
#undef X
      ARMDYN_STATUS_COUNT
};

/* The caller's place for the details of a refusal. Functions that take one write it only when they refuse; NULL is fine.
 *   pointer  which part of the input, as an RFC 6901 JSON pointer into the model or request, e.g. "/joints/2/link/mass"
 *   message  one sentence for a person, with the offending value in it */
struct armdyn_error {
  char pointer[128];
  char message[256];
};

/* The text of a status, never NULL. */
const char *armdyn_status_text(enum armdyn_status status);

/* Fill `error` (NULL is fine) and return `status`, so that a refusal is one line: return armdyn_refuse(...). */
enum armdyn_status armdyn_refuse(struct armdyn_error *error, enum armdyn_status status, const char *pointer,
                                 const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;

#ifdef __cplusplus
}
#endif
#endif
