/* Functions that lose bytes, state or errors do not compile here. Included into every file by the build (-include). */
#ifndef ARMDYN_BANNED_H
#define ARMDYN_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Macros of glibc where clang fortifies. */
#undef sprintf
#undef vsprintf

#pragma GCC poison strcpy strcat strncpy strncat sprintf vsprintf strtok gets atoi atol atoll atof system rand srand
#pragma GCC poison gmtime localtime ctime asctime

#endif
