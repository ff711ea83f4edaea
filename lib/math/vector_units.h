/* The same code for the vector units that a processor may have; which, is decided when the program starts. */
#ifndef LIB_MATH_VECTOR_UNITS_H
#define LIB_MATH_VECTOR_UNITS_H

#if defined __x86_64__ && defined __GNUC__ && !defined __clang__ && !defined __SANITIZE_ADDRESS__ &&                   \
    !defined __SANITIZE_THREAD__
#define FOR_VECTOR_UNITS __attribute__((target_clones("default", "arch=x86-64-v3")))
#else
#define FOR_VECTOR_UNITS
#endif

#endif
