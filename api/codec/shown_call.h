/* The call that computes a kept document anew, as reports show it. */
#ifndef API_CODEC_SHOWN_CALL_H
#define API_CODEC_SHOWN_CALL_H

#include "api/json/document.h"
#include "api/wire/buffer.h"

/* For a shell in which A is the address of the service.
 *   document  in      whose robot and revision it is about
 *   jobs      in      what is posted to: "verifications"
 *   request   in/out  loses what is the job's alone: tags, callback and the like */
void shown_call_write(const cJSON *document, const char *jobs, cJSON *request, struct buffer *out);

#endif
