/* Lists that are filtered, searched and sorted, page by page. A page begins behind a key, the sorted value and what tells a
 * row from others: what is inserted or deleted meanwhile neither repeats a row nor leaves one out. */
#include "api/wire/buffer.h"
#include "server/store/internal.h"

enum { VALUES_MOST = 2 * STORE_FILTERS + 16 };

/* A statement while it is written: values go by their numbers, ?1, ?2, ... */
struct composing {
  struct buffer text;
  struct value values[VALUES_MOST];
  size_t count;
};

enum { MANY = 2000 }; /* rows: fewer are read and sorted faster than an index is walked in the order asked for */

static unsigned add(struct composing *c, struct value value)
{
  if (c->count == VALUES_MOST) {
    c->text.failure = ARMDYN_ELIMIT;
    return VALUES_MOST;
  }
  c->values[c->count++] = value;
  return (unsigned)c->count;
}

/* -- conditions -- */

static const char *const operators[] = {
  [STORE_IS] = "=", [STORE_BELOW] = "<", [STORE_AT_MOST] = "<=", [STORE_ABOVE] = ">", [STORE_AT_LEAST] = ">=",
};

/* Tables beside the rows that conditions look into, by enum store_where. */
static const struct {
  const char *table, *owner;
} beside[] = {
  [STORE_TAG] = { NULL, "owner" }, /* of the list */
  [STORE_MEMBER] = { "result_members", "result_id" },
  [STORE_METRIC] = { "result_metrics", "result_id" },
};

static bool is_among(const char *const *columns, const char *column)
{
  while (columns && *columns && strcmp(*columns, column)) columns++;
  return columns && *columns;
}

/* Does a condition of this column seek no rows, but is held against those that are come by? */
static bool is_held_against(const struct list_type *list, const struct store_query *query, const char *column)
{
  bool narrow = false;
  for (size_t i = 0; i < query->filter_count; i++) narrow |= is_among(list->narrow, query->filters[i].name);
  if (narrow) return !is_among(list->narrow, column);
  return list->walked && query->sort && !strcmp(query->sort, list->walked);
}

/* So that an index serves. */
static void write_one_of(struct composing *c, const struct store_filter *filter, const char *plus)
{
  const unsigned value = add(c, value_text(filter->text));
  buffer_format(&c->text,
                " AND %s%s IN (SELECT " SQL_EITHER("value FROM json_each('[\"' || replace(?%u, ',', '\",\"') || '\"]')",
                                                   "unnest(string_to_array(?%u, ','))") ")",
                plus, filter->name, value, value);
}

static void write_filter(struct composing *c, const struct list_type *list, const struct store_query *query,
                         const struct store_filter *filter)
{
  const char *plus = is_held_against(list, query, filter->name) ? SQL_EITHER("+", "") : "";
  if (filter->match == STORE_ONE_OF) {
    write_one_of(c, filter, plus);
    return;
  }
  bool among = filter->match == STORE_AMONG || filter->match == STORE_NOT_AMONG;
  unsigned value = add(c, filter->text ? value_text(filter->text) : value_number(filter->number));
  if (among) {
    buffer_format(&c->text, " AND " SQL_EITHER("instr", "strpos") "(?%u, %s) %s 0", value, filter->name,
                  filter->match == STORE_AMONG ? ">" : "=");
  } else if (filter->where == STORE_COLUMN) {
    buffer_format(&c->text, " AND %s%s %s ?%u", plus, filter->name, operators[filter->match], value);
  } else {
    unsigned name = add(c, value_text(filter->name));
    const char *table = filter->where == STORE_TAG ? list->tags : beside[filter->where].table;
    buffer_format(&c->text, " AND id IN (SELECT %s FROM %s WHERE name = ?%u AND value %s ?%u)",
                  beside[filter->where].owner, table, name, operators[filter->match], value);
  }
}

/* Letters A to Z are the small ones too, and no others are, whatever the language of the database. */
#define SHOWS(text) SQL_EITHER(text " LIKE", "CAST(" text " AS text) COLLATE \"C\" ILIKE") " ?%u ESCAPE '\\'"

