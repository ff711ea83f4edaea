/* The sine and cosine that C in double precision has of its own: the library's take more time than all the rest. */
#ifndef LIB_SYMBOLIC_SINE_COSINE_H
#define LIB_SYMBOLIC_SINE_COSINE_H

/* |x| <= 1e4: within 2e-16 of the true values, without a branch. Beyond, and of what is not finite, the C library's. */
void code_sine_cosine(double x, double *sine, double *cosine);

/* The same as text: a function of C99 named <entry>_sine_cosine is this between a heading and what calls it. One source is
 * compiled here and printed there, so that what is proven is what is given out. */
extern const char code_sine_cosine_body[];

#endif
