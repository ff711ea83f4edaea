/* Numbers: what is accepted is what strtod makes of it; what is printed reads back to the same bits. */
#include <math.h>
#include <stdio.h>

#include "api/json/number.h"
#include "api/limits.h"
#include "tests/fuzz/fuzz.h"

static void check_text(const char *text, size_t length)
{
  double ours, theirs;
  const char *behind = number_parse(text, text + length, &ours);
  if (!behind) return;
  char copy[LIMIT_NUMBER_LENGTH + 1];
  size_t used = (size_t)(behind - text);
  REQUIRE(used >= 1 && used <= length && used <= LIMIT_NUMBER_LENGTH);
  memcpy(copy, text, used);
  copy[used] = '\0';
  char *end;
  theirs = strtod(copy, &end);
  REQUIRE(*end == '\0' && memcmp(&ours, &theirs, sizeof ours) == 0);
}

static void check_double(double x)
{
  char text[NUMBER_SIZE], shortest[NUMBER_SIZE];
  double again;
  if (!isfinite(x)) return;
  size_t length = number_print(x, text);
  REQUIRE(length < NUMBER_SIZE && strlen(text) == length);
  REQUIRE(number_parse(text, text + length, &again) == text + length && memcmp(&x, &again, sizeof x) == 0);
  snprintf(shortest, sizeof shortest, "%.15g", x);
  if (strtod(shortest, NULL) == x && fabs(x) >= 1e-4 && fabs(x) < 1e15) REQUIRE(length <= strlen(shortest));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char *text = copy_of(data, size);
  double x;
  check_text(text, size);
  for (size_t at = 0; at + sizeof x <= size; at += sizeof x) {
    memcpy(&x, data + at, sizeof x);
    check_double(x);
  }
  free(text);
  return 0;
}
