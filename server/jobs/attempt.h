/* One attempt at a job: what it is, how it is begun and ended, and how the store is told. */
#ifndef SERVER_JOBS_ATTEMPT_H
#define SERVER_JOBS_ATTEMPT_H

#include "api/problem/problem.h"
#include "api/wire/buffer.h"
#include "server/jobs/internal.h"

enum attempt_end {
  ATTEMPT_RESULT,  /* the worker computed one */
  ATTEMPT_PROBLEM, /* the worker says why there is none */
  ATTEMPT_REFUSED, /* a problem, without asking the worker */
  ATTEMPT_LOST,    /* the worker ended or talked nonsense: `reason` */
  ATTEMPT_STORE,   /* the store failed: `reason`; nobody's fault, to be tried again */
  ATTEMPT_GONE     /* there is no such job any more, or it was cancelled before it began */
};

struct attempt {
  struct jobs *jobs;
  struct live_job *live;
  struct store *store;
  struct store_job job;   /* as stored */
  bool loaded;            /* job is */
  bool helps;             /* with parts of a job that another runner has */
  bool asks;              /* the worker wants to know which part is next */
  char result[ID_SIZE];   /* the id that a result of this attempt has */
  bool handed_over;       /* the worker has (some of) it */
  bool peer_gone;         /* LOST: it closed its end */
  struct buffer document; /* RESULT, PROBLEM, REFUSED */
  char reason[MESSAGE_TEXT];
  struct store_series_writer *series; /* being written: one of the two, or none */
  struct store_samples_writer *samples;
  size_t series_count, width;
  double *rows; /* a frame's worth, aligned */
};

void attempt_release(struct attempt *a);
/* Its first step, also of who helps: hand the job over. ATTEMPT_RESULT: the worker has it. */
enum attempt_end attempt_begin(struct attempt *a, struct channel *channel, const char *id);
int64_t attempt_stall_ns(const struct attempt *a);

/* Ends, with their reason: the worker ended or talked nonsense; the store failed. */
enum attempt_end attempt_lost(struct attempt *a, const char *reason);
enum attempt_end attempt_store_failed(struct attempt *a, enum armdyn_status status);

/* Another end: this problem. Answers ATTEMPT_REFUSED. */
enum attempt_end attempt_refuse(struct attempt *a, enum problem problem, const char *detail);

/* Append `reason` to what is told of lost attempts. False when out of memory. */
bool attempt_note_lost(struct attempt *a);

/* The store did not take something of this attempt: it may be full now and have room later. Say so in the job's message
 * and rest before the next try (`tries` were repeated already). false: do not try again; `raised` came up meanwhile (the
 * service stops at the latest), or the store says that it never will. */
bool attempt_wait_for_store(struct attempt *a, enum armdyn_status status, int tries, const bool *raised);

/* The ways to tell the store; each may be tried again after a failure. */
enum armdyn_status attempt_store_result(struct attempt *a);
enum armdyn_status attempt_store_problem(struct attempt *a);
enum armdyn_status attempt_store_retry(struct attempt *a);
enum armdyn_status attempt_store_lost(struct attempt *a);      /* too often: failed */
enum armdyn_status attempt_store_cut_short(struct attempt *a); /* see live_cut_short */

#endif