/* The text anywhere, its own % and _ taken as they are. */
static void write_pattern(struct buffer *pattern, const char *search)
{
  buffer_text(pattern, "%");
  for (const char *p = search; *p; p++) {
    if (*p == '%' || *p == '_' || *p == '\\') buffer_text(pattern, "\\");
    buffer_append(pattern, p, 1);
  }
  buffer_text(pattern, "%");
}

/* Tags are looked through once for all rows, or of few rows for each. */
static void write_search(struct composing *c, const struct list_type *list, const char *pattern, bool few)
{
  const unsigned value = add(c, value_text(pattern));
  buffer_format(&c->text, " AND (" SHOWS("%s"), list->key, list->key, value);
  for (const char *at = list->search; *at;) {
    at += strspn(at, ", ");
    const int length = (int)strcspn(at, ",");
    buffer_format(&c->text, " OR " SHOWS("%.*s"), length, at, length, at, value);
    at += length;
  }
  if (list->tags)
    buffer_format(&c->text, " OR %s FROM %s WHERE %s(" SHOWS("name") " OR " SHOWS("value") "))",
                  few ? "EXISTS (SELECT 1" : "id IN (SELECT owner", list->tags, few ? "owner = id AND " : "", value,
                  value);
  buffer_text(&c->text, ")");
}

/* -- search by trigrams -- */

enum {
  TRIGRAMS_MOST = 32,  /* of a search; what these leave is looked at anyway */
  HOLDING_MANY = 5000, /* rows: so many in 200,000 are found as fast when rows are read in their order */
  LOOKED_AT = 10000    /* rows of a page of a search, at most: some 20 ms */
};

static size_t character_size(const char *at)
{
  size_t size = *at != 0;
  while (size && (at[size] & 0xc0) == 0x80) size++;
  return size;
}

/* What asks the index for rows that hold every trigram of the text; empty where it is too short to have one. */
static void write_trigrams(struct buffer *match, const char *search)
{
  size_t count = 0;
  for (const char *at = search; count < TRIGRAMS_MOST; at += character_size(at), count++) {
    const char *end = at;
    size_t characters = 0;
    for (; characters < 3 && *end; characters++) end += character_size(end);
    if (characters < 3) return;
    buffer_text(match, count ? " AND \"" : "\"");
    for (const char *p = at; p < end; p++) buffer_append(match, *p == '"' ? "\"\"" : p, *p == '"' ? 2 : 1);
    buffer_text(match, "\"");
  }
}

/* Where rows are looked for: all of the table, or those that the index tells. */
static void write_source(struct composing *c, const struct list_type *list, const char *match)
{
  if (!match) {
    buffer_format(&c->text, " FROM %s WHERE TRUE", list->table);
    return;
  }
  buffer_format(&c->text,
                " FROM %s s CROSS JOIN %s n ON n.number = s.rowid CROSS JOIN %s ON %s = n.result_id"
                " WHERE s.%s MATCH ?%u",
                list->trigrams, list->numbers, list->table, list->key, list->trigrams, add(c, value_text(match)));
}

/* -- order -- */

/* What is sorted by: a column that is never NULL as it is, so that its index serves; other columns with an empty text
 * for NULL; a metric, which may be NULL. `metric`: the place of its name. */
static void write_sorted(struct composing *c, const struct list_type *list, const struct store_query *query,
                         unsigned metric)
{
  const char *column = query->sort ? query->sort : "created_at";
  if (query->metric)
    buffer_format(&c->text, "(SELECT value FROM result_metrics WHERE result_id = id AND name = ?%u)", metric);
  else if (strcmp(column, "created_at") == 0 || strcmp(column, list->key) == 0 || is_among(list->never_null, column))
    buffer_text(&c->text, column);
  else
    buffer_format(&c->text, "coalesce(%s, '')", column);
}

