#include "api/wire/nearest.h"

#include <ctype.h>
#include <stdbool.h>

enum { LONGEST = 32 };

static size_t least(size_t a, size_t b)
{
  return a < b ? a : b;
}

static int lower(char c)
{
  return tolower((unsigned char)c);
}

/* Edit distance with swaps of neighbours (optimal string alignment); texts up to LONGEST. */
static size_t distance(const char *a, size_t m, const char *b, size_t n)
{
  size_t rows[3][LONGEST + 1], *before = rows[0], *last = rows[1], *now = rows[2];
  for (size_t j = 0; j <= n; j++) before[j] = last[j] = j;
  for (size_t i = 1; i <= m; i++) {
    now[0] = i;
    for (size_t j = 1; j <= n; j++) {
      bool same = lower(a[i - 1]) == lower(b[j - 1]);
      now[j] = least(least(last[j], now[j - 1]) + 1, last[j - 1] + !same);
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
        now[j] = least(now[j], before[j - 2] + 1);
    }
    size_t *spare = before;
    before = last, last = now, now = spare;
  }
  return last[n];
}

const char *nearest(const char *wrong, nearest_name *name, const void *list, size_t count)
{
  const char *found = NULL;
  size_t length = strlen(wrong), best = LONGEST;
  for (size_t i = 0; i < count && length <= LONGEST; i++) {
    const char *candidate = name(list, i);
    size_t size = candidate ? strlen(candidate) : LONGEST + 1;
    if (size > LONGEST) continue;
    size_t d = distance(wrong, length, candidate, size);
    if (d <= (size + 2) / 3 && (d == 1 || 2 * d <= length) && d < best) best = d, found = candidate;
  }
  return found;
}
