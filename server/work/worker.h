/* The worker process: takes one job at a time over its channel, computes it, and hands back series and a result.
 * It is a function: it reads data sets of the store, writes nowhere, and has no network (but to a store on a server), and no
 * thread but one that answers pings. To cancel it is to kill it. */
#ifndef SERVER_WORK_WORKER_H
#define SERVER_WORK_WORKER_H

/* Serve jobs that come over fd until the other end is closed: 0; or until it talks nonsense: 1. A job that takes more than
 * cpu_s seconds of processor time ends the process with WORK_OUT_OF_TIME.
 *   path   in  of the store, see store_path, or STORE_IN_ENVIRONMENT
 *   cpu_s  in  0 = no limit */
enum { WORK_OUT_OF_TIME = 3 };
int work_serve(int fd, const char *path, unsigned long cpu_s);

#endif
