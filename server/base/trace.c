#include "server/base/trace.h"

#include <stdbool.h>

static const char hex[] = "0123456789abcdef";
enum { TRACE_AT = 3, SPAN_AT = 36, FLAGS_AT = 53, LENGTH = TRACE_SIZE - 1 };

/* A field of so many digits, not all of them 0. */
static bool is_id(const char *text, size_t digits)
{
  return strspn(text, hex) >= digits && strspn(text, "0") < digits;
}

/* Of a later version more may follow. */
static bool is_sound(const char *t)
{
  if (strnlen(t, LENGTH) < LENGTH || strspn(t, hex) != 2 || !strncmp(t, "ff", 2)) return false;
  if (t[TRACE_AT - 1] != '-' || t[SPAN_AT - 1] != '-' || t[FLAGS_AT - 1] != '-') return false;
  if (t[LENGTH] && (!strncmp(t, "00", 2) || t[LENGTH] != '-')) return false;
  return is_id(t + TRACE_AT, 32) && is_id(t + SPAN_AT, 16) && strspn(t + FLAGS_AT, hex) == 2;
}

/* Vigna's splitmix64: every number gives another one, and never 0 here. */
static uint64_t mix(uint64_t x)
{
  x += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  x ^= x >> 31;
  return x ? x : 1;
}

static void write_hex(char *to, uint64_t number)
{
  for (int i = 15; i >= 0; i--, number >>= 4) to[i] = hex[number & 15];
}

void trace_make(const char *caller, uint64_t seed, uint64_t number, char traceparent[TRACE_SIZE])
{
  memcpy(traceparent, "00-00000000000000000000000000000000-0000000000000000-01", TRACE_SIZE);
  write_hex(traceparent + SPAN_AT, mix(seed + 3 * number));
  if (caller && is_sound(caller)) {
    memcpy(traceparent + TRACE_AT, caller + TRACE_AT, 32);
    memcpy(traceparent + FLAGS_AT, caller + FLAGS_AT, 2);
    return;
  }
  write_hex(traceparent + TRACE_AT, mix(seed + 3 * number + 1));
  write_hex(traceparent + TRACE_AT + 16, mix(seed + 3 * number + 2));
}

void trace_id(const char *traceparent, char id[TRACE_ID_SIZE])
{
  snprintf(id, TRACE_ID_SIZE, "%.32s", *traceparent ? traceparent + TRACE_AT : "");
}
