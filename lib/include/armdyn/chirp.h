/* Sine sweeps that begin and end at rest, to show the frequency response of a joint. */
#ifndef ARMDYN_CHIRP_H
#define ARMDYN_CHIRP_H

#ifdef __cplusplus
extern "C" {
#endif

/* s(t) = w(t) from/f(t) sin(phi(t)), f(t) = from (to/from)^(t/duration), phi' = 2 pi f: every octave takes the same time, and
 * the amplitude of its speed is the same at all frequencies, so that dry friction acts as one viscous one. w rises within a
 * period of `from` and falls within four of `to`, without speed and acceleration at their ends. Outside of 0..duration it
 * rests. */
struct armdyn_chirp {
  double from, to; /* Hz, from < to */
  double duration; /* s, at least ARMDYN_CHIRP_PERIODS / from */
};

enum { ARMDYN_CHIRP_PERIODS = 6 };

/*   s, sd, sdd  out  1 is the amplitude at `from`; 1, 1/s, 1/s^2
 * Threads: any. */
void armdyn_chirp_at(const struct armdyn_chirp *chirp, double t, double *s, double *sd, double *sdd);

#ifdef __cplusplus
}
#endif
#endif