static void write_start(struct composing *c, const struct list_type *list, const struct store_query *query,
                        unsigned metric)
{
  const struct store_key *key = &query->key;
  const char op = query->ascending ? '>' : '<';
  if (key->type == STORE_KEY_NONE) return;
  unsigned id = add(c, value_text(key->id));
  buffer_text(&c->text, " AND (");
  if (key->type != STORE_KEY_NULL) {
    unsigned value = add(c, key->type == STORE_KEY_TEXT ? value_text(key->text) : value_number(key->number));
    if (!query->metric) buffer_text(&c->text, "(");
    write_sorted(c, list, query, metric);
    if (!query->metric) {
      buffer_format(&c->text, ", %s) %c (?%u, ?%u))", list->key, op, value, id);
      return;
    }
    buffer_format(&c->text, " %c ?%u OR ", op, value);
    write_sorted(c, list, query, metric);
    buffer_format(&c->text, " = ?%u AND %s %c ?%u OR ", value, list->key, op, id);
  }
  write_sorted(c, list, query, metric);
  buffer_text(&c->text, " IS NULL");
  if (key->type == STORE_KEY_NULL) buffer_format(&c->text, " AND %s %c ?%u", list->key, op, id);
  buffer_text(&c->text, ")");
}

/* No row behind the one with this key: it is the last of those that are looked at. */
static void write_end(struct composing *c, const struct list_type *list, const struct store_query *query,
                      const struct store_key *last)
{
  if (last->type == STORE_KEY_NONE) return;
  const unsigned value = add(c, last->type == STORE_KEY_TEXT ? value_text(last->text) : value_number(last->number)),
                 id = add(c, value_text(last->id));
  buffer_text(&c->text, " AND (");
  write_sorted(c, list, query, 0);
  buffer_format(&c->text, ", %s) %s (?%u, ?%u)", list->key, query->ascending ? "<=" : ">=", value, id);
}

static void write_order(struct composing *c, const struct store_query *query)
{
  const char *way = query->ascending ? "ASC" : "DESC";
  buffer_format(&c->text, " ORDER BY %ssorted %s, found %s", query->metric ? "sorted IS NULL, " : "", way, way);
}

/* The same, of the rows that are looked for: names of what is selected cannot stand in what it is sorted by everywhere. */
static void write_inner_order(struct composing *c, const struct list_type *list, const struct store_query *query,
                              unsigned metric)
{
  const char *way = query->ascending ? "ASC" : "DESC";
  buffer_text(&c->text, " ORDER BY ");
  if (query->metric) write_sorted(c, list, query, metric), buffer_text(&c->text, " IS NULL, ");
  buffer_format(&c->text, "sorted %s, found %s", way, way);
}

static void write_owner(struct composing *c, const struct list_type *list, const char *owner)
{
  if (owner) buffer_format(&c->text, " AND %s = ?%u", list->of, add(c, value_text(owner)));
}

static void write_conditions(struct composing *c, const struct list_type *list, const struct store_query *query)
{
  for (size_t i = 0; i < query->filter_count; i++) write_filter(c, list, query, &query->filters[i]);
}

/* What is searched for. */
struct searching {
  const char *pattern;
  const char *match;            /* what the index of trigrams is asked; NULL: rows are read */
  const struct store_key *last; /* the last row that is */
};

/* The keys of the page are found first, so that no more is sorted than these; then their rows are read. searching: NULL:
 * every row shows. */
static void compose(struct composing *c, const struct list_type *list, const char *owner,
                    const struct store_query *query, const struct searching *searching)
{
  const int64_t most = query->limit ? (int64_t)query->limit + 1 : INT64_MAX;
  const unsigned metric = query->metric ? add(c, value_text(query->sort)) : 0;
  buffer_format(&c->text, "SELECT sorted, found, %s FROM (SELECT %s AS found, ", list->columns, list->key);
  write_sorted(c, list, query, metric);
  buffer_text(&c->text, " AS sorted");
  write_source(c, list, searching ? searching->match : NULL);
  write_owner(c, list, owner);
  write_conditions(c, list, query);
  if (searching) {
    write_search(c, list, searching->pattern, searching->match || searching->last->type != STORE_KEY_NONE);
    write_end(c, list, query, searching->last);
  }
  write_start(c, list, query, metric);
  write_inner_order(c, list, query, metric);
  buffer_format(&c->text, " LIMIT ?%u) AS page JOIN %s ON %s = found", add(c, value_integer(most)), list->table,
                list->key);
  write_owner(c, list, owner);
  write_order(c, query);
}

/* -- many rows by a metric -- */

