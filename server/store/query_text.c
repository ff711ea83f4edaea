/* The statements of lists: conditions, searches and orders as SQL. */
#include "server/store/query_text.h"

/* A text that is there already has its place. */
static unsigned add(struct composing *c, struct value value)
{
  for (size_t k = 0; k < c->count; k++)
    if (value.type == VALUE_TEXT && c->values[k].data == value.data) return (unsigned)k + 1;
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

bool is_beside(const struct store_filter *filter)
{
  return filter->where != STORE_COLUMN;
}

static bool is_among(const char *const *columns, const char *column)
{
  while (columns && *columns && strcmp(*columns, column)) columns++;
  return columns && *columns;
}

/* Are the rows those of a few ids? */
static bool is_by_ids(const struct composing *c)
{
  return c->state && c->state->ids && !c->state->except;
}

/* Does a condition of this column seek no rows, but is held against those that are come by? */
static bool is_held_against(const struct composing *c, const struct list_type *list, const struct store_query *query,
                            const char *column)
{
  bool narrow = false;
  if (query->driven || is_by_ids(c)) return true;
  for (size_t i = 0; i < query->filter_count; i++) narrow |= is_among(list->narrow, query->filters[i].name);
  if (narrow) return !is_among(list->narrow, column);
  if (query->search && query->state_count > 1 && !strcmp(column, "state")) return true;
  return is_among(list->walked, column) || is_among(list->walked, query->sort ? query->sort : "created_at");
}

/* So that an index serves. */
static void write_one_of(struct composing *c, const char *column, const char *texts, const char *plus)
{
  const unsigned value = add(c, value_text(texts));
  buffer_format(&c->text,
                " AND %s%s IN (SELECT " SQL_EITHER("value FROM json_each('[\"' || replace(?%u, ',', '\",\"') || '\"]')",
                                                   "unnest(string_to_array(?%u, ','))") ")",
                plus, column, value, value);
}

/* PostgreSQL takes two of three rows to be none of the ids, and one of 200 where it reads "= 0". */
static void write_state(struct composing *c, const struct list_type *list, const struct store_state *state,
                        const char *plus)
{
  buffer_format(&c->text, "%sstate = ?%u", plus, add(c, value_text(state->name)));
  if (state->ids && state->except)
    buffer_format(&c->text, " AND NOT (" SQL_EITHER("instr", "strpos") "(?%u, %s) > 0)", add(c, value_text(state->ids)),
                  list->key);
  else if (state->ids)
    write_one_of(c, list->key, state->ids, "");
}

/* The one state, or any of those that are asked for. */
static void write_states(struct composing *c, const struct list_type *list, const struct store_query *query)
{
  const char *plus = is_held_against(c, list, query, "state") ? SQL_EITHER("+", "") : "";
  bool whole = true;
  if (!c->state && !query->state_count) return;
  buffer_text(&c->text, " AND ");
  if (c->state) {
    write_state(c, list, c->state, plus);
    return;
  }
  for (size_t k = 0; k < query->state_count; k++) whole &= !query->states[k].ids;
  buffer_format(&c->text, whole ? "%sstate IN (" : "(", plus);
  for (size_t k = 0; k < query->state_count; k++) {
    if (k) buffer_text(&c->text, whole ? ", " : " OR ");
    if (whole)
      buffer_format(&c->text, "?%u", add(c, value_text(query->states[k].name)));
    else
      write_state(c, list, &query->states[k], plus);
  }
  buffer_text(&c->text, ")");
}

/* Rows beside this one that the condition holds for. */
static void write_holding(struct composing *c, const struct list_type *list, const struct store_filter *filter,
                          const char *selected, const char *of)
{
  const char *table = filter->where == STORE_TAG ? list->tags : beside[filter->where].table;
  unsigned value = add(c, filter->text ? value_text(filter->text) : value_number(filter->number));
  unsigned name = add(c, value_text(filter->name));
  buffer_format(&c->text, "SELECT %s FROM %s WHERE %sname = ?%u AND value %s ?%u", selected, table, of, name,
                operators[filter->match], value);
}

static void write_beside(struct composing *c, const struct list_type *list, const struct store_filter *filter,
                         bool wide)
{
  char of[64] = "";
  if (wide) snprintf(of, sizeof of, "%s = id AND ", beside[filter->where].owner);
  buffer_text(&c->text, wide ? " AND EXISTS (" : " AND id IN (");
  write_holding(c, list, filter, wide ? "1" : beside[filter->where].owner, of);
  buffer_text(&c->text, ")");
}

static void write_filter(struct composing *c, const struct list_type *list, const struct store_query *query,
                         const struct store_filter *filter)
{
  const char *plus = is_held_against(c, list, query, filter->name) ? SQL_EITHER("+", "") : "";
  if (filter->match == STORE_ONE_OF && strchr(filter->text, ',')) {
    write_one_of(c, filter->name, filter->text, plus);
    return;
  }
  unsigned value = add(c, filter->text ? value_text(filter->text) : value_number(filter->number));
  /* one of one is that one: its index has the rows in order */
  buffer_format(&c->text, " AND %s%s %s ?%u", plus, filter->name,
                filter->match == STORE_ONE_OF ? "=" : operators[filter->match], value);
}

/* Letters A to Z are the small ones too, and no others are, whatever the language of the database. */
#define SHOWS(text) SQL_EITHER(text " LIKE", "CAST(" text " AS text) COLLATE \"C\" ILIKE") " ?%u ESCAPE '\\'"

/* The text anywhere, its own % and _ taken as they are. */
void write_pattern(struct buffer *pattern, const char *search)
{
  buffer_text(pattern, "%");
  for (const char *p = search; *p; p++) {
    if (*p == '%' || *p == '_' || *p == '\\') buffer_text(pattern, "\\");
    buffer_append(pattern, p, 1);
  }
  buffer_text(pattern, "%");
}

/* Tags are looked through for each row: never are more than LOOKED_AT rows of a page looked at. */
static void write_search(struct composing *c, const struct list_type *list, const char *pattern)
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
    buffer_format(&c->text,
                  " OR EXISTS (SELECT 1 FROM %s WHERE owner = id AND (" SHOWS("name") " OR " SHOWS("value") "))",
                  list->tags, value, value);
  buffer_text(&c->text, ")");
}

