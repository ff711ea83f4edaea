/* Lists that are filtered, searched and sorted, page by page. A page begins behind a key, the sorted value and what tells a
 * row from others: what is inserted or deleted meanwhile neither repeats a row nor leaves one out. */
#include "server/store/query_text.h"

/* -- rows -- */

static void read_key(struct sql_statement *statement, struct store_key *key)
{
  const enum value_type type = sql_type(statement, 0);
  const char *text = sql_text(statement, 0);
  const char *id = sql_text(statement, 1);
  switch (type) {
  case VALUE_NULL: key->type = STORE_KEY_NULL; break;
  case VALUE_TEXT: key->type = STORE_KEY_TEXT; break;
  default: key->type = STORE_KEY_NUMBER; break;
  }
  key->number = sql_real(statement, 0);
  snprintf(key->text, sizeof key->text, "%s", text ? text : "");
  snprintf(key->id, sizeof key->id, "%s", id ? id : "");
}

static enum armdyn_status read_page(struct sql *sql, const struct composing *c, struct store_query *query,
                                    struct records *found)
{
  struct sql_statement *statement;
  bool row;
  query->more = false;
  enum armdyn_status status = c->text.failure;
  if (status) return status;
  status = sql_query(sql, c->text.data, (struct values){ c->values, c->count }, &statement);
  if (!status) status = sql_step(statement, &row);
  while (!status && row && !(query->more = query->limit && found->count == query->limit)) {
    read_key(statement, &query->key);
    status = records_append(found, statement, 2);
    if (!status) status = sql_step(statement, &row);
  }
  sql_finish(statement);
  return status;
}

static enum armdyn_status count_up(struct sql *sql, const struct composing *c, int64_t *count)
{
  if (c->text.failure) return c->text.failure;
  return sql_number(sql, c->text.data, (struct values){ c->values, c->count }, count);
}

/* The only row of a statement; of type NONE: it has none. */
static enum armdyn_status read_row(struct sql *sql, const struct composing *c, struct store_key *key)
{
  struct sql_statement *statement;
  bool row = false;
  enum armdyn_status status = c->text.failure;
  key->type = STORE_KEY_NONE;
  if (status) return status;
  status = sql_query(sql, c->text.data, (struct values){ c->values, c->count }, &statement);
  if (!status) status = sql_step(statement, &row);
  if (!status && row) read_key(statement, key);
  sql_finish(statement);
  return status;
}

/* What was looked at ends at a row, at which the next page begins. */
static void end_page(struct store_query *query, const struct store_key *last)
{
  if (query->more || last->type == STORE_KEY_NONE) return;
  query->key = *last;
  query->more = true;
}

/* -- the way to the rows -- */

enum {
  READ_FIRST = 500
}; /* rows: so few are read and sorted before a page is found by walking an index; of a search more */

/* Conditions that look beside the rows: of those that hold for few rows these are listed, of others each row is asked. */
static enum armdyn_status weigh_filters(struct sql *sql, const struct list_type *list, struct store_query *query)
{
  enum armdyn_status status = ARMDYN_OK;
  query->wide = 0;
  query->driven = false;
  for (size_t i = 0; !status && i < query->filter_count; i++) {
    struct composing c = COMPOSING;
    int64_t rows = 0;
    if (!is_beside(&query->filters[i])) continue;
    compose_holding(&c, list, &query->filters[i]);
    status = count_up(sql, &c, &rows);
    if (rows == HOLDING_MANY) query->wide |= UINT32_C(1) << i;
    query->driven |= rows < (query->search ? HOLDING_MANY : READ_FIRST);
    buffer_release(&c.text);
  }
  return status;
}

/* -- many rows by a metric -- */

static enum armdyn_status read_stretch(struct sql *sql, const struct list_type *list, struct store_query *query,
                                       const char *pattern, compose_stretch *page, compose_stretch_end *end,
                                       struct records *found)
{
  struct composing last = COMPOSING, c = COMPOSING;
  struct searching searching = { .pattern = pattern };
  enum armdyn_status status = ARMDYN_OK;
  if (pattern) {
    end(&last, list, query);
    status = read_row(sql, &last, &searching.last);
  }
  if (!status) {
    page(&c, list, query, pattern ? &searching : NULL, query->limit - found->count + 1);
    status = read_page(sql, &c, query, found);
  }
  if (!status) end_page(query, &searching.last);
  buffer_release(&last.text);
  buffer_release(&c.text);
  return status;
}

enum { MANY = 2000 }; /* rows: fewer are read and sorted faster than an index is walked in the order asked for */

/* A page by a metric out of many rows; walked: false, and nothing was read, where they are few. Of a search, which looks at
 * them one by one, more are few.
 *   pattern  NULL: every row shows */
static enum armdyn_status walk_page(struct sql *sql, const struct list_type *list, struct store_query *query,
                                    const char *pattern, struct records *found, bool *walked)
{
  struct composing count = COMPOSING;
  const int64_t many = pattern ? LOOKED_AT_BY_METRIC : MANY;
  int64_t rows = 0;
  compose_count(&count, list, query, (unsigned)many);
  enum armdyn_status status = count_up(sql, &count, &rows);
  buffer_release(&count.text);
  *walked = !status && rows == many;
  if (!*walked) return status;
  if (query->key.type != STORE_KEY_NULL) {
    status = read_stretch(sql, list, query, pattern, compose_measured, compose_measured_end, found);
    if (status || query->more) return status;
  }
  const struct store_key behind = query->key;
  if (behind.type != STORE_KEY_NULL) query->key = (struct store_key){ .type = STORE_KEY_NULL };
  status = read_stretch(sql, list, query, pattern, compose_unmeasured, compose_unmeasured_end, found);
  if (!query->key.id[0]) query->key = behind; /* no row of them is in the page */
  return status;
}

