/* The clock of a controller as its looks show it, against ours: what it says now, how fast it goes, and how often its
 * program runs. All times of the controller wrap at 2^32 ms. */
#ifndef SERVER_GATEWAY_UPTIME_H
#define SERVER_GATEWAY_UPTIME_H

#include <stdbool.h>
#include <stdint.h>

enum { UPTIME_POINTS = 16 };

struct uptime {
  uint16_t instance;    /* of the controller that this is of */
  bool known;           /* anything was seen */
  uint32_t last_ms;     /* uptime at the last look */
  int64_t last_ns;      /* middle of that look, on our clock */
  int64_t first_ns;     /* of the first one */
  int64_t gone_ms;      /* of its time, since the first look */
  double scan_ms;       /* its program does not run less often */
  double round_trip_ms; /* of the last look */
  /* Of every stretch of time the look that was least late: a program that was held up shows an old clock, never one that is
   * ahead. Rates are from the first of them to the last. */
  struct uptime_point {
    int64_t ns, gone_ms;
  } points[UPTIME_POINTS];
  unsigned point_count;
  int64_t stretch_ns; /* it grows, so that there are always few */
};

enum uptime_step { UPTIME_GOES_ON, UPTIME_JUMPED, UPTIME_WENT_BACK };
/* What would this look say? Nothing is taken. WENT_BACK: by so much that it started anew.
 *   ms                   in  uptime
 *   asked_ns, answered_ns  in  our clock before the request and after the answer */
enum uptime_step uptime_step(const struct uptime *u, uint32_t ms, int64_t asked_ns, int64_t answered_ns);
/* Take a look; what is of another instance, or jumped, begins afresh. */
void uptime_take(struct uptime *u, uint16_t instance, uint32_t ms, int64_t asked_ns, int64_t answered_ns);
/* Measure the rate from now on only. */
void uptime_forget_rate(struct uptime *u);

/* What it should say now. */
uint32_t uptime_now(const struct uptime *u, int64_t now_ns);
/* How far it went ahead of ours since the first look, ms. */
double uptime_offset_ms(const struct uptime *u);
/* How much faster it goes than ours, 0.01 being 1 %; and within what. 0 and INFINITY before there are two looks. */
double uptime_rate(const struct uptime *u);
double uptime_uncertainty(const struct uptime *u);

#endif
