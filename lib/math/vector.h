/* Three-vectors and 3 x 3 matrices of doubles. */
#ifndef LIB_MATH_VECTOR_H
#define LIB_MATH_VECTOR_H

#define REAL    double
#define NAME(x) x
#include "lib/math/vector_kernel.h"
#undef REAL
#undef NAME

#endif