/* -- search by trigrams -- */

enum { TRIGRAMS_MOST = 32 }; /* of a search; what these leave is looked at anyway */

static size_t character_size(const char *at)
{
  size_t size = *at != 0;
  while (size && (at[size] & 0xc0) == 0x80) size++;
  return size;
}

/* What asks the index for rows that hold every trigram of the text. */
void write_trigrams(struct buffer *match, const char *search)
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

static const char *way(const struct store_query *query)
{
  return query->ascending ? "ASC" : "DESC";
}

/* What is sorted by: a column that is never NULL as it is, so that its index serves; other columns with an empty text
 * for NULL; a metric, which may be NULL. `metric`: the place of its name. */
static void write_sorted(struct composing *c, const struct list_type *list, const struct store_query *query,
                         unsigned metric)
{
  const char *column = query->sort ? query->sort : "created_at";
  const char *plus = query->driven || is_by_ids(c) ? SQL_EITHER("+", "") : "";
  if (query->metric)
    buffer_format(&c->text, "(SELECT value FROM result_metrics WHERE result_id = id AND name = ?%u)", metric);
  else if (strcmp(column, "created_at") == 0 || strcmp(column, list->key) == 0 || is_among(list->never_null, column))
    buffer_format(&c->text, "%s%s", plus, column);
  else
    buffer_format(&c->text, "%scoalesce(%s, '')", plus, column);
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
  buffer_format(&c->text, " ORDER BY %ssorted %s, found %s", query->metric ? "sorted IS NULL, " : "", way(query),
                way(query));
}

/* The same, of the rows that are looked for: names of what is selected cannot stand in what it is sorted by everywhere. */
static void write_inner_order(struct composing *c, const struct list_type *list, const struct store_query *query,
                              unsigned metric)
{
  buffer_text(&c->text, " ORDER BY ");
  if (query->metric) write_sorted(c, list, query, metric), buffer_text(&c->text, " IS NULL, ");
  buffer_format(&c->text, "sorted %s, found %s", way(query), way(query));
}

static void write_owner(struct composing *c, const struct list_type *list, const char *owner)
{
  if (owner) buffer_format(&c->text, " AND %s = ?%u", list->of, add(c, value_text(owner)));
}

/* wide: of those that hold for many rows, too? */
static void write_conditions(struct composing *c, const struct list_type *list, const struct store_query *query,
                             bool wide)
{
  for (size_t i = 0; i < query->filter_count; i++) {
    const struct store_filter *filter = &query->filters[i];
    const bool many = query->wide >> i & 1;
    if (!is_beside(filter))
      write_filter(c, list, query, filter);
    else if (wide || !many)
      write_beside(c, list, filter, many);
  }
  write_states(c, list, query);
}

/* -- pages -- */