static void compose_count(struct composing *c, const struct list_type *list, const struct store_query *query)
{
  buffer_format(&c->text, "SELECT count(*) FROM (SELECT 1 FROM %s WHERE TRUE", list->table);
  write_conditions(c, list, query);
  buffer_format(&c->text, " LIMIT %d) AS many", MANY);
}

/* Rows that have the metric, as its index holds them. */
static void compose_walk(struct composing *c, const struct list_type *list, const struct store_query *query)
{
  const char *way = query->ascending ? "ASC" : "DESC";
  const struct store_key *key = &query->key;
  buffer_format(&c->text,
                "SELECT sorted, found, %s FROM (SELECT m.value AS sorted, m.result_id AS found FROM result_metrics m"
                " " SQL_EITHER("CROSS ", "") "JOIN %s ON id = m.result_id WHERE m.name = ?%u",
                list->columns, list->table, add(c, value_text(query->sort)));
  write_conditions(c, list, query);
  if (key->type == STORE_KEY_NUMBER)
    buffer_format(&c->text, " AND (m.value, m.result_id) %c (?%u, ?%u)", query->ascending ? '>' : '<',
                  add(c, value_number(key->number)), add(c, value_text(key->id)));
  buffer_format(&c->text, " ORDER BY m.value %s, m.result_id %s LIMIT ?%u) AS page JOIN %s ON %s = found", way, way,
                add(c, value_integer((int64_t)query->limit + 1)), list->table, list->key);
  write_order(c, query);
}

/* Rows that have it not, which come last; behind: the row that they begin behind, NULL: with the first. */
static void compose_rest(struct composing *c, const struct list_type *list, const struct store_query *query,
                         const char *behind, size_t found)
{
  buffer_format(&c->text,
                "SELECT CAST(NULL AS REAL) AS sorted, id AS found, %s FROM %s WHERE NOT EXISTS (SELECT 1 FROM"
                " result_metrics WHERE result_id = id AND name = ?%u)",
                list->columns, list->table, add(c, value_text(query->sort)));
  write_conditions(c, list, query);
  if (behind) buffer_format(&c->text, " AND id %c ?%u", query->ascending ? '>' : '<', add(c, value_text(behind)));
  buffer_format(&c->text, " ORDER BY id %s LIMIT ?%u", query->ascending ? "ASC" : "DESC",
                add(c, value_integer((int64_t)(query->limit - found) + 1)));
}

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

/* A page by a metric out of many rows; walked: false, and nothing was read, where they are few. */
static enum armdyn_status walk_page(struct sql *sql, const struct list_type *list, struct store_query *query,
                                    struct records *found, bool *walked)
{
  struct composing count = { .text = BUFFER(MB(1)) }, walk = { .text = BUFFER(MB(1)) },
                   rest = { .text = BUFFER(MB(1)) };
  const struct store_key behind = query->key;
  int64_t rows = 0;
  compose_count(&count, list, query);
  compose_walk(&walk, list, query);
  enum armdyn_status status = count_up(sql, &count, &rows);
  bool with = behind.type != STORE_KEY_NULL; /* there may be more that have the metric */
  *walked = !status && rows == MANY;
  if (*walked && with) status = read_page(sql, &walk, query, found);
  if (*walked && !status && !(with && query->more)) {
    compose_rest(&rest, list, query, with ? NULL : behind.id, found->count);
    status = read_page(sql, &rest, query, found);
  }
  buffer_release(&count.text);
  buffer_release(&walk.text);
  buffer_release(&rest.text);
  return status;
}

/* Does the index tell few rows? Where it tells many, a page of them is found sooner by reading rows in their order. */
static enum armdyn_status tells_few(struct sql *sql, const struct list_type *list, const char *match, bool *few)
{
  struct composing c = { .text = BUFFER(1024) };
  int64_t rows = 0;
  buffer_format(&c.text, "SELECT count(*) FROM (SELECT 1 FROM %s WHERE %s MATCH ?%u LIMIT %d)", list->trigrams,
                list->trigrams, add(&c, value_text(match)), HOLDING_MANY);
  enum armdyn_status status = count_up(sql, &c, &rows);
  *few = rows < HOLDING_MANY;
  buffer_release(&c.text);
  return status;
}

