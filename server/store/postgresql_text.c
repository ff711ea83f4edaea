#include "server/store/postgresql_text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/store/sql_engine.h"

enum { PLACE_DIGITS = 4 /* "$80" for "?" */ };

/* The number of a named place, which is new when its name is; 0: there are too many. */
static int named_place(struct postgresql_text *t, const char *name, size_t length)
{
  for (int i = 0; i < t->places; i++)
    if (strlen(t->names[i]) == length && !memcmp(t->names[i], name, length)) return i + 1;
  if (t->places == POSTGRESQL_PLACES || length >= POSTGRESQL_NAME_SIZE) return 0;
  memcpy(t->names[t->places], name, length);
  return ++t->places;
}

/* What stands at *at as a place, which it goes behind; 0: it cannot be one. */
static int take_place(struct postgresql_text *t, const char **at)
{
  if (**at == '?') {
    char *end;
    const long number = strtol(*at + 1, &end, 10);
    const int place = end == *at + 1 ? t->places + 1 : (int)number;
    if (place < 1 || place > POSTGRESQL_PLACES) return 0;
    if (place > t->places) t->places = place;
    *at = end;
    return place;
  }
  size_t length = 1;
  while (isalnum((unsigned char)(*at)[length]) || (*at)[length] == '_') length++;
  const int place = named_place(t, *at, length);
  *at += length;
  return place;
}

/* A colon before a name, but not that of "::text". */
static bool is_place(const char *start, const char *at)
{
  if (*at == '?') return true;
  return *at == ':' && isalpha((unsigned char)at[1]) && (at == start || at[-1] != ':');
}

void postgresql_text_make(const char *text, struct postgresql_text *out)
{
  memset(out, 0, sizeof *out);
  char *own = sql_alternative(text, true), *made = own ? malloc(PLACE_DIGITS * strlen(own) + 1) : NULL, *end = made;
  bool quoted = false, good = made != NULL;
  for (const char *at = own; good && *at;) {
    quoted ^= *at == '\'';
    if (quoted || !is_place(own, at)) {
      *end++ = *at++;
      continue;
    }
    const int place = take_place(out, &at);
    good = place > 0;
    end += snprintf(end, PLACE_DIGITS, "$%d", place);
  }
  if (good) *end = '\0';
  if (!good) free(made), made = NULL;
  free(own);
  out->text = made;
}