static void write_found(struct composing *c, const struct list_type *list, const char *owner,
                        const struct store_query *query, const struct searching *searching, unsigned metric,
                        int64_t most)
{
  buffer_format(&c->text, "SELECT %s AS found, ", list->key);
  write_sorted(c, list, query, metric);
  buffer_text(&c->text, " AS sorted");
  write_source(c, list, searching ? searching->match : NULL);
  write_owner(c, list, owner);
  write_conditions(c, list, query, true);
  if (searching) {
    write_search(c, list, searching->pattern);
    write_end(c, list, query, &searching->last);
  }
  write_start(c, list, query, metric);
  write_inner_order(c, list, query, metric);
  buffer_format(&c->text, " LIMIT %lld", (long long)most);
}

/* The states that a page is put together from, each in the order of an index, as many; 0: all are found at once. */
static size_t take_apart(const struct list_type *list, const struct store_query *query,
                         struct store_state states[STORE_STATES])
{
  bool by_state = false, sorted = query->sort && strcmp(query->sort, "created_at");
  size_t count = 0;
  if (!list->states || query->metric || query->search || query->driven || sorted) return 0;
  for (size_t i = 0; i < query->filter_count; i++) {
    const struct store_filter *filter = &query->filters[i];
    if (is_beside(filter)) continue;
    if (is_among(list->of_states, filter->name))
      by_state = true;
    else if (strcmp(filter->name, "created_at"))
      return 0;
  }
  for (; count < query->state_count; count++) states[count] = query->states[count];
  if (!count && by_state)
    for (; list->states[count]; count++) states[count] = (struct store_state){ .name = list->states[count] };
  return count > 1 ? count : 0;
}

/* The keys of the page are found first, so that no more is sorted than these; then their rows are read. */
void compose_page(struct composing *c, const struct list_type *list, const char *owner, const struct store_query *query,
                  const struct searching *searching)
{
  struct store_state states[STORE_STATES];
  const size_t count = take_apart(list, query, states);
  const int64_t most = query->limit ? (int64_t)query->limit + 1 : INT64_MAX;
  const unsigned metric = query->metric ? add(c, value_text(query->sort)) : 0;
  buffer_format(&c->text, "SELECT sorted, found, %s FROM (", list->columns);
  for (size_t k = 0; k < count; k++) {
    c->state = &states[k];
    buffer_text(&c->text, k ? " UNION ALL SELECT * FROM (" : "SELECT * FROM (");
    write_found(c, list, owner, query, searching, metric, most);
    buffer_format(&c->text, ") AS of_%zu", k);
  }
  c->state = query->state_count == 1 ? query->states : NULL;
  if (count)
    buffer_format(&c->text, " ORDER BY sorted %s, found %s LIMIT %lld", way(query), way(query), (long long)most);
  else
    write_found(c, list, owner, query, searching, metric, most);
  buffer_format(&c->text, ") AS page JOIN %s ON %s = found", list->table, list->key);
  write_owner(c, list, owner);
  write_order(c, query);
}

void compose_end(struct composing *c, const struct list_type *list, const char *owner, const struct store_query *query)
{
  c->state = query->state_count == 1 ? query->states : NULL;
  buffer_text(&c->text, "SELECT ");
  write_sorted(c, list, query, 0);
  buffer_format(&c->text, " AS sorted, %s AS found FROM %s WHERE TRUE", list->key, list->table);
  write_owner(c, list, owner);
  write_conditions(c, list, query, false);
  write_start(c, list, query, 0);
  write_inner_order(c, list, query, 0);
  buffer_format(&c->text, " LIMIT 1 OFFSET %d", LOOKED_AT - 1);
}

/* -- many rows by a metric -- */

/* Of the index of a metric, behind the row before; what is asked of this metric bounds what is walked. */
static void write_measured(struct composing *c, const struct store_query *query)
{
  const struct store_key *key = &query->key;
  buffer_format(&c->text, " WHERE m.name = ?%u", add(c, value_text(query->sort)));
  for (size_t i = 0; i < query->filter_count; i++) {
    const struct store_filter *filter = &query->filters[i];
    if (filter->where == STORE_METRIC && !strcmp(filter->name, query->sort))
      buffer_format(&c->text, " AND m.value %s ?%u", operators[filter->match], add(c, value_number(filter->number)));
  }
  if (key->type == STORE_KEY_NUMBER)
    buffer_format(&c->text, " AND (m.value, m.result_id) %c (?%u, ?%u)", query->ascending ? '>' : '<',
                  add(c, value_number(key->number)), add(c, value_text(key->id)));
}

