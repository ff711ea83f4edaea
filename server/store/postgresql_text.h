/* Statements of the store as PostgreSQL reads them: places are $1, $2, ... */
#ifndef SERVER_STORE_POSTGRESQL_TEXT_H
#define SERVER_STORE_POSTGRESQL_TEXT_H

enum { POSTGRESQL_PLACES = 80, POSTGRESQL_NAME_SIZE = 32 };

struct postgresql_text {
  char *text; /* NULL: no memory, or more places than there may be */
  int places;
  char names[POSTGRESQL_PLACES][POSTGRESQL_NAME_SIZE]; /* ":state", or "" */
};

/* "?" is the next place, "?2" the second, ":state" the one of that name. Not in texts between quotes. */
void postgresql_text_make(const char *text, struct postgresql_text *out);

#endif
