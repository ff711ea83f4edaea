/* "did you mean": the name of a list that is nearest to a mistyped one. */
#ifndef API_WIRE_NEAREST_H
#define API_WIRE_NEAREST_H

#include <stddef.h>

/* The name at `index` of a list; NULL: not to be suggested. */
typedef const char *nearest_name(const void *list, size_t index);

/* The nearest of `count` names, or NULL when none is near: a third of its letters at most may be inserted, left out,
 * changed or swapped with their neighbours, and of more than one no more than half of the wrong one's; case does not
 * count. */
const char *nearest(const char *wrong, nearest_name *name, const void *list, size_t count);

#endif
