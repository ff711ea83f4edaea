#include "server/base/clock.h"

#include <stdbool.h>
#include <stddef.h>

static int64_t now_ns(clockid_t clock)
{
  struct timespec t;
  clock_gettime(clock, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t clock_wall_ms(void)
{
  return now_ns(CLOCK_REALTIME) / 1000000;
}

int64_t clock_monotonic_ns(void)
{
  return now_ns(CLOCK_MONOTONIC);
}

int64_t clock_thread_ns(void)
{
  return now_ns(CLOCK_THREAD_CPUTIME_ID);
}

void clock_format(int64_t wall_ms, char text[TIME_SIZE])
{
  if (wall_ms < 0) wall_ms = 0;
  if (wall_ms > CLOCK_MS_MAX) wall_ms = CLOCK_MS_MAX;
  time_t seconds = (time_t)(wall_ms / 1000);
  struct tm tm;
  gmtime_r(&seconds, &tm);
  char date[64];
  strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &tm);
  snprintf(text, TIME_SIZE, "%.19s.%03uZ", date, (unsigned)(wall_ms % 1000));
}

/* `count` digits into a number; false when there are fewer. */
static bool digits(const char **text, int count, int *value)
{
  *value = 0;
  for (; count > 0; count--, (*text)++) {
    if (**text < '0' || **text > '9') return false;
    *value = *value * 10 + (**text - '0');
  }
  return true;
}

static bool character(const char **text, const char *allowed)
{
  if (!**text || !strchr(allowed, **text)) return false;
  (*text)++;
  return true;
}

static int days_of_month(int year, int month)
{
  static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
  bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return days[month - 1] + (month == 2 && leap);
}

/* "2026-01-31T12:00:00" */
static bool parse_date_time(const char **p, struct tm *tm)
{
  int year, month, day, hour, minute, second;
  if (!digits(p, 4, &year) || !character(p, "-") || !digits(p, 2, &month) || !character(p, "-") || !digits(p, 2, &day))
    return false;
  if (!character(p, "Tt") || !digits(p, 2, &hour) || !character(p, ":") || !digits(p, 2, &minute) ||
      !character(p, ":") || !digits(p, 2, &second))
    return false;
  if (month < 1 || month > 12 || day < 1 || day > days_of_month(year, month)) return false;
  if (hour > 23 || minute > 59 || second > 60) return false; /* 60: a leap second */
  *tm = (struct tm){
    .tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = day, .tm_hour = hour, .tm_min = minute, .tm_sec = second
  };
  return true;
}

/* Digits after the point, as ms; what is finer is cut off. */
static bool parse_fraction(const char **p, int *ms)
{
  *ms = 0;
  if (!character(p, ".")) return true;
  int count = 0;
  for (int weight = 100; **p >= '0' && **p <= '9'; (*p)++, count++, weight /= 10) *ms += (**p - '0') * weight;
  return count > 0;
}

/* "Z", "+02:00" */
static bool parse_offset(const char **p, int *minutes)
{
  *minutes = 0;
  if (character(p, "Zz")) return true;
  int sign = **p == '-' ? -1 : 1, hour, minute;
  if (!character(p, "+-") || !digits(p, 2, &hour) || !character(p, ":") || !digits(p, 2, &minute)) return false;
  if (hour > 23 || minute > 59) return false;
  *minutes = sign * (hour * 60 + minute);
  return true;
}

int64_t clock_parse(const char *text)
{
  struct tm tm;
  int ms, offset;
  if (!text || !parse_date_time(&text, &tm) || !parse_fraction(&text, &ms) || !parse_offset(&text, &offset) || *text)
    return -1;
  int64_t wall_ms = ((int64_t)timegm(&tm) - offset * 60) * 1000 + ms;
  return wall_ms < 0 ? -1 : wall_ms;
}
