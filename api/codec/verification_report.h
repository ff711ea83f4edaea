/* A verification as a page for people, with the calls by which each of its figures is found again. */
#ifndef API_CODEC_VERIFICATION_REPORT_H
#define API_CODEC_VERIFICATION_REPORT_H

#include "api/report/words.h"
#include "api/wire/buffer.h"
#include "armdyn/robot.h"

/*   document  in  as GET answers it
 *   robot     in  of its revision
 * out fails with EMEMORY or ELIMIT as buffers do. */
void verification_report_write(const char *document, const struct armdyn_robot_description *robot,
                               enum report_language language, struct buffer *out);

#endif
