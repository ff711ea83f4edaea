/* What a log comes from, and where its rows go. */
#ifndef API_DATASET_SOURCE_H
#define API_DATASET_SOURCE_H

#include "api/codec/media.h"
#include "api/dataset/layout.h"
#include "api/dataset/mapping.h"

enum { DATASET_PREVIEW = 20, DATASET_FAULTS_MOST = 10000 };

struct dataset_source {
  enum media media;                             /* CSV, NPY or JSON */
  const struct armdyn_robot_description *robot; /* its joints, and its drives where currents are logged */
  const struct dataset_mapping *mapping;        /* of a CSV; NULL: the columns have their standard names */
  const char *fields;                           /* of a .npy: "t,q,tau", which its columns are; NULL: by their number */
};

/* Rows that follow, count x layout->width; not called any more once a fault was found. Anything but OK ends the reading. */
typedef enum armdyn_status dataset_rows(void *context, const struct dataset_layout *layout, const double *rows,
                                        size_t count);

#endif
