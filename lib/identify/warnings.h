#ifndef LIB_IDENTIFY_WARNINGS_H
#define LIB_IDENTIFY_WARNINGS_H

#include "armdyn/identify.h"

/* Add one; joint -1: of none. */
void warn(struct armdyn_warnings *warnings, enum armdyn_warning_code code, int joint, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;

#endif
