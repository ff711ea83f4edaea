/* Which data a model comes from, as far as the store knows, and whether a log is among them. */
#ifndef SERVER_WORK_LINEAGE_H
#define SERVER_WORK_LINEAGE_H

#include "api/codec/evaluation.h"
#include "server/store/store.h"

/* The description of a revision.
 *   revision  in   0: the newest
 *   row       out  its document is NULL; NULL = not wanted
 * OK, ENOTFOUND, EMEMORY, EIO. */
enum armdyn_status lineage_revision_read(struct store *store, const char *robot, int64_t revision,
                                         struct armdyn_robot_description *out, struct store_robot *row);

/* Follow a model back: a revision to the identification that it was promoted from and to the revision before it, as long as
 * that one has a link, a friction or a load of a joint in common with it; an identification to its data sets, to the friction
 * that it held, and to the revision that it began with.
 *   identification  in  that the model is; "": the revision
 *   out             out zeroed before
 * OK, EMEMORY, EIO. */
enum armdyn_status lineage_follow(struct store *store, const char *robot, const char *identification, int64_t revision,
                                  struct evaluation_lineage *out);

/* Rows of data sets by which they are known again, wherever they were uploaded: of long ones every so many. */
struct data_prints {
  size_t count, room;
  struct data_print *list;
};
void data_prints_release(struct data_prints *prints);

/* Is a log, or a part of it, among what a model was identified from?
 *   origin  in
 *   id      in   of the log
 *   sha256  in   of its samples
 *   leak    out  its kind is LEAK_NONE if not, nor if the origin's data are gone
 * Rows are the same if positions and torques are, bit by bit; those that a log has twice tell nothing (an arm at rest).
 * OK, EMEMORY, EIO, EBUSY. */
enum armdyn_status lineage_overlap(struct store *store, struct data_prints *prints,
                                   const struct evaluation_origin *origin, const char *id, const char *sha256,
                                   struct evaluation_leak *leak);

#endif
