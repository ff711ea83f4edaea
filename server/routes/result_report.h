/* Pages about results that need nothing but the document and its robot. */
#ifndef SERVER_ROUTES_RESULT_REPORT_H
#define SERVER_ROUTES_RESULT_REPORT_H

#include "api/report/words.h"
#include "api/wire/buffer.h"
#include "armdyn/robot.h"
#include "server/http/exchange.h"
#include "server/work/kinds.h"

/* What a row of the handler result_report is about. */
struct result_report {
  const struct job_kind *kind;
  void (*write)(const char *document, const struct armdyn_robot_description *robot, enum report_language language,
                struct buffer *out);
};
extern const struct result_report verification_report, zoning_report;

/* `lang` of the query; false: it is another than there is, and that was answered. */
bool report_language_asked(struct exchange *x, enum report_language *out);

#endif
