/* A zoning as a page for people: what holds where, how sharp the bound is, and the gains of each zone. */
#ifndef API_CODEC_ZONING_REPORT_H
#define API_CODEC_ZONING_REPORT_H

#include "api/report/words.h"
#include "api/wire/buffer.h"
#include "armdyn/robot.h"

/*   document  in  as GET answers it
 *   robot     in  of its revision
 * out fails with EMEMORY or ELIMIT as buffers do. */
void zoning_report_write(const char *document, const struct armdyn_robot_description *robot,
                         enum report_language language, struct buffer *out);

#endif
