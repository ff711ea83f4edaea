/* The scheduler from inside: what the files of this folder share. */
#ifndef SERVER_JOBS_INTERNAL_H
#define SERVER_JOBS_INTERNAL_H

#include <pthread.h>

#include "server/base/announce.h"
#include "server/ipc/child.h"
#include "server/ipc/pulse.h"
#include "server/jobs/figures.h"
#include "server/work/messages.h"

/* Those that share the workers, and take turns: keys, and among the jobs of one key robots. */
enum sharing { OF_KEY, OF_ROBOT, SHARINGS };
/* What decides between them. */
struct share {
  uint64_t turn;  /* when they had a turn last: the number of that turn */
  size_t running; /* of them */
};
/* A key or a robot that has jobs here. */
struct party {
  struct party *next; /* in its slot */
  enum sharing sharing;
  char name[ARMDYN_NAME_SIZE];
  struct share share;
  size_t live;
  struct group *groups; /* by of_party */
  uint64_t copied;      /* by the how-manieth replay, ... */
  size_t copy;          /* ... and where to */
};
/* Jobs that differ in nothing that decides who is next but their age. */
struct group {
  struct group *next, **at;
  struct group *of_party[SHARINGS]; /* the next one */
  int priority;
  struct party *parties[SHARINGS];
  size_t live, waiting;
  struct live_job *first, *last; /* those that do not run, by age, held ones among them */
};

/* A job that has not ended. Its request stays in the store until it is run. */
struct live_job {
  struct live_job *same_slot;
  struct live_job *next, *previous; /* by age: of those that run, or of its group */
  struct group *group;
  uint64_t number; /* in the order of acceptance */
  size_t timed;    /* its place in the heap of deadlines; 0: it is not there */
  char id[ID_SIZE];
  char kind[sizeof(((struct store_job *)0)->kind)];
  int priority;
  int64_t deadline_ns; /* monotonic; INT64_MAX: none */
  bool running;        /* a runner has it, and only that runner removes it */
  bool held;           /* somebody is making or ending it in the store */
  bool cancelled;      /* the runner should end it so */
  bool overdue;        /* and this is why: its time is over */
  int attempt;         /* how many were begun */
  char started_at[TIME_SIZE];
  char traceparent[TRACE_SIZE];
  double progress;
  char message[MESSAGE_TEXT];
  struct runner *runner;
  struct job_parts *sharing; /* its parts, once it has told of them, until its attempt ends */
};

/* A thread and its worker process: of this node, or what speaks for one of another node (far.c). */
struct runner {
  struct jobs *jobs;
  pthread_t thread;
  char node[ID_SIZE]; /* the other one; "": this one. Under the lock */
  int worker;         /* of it */
  bool withdrawn;     /* it takes no more jobs. Under the lock */
  struct child child;
  pid_t victim;           /* the process, as long as it may be killed: not reaped yet; 0 = none. Under the lock */
  bool ready;             /* it said so. Under the lock */
  char why[MESSAGE_TEXT]; /* it is not: "ended by exit 1"; "" when it is. Under the lock */
  int failures;           /* starts in a row that came to nothing */
  int64_t born_ns;        /* the last one */
  char helps[ID_SIZE];    /* the job that it takes parts of; "": none. Under the lock */
  struct pulse answers;   /* to pings */
  struct pulse progress;  /* of its job */
  uint64_t steps;         /* as it last told */
};

enum { WORKER_ENDS = 3 }; /* so many within ten minutes are too many */

/* Somebody who wants to know when a job has ended. */
struct waiter {
  struct waiter *next;
  char id[ID_SIZE];
  int64_t deadline_ns;
  void (*wake)(void *context);
  void *context;
};

struct jobs {
  struct store *store;
  struct announce changes; /* never under the lock */
  pthread_mutex_t lock;
  pthread_cond_t changed;            /* anything below */
  size_t slots;                      /* of the two tables that follow: a power of two */
  struct live_job **by_id;           /* all jobs, by a hash of their ids */
  struct party **parties;            /* by a hash of their names */
  struct group *groups;              /* all */
  struct live_job *first, *last;     /* those that run, by age */
  struct live_job **timed;           /* a heap: none ends later than those below it. From 1 on */
  size_t timed_count, timed_room;    /* room: for all jobs */
  uint64_t turn;                     /* how many times a job was begun */
  uint64_t accepted;                 /* jobs */
  uint64_t replays;                  /* see live_position */
  size_t live, running;              /* jobs */
  size_t live_most;                  /* that are taken */
  size_t waiting_most, running_most; /* of one key; 0: no limit */
  uint64_t refused;                  /* jobs beyond the share of their key */
  bool stopping;                     /* take no more jobs */
  bool draining;                     /* nor now */
  bool killing;                      /* the time to stop is over */
  struct jobs_ended ended[JOB_KINDS_MOST];
  uint64_t lost;                /* attempts */
  uint64_t helped;              /* parts of jobs that another worker than theirs computed */
  uint64_t hung;                /* workers that were killed for silence or lack of progress */
  int64_t ends_ns[WORKER_ENDS]; /* of the last workers that crashed or hung, one after the other in a ring; 0: none */
  size_t ends;
  int64_t silence_ns, stall_ns;                /* that are too much; stall 0: as the kind of job has it */
  int64_t keep_jobs, keep_orders, keep_alarms; /* days that ended ones are kept; 0 = for ever */
  bool retains;                                /* ... all; else there is: */
  pthread_t retention;                         /* the thread of retention.c */
  char memory_mib[24], cpu_s[24];              /* of workers, as their arguments */
  size_t runner_count;
  struct runner *runners;
  struct far *far; /* NULL: the store is a file, and other nodes have no part in it */