/* -- searches -- */

/* Does the index tell few rows? Where it tells many, a page of them is found sooner by reading rows in their order. */
static enum armdyn_status tells_few(struct sql *sql, const struct list_type *list, const char *match, bool *few)
{
  struct composing c = COMPOSING;
  int64_t rows = 0;
  compose_told(&c, list, match);
  enum armdyn_status status = count_up(sql, &c, &rows);
  *few = rows < HOLDING_MANY;
  buffer_release(&c.text);
  return status;
}

static enum armdyn_status look_at_page(struct sql *sql, const struct list_type *list, const char *owner,
                                       struct store_query *query, struct searching *searching, struct records *found)
{
  struct composing last = COMPOSING, c = COMPOSING;
  enum armdyn_status status = ARMDYN_OK;
  if (!searching->match && !query->metric && query->limit) {
    compose_end(&last, list, owner, query);
    status = read_row(sql, &last, &searching->last);
  }
  if (!status) {
    compose_page(&c, list, owner, query, searching);
    status = read_page(sql, &c, query, found);
  }
  if (!status) end_page(query, &searching->last);
  buffer_release(&last.text);
  buffer_release(&c.text);
  return status;
}

/* A page of what holds the text. It ends where LOOKED_AT rows were looked at; the next one begins there. */
static enum armdyn_status search_page(struct sql *sql, const struct list_type *list, const char *owner,
                                      struct store_query *query, struct records *found)
{
  struct buffer pattern = BUFFER(MB(1)), match = BUFFER(MB(1));
  bool few = false, walked = false;
  int64_t deadline_ns = clock_monotonic_ns() + query->search_ms * 1000000;
  write_pattern(&pattern, query->search);
  if (list->trigrams && !strcmp(sql_engine_name(sql), "sqlite")) write_trigrams(&match, query->search);
  enum armdyn_status status = pattern.failure ? pattern.failure : match.failure;
  /* A search may read every row that is left: it must not keep a reader from others for ever. */
  if (!status && query->search_ms) sql_deadline(sql, &deadline_ns);
  if (!status && match.length) status = tells_few(sql, list, match.data, &few);
  if (!status && !few && query->metric && query->limit && !owner)
    status = walk_page(sql, list, query, pattern.data, found, &walked);
  if (!status && !walked)
    status = look_at_page(sql, list, owner, query,
                          &(struct searching){ .pattern = pattern.data, .match = few ? match.data : NULL }, found);
  sql_deadline(sql, NULL);
  buffer_release(&pattern);
  buffer_release(&match);
  return status;
}

enum armdyn_status store_read_query(struct store *store, const struct list_type *list, const char *owner,
                                    struct store_query *query, record_visit *visit, void *context)
{
  struct composing c = COMPOSING;
  struct records found = { .type = list->type };
  struct sql *sql = NULL;
  bool walked = false;
  enum armdyn_status status = readers_take(store->readers, &sql);
  if (!status) status = weigh_filters(sql, list, query);
  if (!status && query->search) {
    status = search_page(sql, list, owner, query, &found);
  } else if (!status) {
    if (query->metric && query->limit && !owner) status = walk_page(sql, list, query, NULL, &found, &walked);
    if (!status && !walked) {
      compose_page(&c, list, owner, query, NULL);
      status = read_page(sql, &c, query, &found);
    }
  }
  readers_give(store->readers, sql);
  for (size_t i = 0; !status && i < found.count; i++) visit(context, (const char *)found.items + i * list->type->size);
  records_release(&found);
  buffer_release(&c.text);
  return status;
}

/* -- totals -- */

static enum armdyn_status count_states(struct sql *sql, const struct composing *c, const char *const *names,
                                       int64_t *totals)
{
  struct sql_statement *statement;
  bool row;
  enum armdyn_status status = c->text.failure;
  if (status) return status;
  status = sql_query(sql, c->text.data, (struct values){ c->values, c->count }, &statement);
  while (!status && !(status = sql_step(statement, &row)) && row) {
    const char *state = sql_text(statement, 0);
    for (size_t k = 0; names[k]; k++)
      if (state && !strcmp(state, names[k])) totals[k] = sql_integer(statement, 1);
  }
  sql_finish(statement);
  return status;
}

enum armdyn_status store_read_totals(struct store *store, const struct list_type *list, const struct store_query *query,
                                     const char *const *names, int64_t *totals)
{
  struct composing c = COMPOSING;
  struct sql *sql = NULL;
  for (size_t k = 0; names[k]; k++) totals[k] = 0;
  compose_totals(&c, list, query);
  enum armdyn_status status = readers_take(store->readers, &sql);
  if (!status) status = count_states(sql, &c, names, totals);
  readers_give(store->readers, sql);
  buffer_release(&c.text);
  return status;
}
