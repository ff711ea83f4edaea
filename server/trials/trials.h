/* Controllers that are being tested: each by a process of its own, which a thread listens to. What is told of a test is kept
 * in memory until the next one of that controller, or the end of the service. */
#ifndef SERVER_TRIALS_TRIALS_H
#define SERVER_TRIALS_TRIALS_H

#include "api/codec/controller.h"
#include "api/codec/controller_test.h"

struct trials;

/* NULL: no memory. */
struct trials *trials_new(void);
/* Ends those that go on. NULL is fine. */
void trials_free(struct trials *trials);

/* Begin one. OK; EEXISTS: there is one that has not ended, of this controller or of another one with its host and port;
 * EBUSY: as many go on as may; EMEMORY, EIO with the error. */
enum armdyn_status trials_begin(struct trials *trials, const struct controller_description *controller,
                                const struct controller_test_request *request, struct armdyn_error *error);
/* {...} of the last one. ENOTFOUND. */
enum armdyn_status trials_describe(struct trials *trials, const char *controller, struct buffer *body);
/* End it, if it goes on: it is `cancelled` then. ENOTFOUND. */
enum armdyn_status trials_cancel(struct trials *trials, const char *controller);
/* Does one go on? */
bool trials_running(struct trials *trials, const char *controller);

#endif
