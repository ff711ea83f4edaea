/* GET /v1/evaluations/{evaluation}/table: one table to cite, in the form that is asked for. */
#include "api/codec/evaluation_table.h"

#include "server/app.h"
#include "server/routes/handlers.h"
#include "server/routes/results.h"

enum outcome evaluation_table(struct exchange *x)
{
  static void (*const writers[])(const char *, struct buffer *) = { [MEDIA_CSV] = evaluation_table_csv,
                                                                    [MEDIA_MARKDOWN] = evaluation_table_markdown,
                                                                    [MEDIA_LATEX] = evaluation_table_latex };
  static const char *const types[] = { [MEDIA_CSV] = "text/csv; charset=utf-8",
                                       [MEDIA_MARKDOWN] = "text/markdown; charset=utf-8",
                                       [MEDIA_LATEX] = "application/x-latex" };
  const enum media media = exchange_answer_media(x);
  struct buffer document = BUFFER(MB(16)), body = BUFFER(MB(16));
  enum armdyn_status status =
      result_document(exchange_app(x), &evaluation_kind, exchange_segment(x, evaluation_kind.name), &document, NULL);
  if (!status) writers[media](document.data, &body);
  if (!status) status = body.failure;
  if (result_found(x, &evaluation_kind, status)) answer_bytes(x, 200, types[media], &body);
  buffer_release(&document);
  buffer_release(&body);
  return ANSWERED;
}
