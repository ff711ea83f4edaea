#include "api/codec/shown_call.h"

#include "api/report/page.h"

/* Between single quotes of a shell. */
static void write_quoted(struct buffer *out, const char *text)
{
  for (; *text; text++) buffer_format(out, *text == '\'' ? "'\\''" : "%c", *text);
}

void shown_call_write(const cJSON *document, const char *jobs, cJSON *request, struct buffer *out)
{
  static const char *const others[] = { "tags",     "job_order_id", "work_master_id", "equipment_id",
                                        "priority", "time_limit",   "callback" };
  struct buffer text = BUFFER(MB(1)), line = BUFFER(MB(2));
  struct json_writer w = { .out = &text };
  for (size_t k = 0; k < sizeof others / sizeof *others; k++) cJSON_DeleteItemFromObject(request, others[k]);
  document_write(&w, request);
  buffer_format(&line,
                "curl \"$A/v1/robots/%s/%s?revision=%.0f&include=result\" -H 'Content-Type: application/json' -H "
                "'Prefer: wait=60' -d '",
                document_text(document, "robot"), jobs, document_number(document, "revision"));
  write_quoted(&line, buffer_ok(&text) ? text.data : "");
  buffer_text(&line, "'");
  page_code(out, buffer_ok(&line) ? line.data : "");
  buffer_release(&text);
  buffer_release(&line);
}
