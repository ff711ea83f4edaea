/* Links of a script: made by constructors and by rows, and turned into joints. */
#ifndef API_TOOLBOX_LINK_H
#define API_TOOLBOX_LINK_H

#include "api/toolbox/script.h"

/* A link with every default; NULL with a fault. */
struct toolbox_link *toolbox_link_new(struct script *s);
/* Link(...), Revolute(...) and so on; false: no such name, or a fault. */
bool toolbox_link_construct(struct script *s, struct json_slice name, struct value *value);
/* theta, d, a, alpha, and sigma and offset if they are there. */
bool toolbox_link_row(struct script *s, struct toolbox_link *link, const double *row, size_t count);
/* The joint that it means; `index` is its place in the arm. Doubts become notes. */
void toolbox_link_joint(struct script *s, const struct toolbox_link *link, size_t index, struct armdyn_joint *joint);

#endif
