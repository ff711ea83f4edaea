/* Logs as they are uploaded (CSV, .npy, JSON), piece by piece, to rows of a data set: SI, joint side, in the order of a
 * layout. Memory does not depend on how long the log is, but for JSON, whose fields stand one after the other: it is held
 * whole, up to LIMIT_SAMPLES_BODY. */
#ifndef API_DATASET_READER_H
#define API_DATASET_READER_H

#include "api/dataset/source.h"
#include "api/json/writer.h"

struct dataset_reader;
/*   source   in   the struct is copied, what it points to must outlive the reader
 *   faults   out  of the whole log: all are found, unless it cannot be read on, or there are DATASET_FAULTS_MOST
 *   preview  in   end after DATASET_PREVIEW rows, and keep them
 * OK, EINPUT (the mapping does not fit the robot), EMEMORY. */
enum armdyn_status dataset_reader_new(const struct dataset_source *source, bool preview, dataset_rows *rows,
                                      void *context, struct faults *faults, struct dataset_reader **reader);
void dataset_reader_free(struct dataset_reader *reader); /* NULL is fine */
/* OK goes on although faults were found. ESYNTAX, EINPUT, ELIMIT, EMEMORY, or what `rows` said: the end. */
enum armdyn_status dataset_reader_take(struct dataset_reader *reader, const char *bytes, size_t length,
                                       struct armdyn_error *error);
/* Rows so far that nothing was wrong with. */
size_t dataset_reader_good_rows(const struct dataset_reader *reader);
/* That was all. OK, ESYNTAX, EINPUT: faults; or what `rows` said. */
enum armdyn_status dataset_reader_finish(struct dataset_reader *reader, struct armdyn_error *error);

/* After finish said OK. */
bool dataset_reader_from_current(const struct dataset_reader *reader); /* torque was made of motor currents */
/* {"columns": [names in the log], "read": [[..]..], "converted": {"columns": [..], "rows": [[..]..]}} of a preview */
void dataset_reader_write_preview(const struct dataset_reader *reader, struct json_writer *w);

#endif
