/* Which columns a data set has, in the order that it is stored and answered in: t, q1.., then as many of qd1.., qdd1..,
 * tau1.. as were logged. */
#ifndef API_DATASET_LAYOUT_H
#define API_DATASET_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

enum dataset_field { DATASET_T, DATASET_Q, DATASET_QD, DATASET_QDD, DATASET_TAU, DATASET_FIELDS };
extern const char *const dataset_field_names[DATASET_FIELDS]; /* "t", "q", "qd", "qdd", "tau" */

enum { DATASET_COLUMNS_SIZE = 1024 }; /* of the names of all columns */

struct dataset_layout {
  size_t joints, width;
  bool present[DATASET_FIELDS];
  size_t begin[DATASET_FIELDS]; /* the first column of each that is present */
};

/* present: of qd, qdd and tau; t and q always are. */
void dataset_layout_make(size_t joints, const bool present[DATASET_FIELDS], struct dataset_layout *layout);
/* "t,q1,q2,tau1,tau2" */
void dataset_layout_names(const struct dataset_layout *layout, char names[DATASET_COLUMNS_SIZE]);
/* The layout that has these names; false when there is none. */
bool dataset_layout_read(const char *names, struct dataset_layout *layout);
/* The field of a column. */
enum dataset_field dataset_field_of(const struct dataset_layout *layout, size_t column);
/* The name of one column. */
enum { DATASET_NAME_SIZE = 16 };
void dataset_column_name(const struct dataset_layout *layout, size_t column, char name[DATASET_NAME_SIZE]);

#endif