void compose_measured(struct composing *c, const struct list_type *list, const struct store_query *query,
                      const struct searching *searching, size_t most)
{
  buffer_format(&c->text,
                "SELECT sorted, found, %s FROM (SELECT m.value AS sorted, m.result_id AS found FROM result_metrics m"
                " " SQL_EITHER("CROSS ", "") "JOIN %s ON id = m.result_id",
                list->columns, list->table);
  write_measured(c, query);
  write_conditions(c, list, query, true);
  if (searching) write_search(c, list, searching->pattern);
  if (searching && searching->last.type != STORE_KEY_NONE)
    buffer_format(&c->text, " AND (m.value, m.result_id) %s (?%u, ?%u)",
                  query->ascending ? "<=" : ">=", add(c, value_number(searching->last.number)),
                  add(c, value_text(searching->last.id)));
  buffer_format(&c->text, " ORDER BY m.value %s, m.result_id %s LIMIT ?%u) AS page JOIN %s ON %s = found", way(query),
                way(query), add(c, value_integer((int64_t)most)), list->table, list->key);
  write_order(c, query);
}

void compose_measured_end(struct composing *c, const struct list_type *list, const struct store_query *query)
{
  (void)list; /* the index holds rows of others, too, which take no time */
  buffer_text(&c->text, "SELECT m.value AS sorted, m.result_id AS found FROM result_metrics m");
  write_measured(c, query);
  buffer_format(&c->text, " ORDER BY m.value %s, m.result_id %s LIMIT 1 OFFSET %d", way(query), way(query),
                LOOKED_AT_BY_METRIC - 1);
}

static void write_behind(struct composing *c, const struct store_query *query)
{
  if (query->key.id[0])
    buffer_format(&c->text, " AND id %c ?%u", query->ascending ? '>' : '<', add(c, value_text(query->key.id)));
}

void compose_unmeasured(struct composing *c, const struct list_type *list, const struct store_query *query,
                        const struct searching *searching, size_t most)
{
  buffer_format(&c->text,
                "SELECT CAST(NULL AS REAL) AS sorted, id AS found, %s FROM %s WHERE NOT EXISTS (SELECT 1 FROM"
                " result_metrics WHERE result_id = id AND name = ?%u)",
                list->columns, list->table, add(c, value_text(query->sort)));
  write_conditions(c, list, query, true);
  write_behind(c, query);
  if (searching) write_search(c, list, searching->pattern);
  if (searching && searching->last.type != STORE_KEY_NONE)
    buffer_format(&c->text, " AND id %s ?%u", query->ascending ? "<=" : ">=", add(c, value_text(searching->last.id)));
  buffer_format(&c->text, " ORDER BY id %s LIMIT ?%u", way(query), add(c, value_integer((int64_t)most)));
}

void compose_unmeasured_end(struct composing *c, const struct list_type *list, const struct store_query *query)
{
  buffer_format(&c->text, "SELECT CAST(NULL AS REAL) AS sorted, id AS found FROM %s WHERE TRUE", list->table);
  write_behind(c, query);
  buffer_format(&c->text, " ORDER BY id %s LIMIT 1 OFFSET %d", way(query), LOOKED_AT_BY_METRIC - 1);
}

/* -- counts -- */

void compose_count(struct composing *c, const struct list_type *list, const struct store_query *query, unsigned most)
{
  buffer_format(&c->text, "SELECT count(*) FROM (SELECT 1 FROM %s WHERE TRUE", list->table);
  write_conditions(c, list, query, true);
  buffer_format(&c->text, " LIMIT %u) AS many", most);
}

void compose_holding(struct composing *c, const struct list_type *list, const struct store_filter *filter)
{
  buffer_text(&c->text, "SELECT count(*) FROM (");
  write_holding(c, list, filter, "1", "");
  buffer_format(&c->text, " LIMIT %d) AS many", HOLDING_MANY);
}

void compose_told(struct composing *c, const struct list_type *list, const char *match)
{
  buffer_format(&c->text, "SELECT count(*) FROM (SELECT 1 FROM %s WHERE %s MATCH ?%u LIMIT %d)", list->trigrams,
                list->trigrams, add(c, value_text(match)), HOLDING_MANY);
}

/* Is how many rows there are kept for all that is asked? */
static bool is_counted(const struct list_type *list, const struct store_query *query)
{
  bool counted = list->counts && !query->state_count;
  for (size_t i = 0; i < query->filter_count; i++)
    counted &= query->filters[i].match == STORE_IS && is_among(list->counted, query->filters[i].name) &&
               !is_beside(&query->filters[i]);
  return counted;
}

void compose_totals(struct composing *c, const struct list_type *list, const struct store_query *query)
{
  const bool counted = is_counted(list, query);
  c->state = query->state_count == 1 ? query->states : NULL;
  buffer_format(&c->text, "SELECT state, %s FROM %s WHERE TRUE", counted ? "CAST(sum(count) AS BIGINT)" : "count(*)",
                counted ? list->counts : list->table);
  write_conditions(c, list, query, true);
  buffer_text(&c->text, " GROUP BY state");
}
