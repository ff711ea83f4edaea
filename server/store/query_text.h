/* The statements of lists, which are filtered, searched, sorted, page by page: what they ask, as SQL with its values. */
#ifndef SERVER_STORE_QUERY_TEXT_H
#define SERVER_STORE_QUERY_TEXT_H

#include "api/wire/buffer.h"
#include "server/store/internal.h"

enum {
  VALUES_MOST = 2 * STORE_FILTERS + 2 * STORE_STATES + 16,
  HOLDING_MANY = 5000,       /* rows: so many in 200,000 are found as fast when rows are read in their order */
  LOOKED_AT = 10000,         /* rows of a page of a search, at most: some 20 ms */
  LOOKED_AT_BY_METRIC = 4000 /* which come from all over the table */
};

/* A statement while it is written: values go by their numbers, ?1, ?2, ... */
struct composing {
  struct buffer text;
  struct value values[VALUES_MOST];
  size_t count;
  const struct store_state
      *state; /* whose rows alone are written of at the moment; NULL: those of every state asked for */
};
#define COMPOSING ((struct composing){ .text = BUFFER(MB(1)) })

/* What is searched for. */
struct searching {
  const char *pattern;
  const char *match;     /* what the index of trigrams is asked; NULL: rows are read */
  struct store_key last; /* the last row that is looked at; of type NONE: all are */
};

void write_pattern(struct buffer *pattern, const char *search);
/* Empty where it is too short for one. */
void write_trigrams(struct buffer *match, const char *search);

/* The columns of each are a key, the sorted value and what tells the row from others, and, of pages, what the list shows.
 *   owner      whose rows; NULL: anybody's
 *   searching  NULL: every row shows */
void compose_page(struct composing *c, const struct list_type *list, const char *owner, const struct store_query *query,
                  const struct searching *searching);
/* The row at which a page of a search ends at the latest, if there are so many. */
void compose_end(struct composing *c, const struct list_type *list, const char *owner, const struct store_query *query);

/* -- many rows by a metric: first those that have it, as its index holds them, then the rest by their ids --
 *   query->key  behind which row: of the first kind a number, or none; of the rest NULL, its id "" before the first
 *   most        rows */
typedef void compose_stretch(struct composing *c, const struct list_type *list, const struct store_query *query,
                             const struct searching *searching, size_t most);
typedef void compose_stretch_end(struct composing *c, const struct list_type *list, const struct store_query *query);
compose_stretch compose_measured, compose_unmeasured;
compose_stretch_end compose_measured_end, compose_unmeasured_end;

/* -- counts -- */

/* Of the rows that the conditions hold for, up to `most`. */
void compose_count(struct composing *c, const struct list_type *list, const struct store_query *query, unsigned most);
/* Does it look into a table beside the rows? */
bool is_beside(const struct store_filter *filter);
/* Of the rows that such a condition holds for, up to HOLDING_MANY. */
void compose_holding(struct composing *c, const struct list_type *list, const struct store_filter *filter);
/* Of the rows that the index of trigrams tells, up to HOLDING_MANY. */
void compose_told(struct composing *c, const struct list_type *list, const char *match);
void compose_totals(struct composing *c, const struct list_type *list, const struct store_query *query);

#endif
