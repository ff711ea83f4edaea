/* The discrete Fourier transform. */
#ifndef LIB_MATH_FFT_H
#define LIB_MATH_FFT_H

#include <complex.h>
#include <stddef.h>

/* X_k = sum_i x_i e^(-2 pi i k / length) in place; length a power of two. Source: Cooley & Tukey 1965, decimation in time. */
void fft(size_t length, double complex *x);

#endif