/* The row at which a page of a search ends at the latest; none where there are fewer. Of a metric's order there is none:
 * it is in no index of rows. */
static enum armdyn_status find_last(struct sql *sql, const struct list_type *list, const char *owner,
                                    const struct store_query *query, struct store_key *last)
{
  struct composing c = { .text = BUFFER(MB(1)) };
  struct sql_statement *statement;
  bool row = false;
  last->type = STORE_KEY_NONE;
  if (query->metric || !query->limit) return ARMDYN_OK;
  buffer_text(&c.text, "SELECT ");
  write_sorted(&c, list, query, 0);
  buffer_format(&c.text, " AS sorted, %s AS found FROM %s WHERE TRUE", list->key, list->table);
  write_owner(&c, list, owner);
  write_conditions(&c, list, query);
  write_start(&c, list, query, 0);
  write_inner_order(&c, list, query, 0);
  buffer_format(&c.text, " LIMIT 1 OFFSET %d", LOOKED_AT - 1);
  enum armdyn_status status = c.text.failure;
  if (!status) status = sql_query(sql, c.text.data, (struct values){ c.values, c.count }, &statement);
  if (!status) {
    status = sql_step(statement, &row);
    if (!status && row) read_key(statement, last);
    sql_finish(statement);
  }
  buffer_release(&c.text);
  return status;
}

/* A page of what holds the text. It ends where LOOKED_AT rows were looked at; the next one begins there. */
static enum armdyn_status search_page(struct sql *sql, const struct list_type *list, const char *owner,
                                      struct store_query *query, struct records *found)
{
  struct composing c = { .text = BUFFER(MB(1)) };
  struct buffer pattern = BUFFER(MB(1)), match = BUFFER(MB(1));
  struct store_key last = { .type = STORE_KEY_NONE };
  bool few = false;
  int64_t deadline_ns = clock_monotonic_ns() + query->search_ms * 1000000;
  write_pattern(&pattern, query->search);
  if (list->trigrams && !strcmp(sql_engine_name(sql), "sqlite")) write_trigrams(&match, query->search);
  enum armdyn_status status = pattern.failure ? pattern.failure : match.failure;
  /* A search may read every row that is left: it must not keep a reader from others for ever. */
  if (!status && query->search_ms) sql_deadline(sql, &deadline_ns);
  if (!status && match.length) status = tells_few(sql, list, match.data, &few);
  if (!status && !few) status = find_last(sql, list, owner, query, &last);
  if (!status) {
    compose(&c, list, owner, query, &(struct searching){ pattern.data, few ? match.data : NULL, &last });
    status = read_page(sql, &c, query, found);
  }
  if (!status && !query->more && last.type != STORE_KEY_NONE) query->key = last, query->more = true;
  sql_deadline(sql, NULL);
  buffer_release(&c.text);
  buffer_release(&pattern);
  buffer_release(&match);
  return status;
}

enum armdyn_status store_read_query(struct store *store, const struct list_type *list, const char *owner,
                                    struct store_query *query, record_visit *visit, void *context)
{
  struct composing c = { .text = BUFFER(MB(1)) };
  struct records found = { .type = list->type };
  struct sql *sql = NULL;
  bool walked = false;
  enum armdyn_status status = readers_take(store->readers, &sql);
  if (!status && query->search) {
    status = search_page(sql, list, owner, query, &found);
  } else if (!status) {
    if (query->metric && query->limit && !owner) status = walk_page(sql, list, query, &found, &walked);
    if (!status && !walked) {
      compose(&c, list, owner, query, NULL);
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
  struct composing c = { .text = BUFFER(MB(1)) };
  struct sql *sql = NULL;
  for (size_t k = 0; names[k]; k++) totals[k] = 0;
  buffer_format(&c.text, "SELECT state, count(*) FROM %s WHERE TRUE", list->table);
  write_conditions(&c, list, query);
  buffer_text(&c.text, " GROUP BY state");
  enum armdyn_status status = readers_take(store->readers, &sql);
  if (!status) status = count_states(sql, &c, names, totals);
  readers_give(store->readers, sql);
  buffer_release(&c.text);
  return status;
}