  pthread_t waking; /* the thread of waiters.c */
  pthread_cond_t waiters_changed;
  struct waiter *waiters;
  bool waking_ends;
};

void *runner_main(void *runner);
/* Take jobs and run them until the service stops, or the runner is withdrawn. */
void runner_take_turns(struct runner *r);

/* -- far.c: workers of other nodes -- */
enum armdyn_status far_start(struct jobs *jobs, const char *data, struct armdyn_error *error);
/* Under the lock: kill what speaks for those that compute a job; NULL: for all. */
void far_kill(struct jobs *jobs, const struct live_job *job);
void far_stop(struct jobs *jobs);
/* The arguments of the process that speaks for it. */
void far_arguments(const struct runner *r, const char *arguments[5], char worker[16]);
/* Under the lock: how many there are, and are ready. */
void far_count(const struct jobs *jobs, size_t *workers, size_t *ready);
void *retention_main(void *jobs);

/* -- process.c, on the runner's thread -- */

/* True with a process that is ready and answers; false: none yet, or the service stops. */
bool worker_up(struct runner *r);
/* kill_it false: it closed its end, so let it end in its own way, to learn which. */
void worker_down(struct runner *r, bool kill_it, char reason[CHILD_REASON_SIZE]);
/* Its next frame, while it is kept under watch. EUNAVAILABLE: none within wait_ms, or the answer to a ping; else as
 * channel_receive. */
enum armdyn_status worker_hear(struct runner *r, struct frame *frame, int wait_ms);
/* A worker has ended, and nobody wanted it to. */
void worker_note_end(const struct runner *r);
/* Has it been silent too long, or (at_work) without progress? Then r->why says so. */
bool worker_hangs(struct runner *r, bool at_work);

/* Rest, but not longer than the service goes on, nor beyond a flag (under the lock) that is raised. */
void jobs_rest(struct jobs *jobs, const bool *raised, int64_t ms);
/* How long to rest, ms: `first`, doubled `times` times, at most `most`. */
int64_t jobs_pause(int times, int64_t first, int64_t most);

/* Under the lock, all of them. The tables of a queue for so many jobs at most; beyond that it gets slow. EMEMORY */
enum armdyn_status live_open(struct jobs *jobs, size_t most);
void live_close(struct jobs *jobs);
struct live_job *live_find(const struct jobs *jobs, const char *id);
/* It comes last. EMEMORY: it is not in the queue. */
enum armdyn_status live_append(struct jobs *jobs, struct live_job *job, const char *key, const char *robot);
/* The job that is due, which runs from now on: that of the highest priority; of these, one of the key of which the fewest run;
 * of these, of the key whose last turn is the longest ago; then the same of robots; of these, the oldest. Keys that run as
 * many as they may are passed over. NULL: none waits. */
struct live_job *live_start(struct jobs *jobs);
/* Would it start one? */
bool live_due(const struct jobs *jobs);
/* Kill what computes it: its worker, and those that help. */
void live_kill(struct jobs *jobs, const struct live_job *job);
void live_rest(struct jobs *jobs, struct live_job *job); /* it does not run any more, if it did */
void live_hold(struct jobs *jobs, struct live_job *job, bool held);
/* What computes it is killed, and its runner ends it so. */
void live_cancel(struct jobs *jobs, struct live_job *job);
void live_remove(struct jobs *jobs, struct live_job *job);
/* The how-manieth it will be of those that wait to be begun, should those that run end in the order in which they were
 * accepted, and nothing else come; with one worker that is certain. 0: it does not wait, or that takes too long to tell
 * (or there is no memory). */
size_t live_position(struct jobs *jobs, const struct live_job *job);
/* How many of a key wait. */
size_t live_waiting(const struct jobs *jobs, const char *key);
const char *live_robot(const struct live_job *job);

/* One that waits, and what decides. */
struct candidate {
  int priority;
  const struct share *shares[SHARINGS];
  uint64_t number;
};
/* Does `a` go before `b`? */
bool goes_before(const struct candidate *a, const struct candidate *b);

/* -- deadlines.c: those that have one, and are neither held nor cancelled -- */

enum armdyn_status deadlines_make_room(struct jobs *jobs, size_t count);
void deadlines_add(struct jobs *jobs, struct live_job *job);
void deadlines_remove(struct jobs *jobs, struct live_job *job); /* fine where it is not there */
/* That of the nearest; NULL: there is none. */
struct live_job *deadlines_first(const struct jobs *jobs);

/* Without the lock: store the end of a job that did not come to one itself: cancelled, or failed because it is overdue. */
enum armdyn_status live_cut_short(struct store *store, const struct live_job *job);
enum job_state live_cut_state(const struct live_job *job);
/* The job has ended: take it out, free it, wake who waits for it. Without the lock.
 *   how  in  JOB_QUEUED: it has not, and is only forgotten here */
void live_end(struct jobs *jobs, struct live_job *job, enum job_state how);

enum armdyn_status waiters_start(struct jobs *jobs);
void waiters_stop(struct jobs *jobs);                 /* wakes all that are left */
void waiters_wake(struct jobs *jobs, const char *id); /* NULL: all */

/* A condition that waits on the monotonic clock, until a point of it. */
void condition_init(pthread_cond_t *condition);
void condition_wait_until(pthread_cond_t *condition, pthread_mutex_t *lock, int64_t deadline_ns);

#endif
