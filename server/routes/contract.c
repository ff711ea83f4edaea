/* The contract itself: GET /v1/openapi.json. */
#include <pthread.h>

#include "api/contract.h"
#include "server/http/preconditions.h"
#include "server/routes/handlers.h"

/* The document never changes while the process lives, so its tag is made once, of its content. */
static int64_t tag;
static pthread_once_t tag_made = PTHREAD_ONCE_INIT;

static void make_tag(void)
{
  tag = version_of_content(contract_text, contract_length);
}

enum outcome contract_openapi(struct exchange *x)
{
  pthread_once(&tag_made, make_tag);
  if (answered_not_modified(x, tag)) return ANSWERED;
  struct buffer body = BUFFER(MB(4));
  buffer_append(&body, contract_text, contract_length);
  answer_etag(x, tag);
  answer_json(x, 200, &body);
  return ANSWERED;
}
