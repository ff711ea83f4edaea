/* Of the report on an identification: what was found of its data before anything was estimated. */
#ifndef API_CODEC_IDENTIFICATION_REPORT_DATA_H
#define API_CODEC_IDENTIFICATION_REPORT_DATA_H

#include "api/json/document.h"
#include "api/report/words.h"
#include "api/wire/buffer.h"

/* Sections of a page: of velocities, delays, cut-offs and gains, as far as the document has them. */
void identification_report_data_write(const cJSON *document, enum report_language language, struct buffer *out);

#endif
