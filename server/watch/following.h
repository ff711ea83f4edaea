/* One arm that is watched: from rows of telemetry to parameters over time, what has drifted, and what touched it. Not for
 * several threads. */
#ifndef SERVER_WATCH_FOLLOWING_H
#define SERVER_WATCH_FOLLOWING_H

#include "api/codec/watch.h"
#include "armdyn/collision.h"
#include "server/base/id.h"
#include "server/gateway/message.h"
#include "server/robots/cache.h"
#include "server/watch/rows.h"

struct following {
  struct robots *robots;
  char controller[ARMDYN_NAME_SIZE], robot[ARMDYN_NAME_SIZE];
  char started_at[TIME_SIZE], begun_at[TIME_SIZE], updated_at[TIME_SIZE], drifted_at[TIME_SIZE], contact_at[TIME_SIZE];
  struct watch_request request;
  struct armdyn_conditioning conditioning;
  const struct robot_entry *model; /* the revision that is followed */
  size_t n, b;                     /* joints, parameters */
  struct armdyn_drift *drift;
  struct armdyn_workspace *workspace;
  double *change, *deviation; /* b */
  struct watch_joint joints[ARMDYN_JOINTS_MAX];
  size_t motions, samples, contacts, gap_count, point_count;
  double seconds, spacing, due; /* of motion; of the history; when the next point of it is due */
  struct watch_gap gaps[WATCH_GAPS];
  struct watch_point points[WATCH_POINTS];
  double *numbers; /* of the points */
  /* the motion that plays */
  char transfer[ID_SIZE];
  bool taken, unusable;              /* something of it was taken in; nothing of it can be */
  const struct robot_entry *carried; /* the model with what it holds */
  struct rows rows;
  struct armdyn_observer observer;
  struct armdyn_alarm alarm;
};

/* Begin, against this revision of the model, which is taken over; all but the request and what it is of is new.
 *   rate  in  Hz, of telemetry
 * OK, EINPUT (conditioning that does not go with the rate), EMEMORY. */
enum armdyn_status following_begin(struct following *f, const struct robot_entry *model, double rate,
                                   struct armdyn_error *error);
void following_release(struct following *f);

/* Rows of a motion, in order; and its end. */
void following_take(struct following *f, const char *transfer, const struct telemetry_origin *origin,
                    const struct telemetry_block *block);
void following_end(struct following *f, const char *transfer, bool gateway_lost);
/* Nothing was heard from `from` until now; "": nobody knows since when. */
void following_miss(struct following *f, enum watch_gap_reason reason, const char *from, const char *transfer);

struct watch_view following_view(const struct following *f);

/* What is kept between two starts of the service. */
void following_save(const struct following *f, struct buffer *out);
/* Of what following_save wrote; nothing changes when that was of another model or request. */
void following_restore(struct following *f, const char *state);

#endif
