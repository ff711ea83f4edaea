/* What the service tells of itself. */
#include "armdyn/armdyn.h"
#include "server/app.h"
#include "server/routes/route.h"

enum { ANSWER_MOST = 64 * 1024 };

enum outcome system_health(struct exchange *x)
{
  struct buffer body = BUFFER(ANSWER_MOST);
  buffer_text(&body, "{\"status\":\"ok\"}");
  answer_json(x, 200, &body);
  return ANSWERED;
}

enum outcome system_ready(struct exchange *x)
{
  struct buffer body = BUFFER(ANSWER_MOST);
  buffer_text(&body, "{\"status\":\"ready\"}");
  answer_json(x, 200, &body);
  return ANSWERED;
}

enum outcome system_version(struct exchange *x)
{
  struct buffer body = BUFFER(ANSWER_MOST);
  buffer_format(&body, "{\"version\":\"%s\"}", armdyn_version());
  answer_json(x, 200, &body);
  return ANSWERED;
}

enum outcome system_problems(struct exchange *x)
{
  struct buffer body = BUFFER(ANSWER_MOST);
  problems_list(&body);
  answer_json(x, 200, &body);
  return ANSWERED;
}
