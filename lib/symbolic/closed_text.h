/* What the printed closed form of an arm and that of its friction share. */
#ifndef LIB_SYMBOLIC_CLOSED_TEXT_H
#define LIB_SYMBOLIC_CLOSED_TEXT_H

#include "lib/symbolic/closed_form.h"
#include "lib/symbolic/print.h"

void print_closed_form(const struct printer *p, const struct closed_form *form);
/* The friction of a joint in speeds and numbers, as one sum: friction.c. */
void print_friction(const struct printer *p, const struct closed_form *form, size_t joint);

/* "a1", or a_{1} */
void put_indexed(const struct printer *p, const char *name, size_t index);
/* The angle of a joint: q2, or theta2 where it is not the position alone. */
void put_angle(const struct printer *p, const struct closed_form *form, size_t joint);
/* qd1, or its letter with a dot; `second`: with two */
void put_speed(const struct printer *p, const struct closed_form *form, size_t joint, bool second);
/* What stands before the magnitude of `factor`: " + ", " - "; of the first one "" or "-". */
void put_sign(const struct printer *p, double factor, bool first);

#endif
