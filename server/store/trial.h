/* What an upgrade of a store would take, by doing it with a copy. */
#ifndef SERVER_STORE_TRIAL_H
#define SERVER_STORE_TRIAL_H

#include "server/store/store.h"

struct store_trial {
  int version, newest; /* of the schema: now, and of this program */
  int64_t bytes;       /* of the copy: what the store holds */
  int64_t room;        /* what the upgrade leaves or needs beside the store, most of it the copy that is the way back */
  double seconds;      /* that it takes; the service answers nothing meanwhile */
};

/* Copy the store in `path`, whether or not a service has it open, into `folder` (on the disk of the store, so that times are
 * alike), open it there as this program does, and look whether it is whole, and refers to nothing that is missing.
 * ENOTFOUND: there is no store; ECONFLICT: it is of a newer program or of another one; EFULL; EIO: damaged. */
enum armdyn_status store_try_upgrade(const char *path, const char *folder, struct store_trial *trial,
                                     struct armdyn_error *error);

#endif
