/* GET /v1/identifications/compare: runs side by side. */
#include "api/codec/comparison.h"
#include "server/app.h"
#include "server/routes/handlers.h"
#include "server/routes/results.h"

/* The ids of ?ids=a,b. Answers how many; 0: answered. */
static size_t asked_ids(struct exchange *x, char ids[COMPARED_MOST][ID_SIZE])
{
  const char *text = exchange_query(x, "ids");
  size_t count = 0;
  for (const char *p = text; p && count <= COMPARED_MOST; count++) {
    const size_t length = strcspn(p, ",");
    if (count < COMPARED_MOST) snprintf(ids[count], ID_SIZE, "%.*s", length < ID_SIZE ? (int)length : 0, p);
    p = p[length] ? p + length + 1 : NULL;
  }
  if (count >= 2 && count <= COMPARED_MOST) return count;
  fault_add(exchange_faults(x), FAULT_AT_PARAMETER, "ids", text ? FAULT_LENGTH : FAULT_REQUIRED,
            "must be 2 to %d ids of identifications with commas between", COMPARED_MOST);
  answer_problem(x, PROBLEM_INVALID, NULL);
  return 0;
}

enum outcome identification_compare(struct exchange *x)
{
  char ids[COMPARED_MOST][ID_SIZE];
  struct buffer documents[COMPARED_MOST], body = BUFFER(MB(16));
  const char *texts[COMPARED_MOST];
  const size_t count = asked_ids(x, ids);
  size_t opened = 0;
  enum armdyn_status status = ARMDYN_OK;
  for (; opened < count && !status; opened++) {
    documents[opened] = (struct buffer)BUFFER(MB(4));
    status = result_document(exchange_app(x), &identification_kind, ids[opened], &documents[opened], NULL);
    texts[opened] = documents[opened].data;
  }
  if (status == ARMDYN_ENOTFOUND) {
    answer_problem(x, PROBLEM_NOT_FOUND, "there is no identification '%.64s'", ids[opened - 1]);
  } else if (status) {
    answer_status(x, status, NULL);
  } else if (count) {
    comparison_encode(texts, count, &body);
    answer_json(x, 200, &body);
  }
  for (size_t i = 0; i < opened; i++) buffer_release(&documents[i]);
  buffer_release(&body);
  return ANSWERED;
}
