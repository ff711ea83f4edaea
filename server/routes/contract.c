/* The contract itself, GET /v1/openapi.json, and the client that is made of it, GET /clients/armdyn.py. */
#include <pthread.h>

#include "api/contract.h"
#include "server/http/preconditions.h"
#include "server/routes/handlers.h"

/* The documents never change while the process lives, so their tags are made once, of their content. */
static int64_t contract_tag, client_tag;
static pthread_once_t tags_made = PTHREAD_ONCE_INIT;

static void make_tags(void)
{
  contract_tag = version_of_content(contract_text, contract_length);
  client_tag = version_of_content(client_text, client_length);
}

static enum outcome answer_text(struct exchange *x, int64_t tag, const char *type, const char *text, size_t length)
{
  if (answered_not_modified(x, tag)) return ANSWERED;
  struct buffer body = BUFFER(MB(4));
  buffer_append(&body, text, length);
  answer_etag(x, tag);
  answer_bytes(x, 200, type, &body);
  return ANSWERED;
}

enum outcome contract_openapi(struct exchange *x)
{
  pthread_once(&tags_made, make_tags);
  return answer_text(x, contract_tag, "application/json", contract_text, contract_length);
}

enum outcome contract_client(struct exchange *x)
{
  pthread_once(&tags_made, make_tags);
  return answer_text(x, client_tag, "text/plain; charset=utf-8", client_text, client_length);
}
