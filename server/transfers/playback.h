/* What the controller measured while it played a transfer, against the plan. */
#ifndef SERVER_TRANSFERS_PLAYBACK_H
#define SERVER_TRANSFERS_PLAYBACK_H

#include "api/wire/buffer.h"
#include "server/store/store.h"

struct app;

/* The comparison as JSON.
 *   missing  out  set when ENOTFOUND says that nothing was measured
 * OK, ENOTFOUND, EIO, EMEMORY, EBUSY. */
enum armdyn_status playback_compare(struct app *app, const struct store_transfer *transfer, struct buffer *out,
                                    const char **missing);

/* Its sum as JSON (api/codec/measured.h).
 *   tolerance  in  how far a joint may be from its plan, rad, m; NAN: nobody said
 * ENOTFOUND: nothing was measured; else as above. */
enum armdyn_status playback_sum_up(struct app *app, const struct store_transfer *transfer, double tolerance,
                                   struct buffer *out);

#endif
