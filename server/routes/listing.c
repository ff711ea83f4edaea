#include "server/routes/listing.h"

#include "api/limits.h"
#include "server/routes/cursor.h"

void listing_refuse(struct listing *listing)
{
  buffer_release(&listing->body);
  answer_problem(listing->x, PROBLEM_INVALID, NULL);
}

static bool fault(struct listing *listing, const char *parameter, enum fault_code code, const char *detail,
                  const char *value)
{
  fault_add(exchange_faults(listing->x), FAULT_AT_PARAMETER, parameter, code, "%s, got '%.64s'", detail, value);
  return false;
}

/* -- what a list is asked by -- */

/* Is `name` one of these words? */
static bool listing_knows(const char *words, const char *name)
{
  size_t length = strlen(name);
  for (const char *p = words; p && *p; p += strspn(p, " ")) {
    size_t word = strcspn(p, " ");
    if (word == length && !memcmp(p, name, length)) return true;
    p += word;
  }
  return false;
}

static bool is_member(const struct list_form *form, const char *name)
{
  const char *const *member = form->results ? form->results->members : NULL;
  while (member && *member && strcmp(*member, name)) member++;
  return member && *member;
}

static bool add_filter(struct listing *listing, const char *parameter, struct store_filter filter)
{
  struct store_query *query = &listing->query;
  if (query->filter_count == STORE_FILTERS - LISTING_OWN)
    return fault(listing, parameter, FAULT_LENGTH, "is one condition too many", filter.name);
  query->filters[query->filter_count++] = filter;
  return true;
}

/* A parameter with an expression in it, "name<6": cut off the name behind which one of `stops` stands. */
static const char *cut_name(const char *value, const char *stops, char *name, size_t size)
{
  size_t length = strcspn(value, stops);
  if (!length || length >= size || !value[length]) return NULL;
  memcpy(name, value, length);
  name[length] = '\0';
  return value + length;
}

static bool take_metric(struct listing *listing, const struct list_form *form, const char *value, char *name,
                        size_t size)
{
  static const char form_of_it[] = "must be a metric, one of < <= > >= = and a number, as duration<6";
  const char *rest = cut_name(value, "<>=", name, size);
  if (!rest) return fault(listing, "metric", FAULT_PATTERN, form_of_it, value);
  if (!form->results || !result_has_metric(form->results, name))
    return fault(listing, "metric", FAULT_ENUM, "is no metric of these", name);
  struct store_filter filter = { .where = STORE_METRIC, .name = name };
  bool equal = rest[1] == '=';
  filter.match = *rest == '='   ? STORE_IS
                 : *rest == '<' ? (equal ? STORE_AT_MOST : STORE_BELOW)
                                : (equal ? STORE_AT_LEAST : STORE_ABOVE);
  rest += *rest != '=' && equal ? 2 : 1;
  char *end;
  filter.number = strtod(rest, &end);
  if (end == rest || *end || rest[strspn(rest, "+-.eE0123456789")] || !isfinite(filter.number))
    return fault(listing, "metric", FAULT_PATTERN, form_of_it, value);
  return add_filter(listing, "metric", filter);
}

static bool take_tag(struct listing *listing, const char *value, char *name, size_t size)
{
  const char *rest = cut_name(value, "=", name, size);
  if (!rest) return fault(listing, "tag", FAULT_PATTERN, "must be a tag's name, = and its value, as part=A7", value);
  return add_filter(listing, "tag", (struct store_filter){ .where = STORE_TAG, .name = name, .text = rest + 1 });
}

/* Every parameter that is a condition. */
static bool take_conditions(struct listing *listing, const struct list_form *form)
{
  static const char always[] = "job_order_id work_master_id equipment_id reason";
  const char *name, *value;
  bool good = true;
  for (size_t i = 0; exchange_query_item(listing->x, i, &name, &value); i++) {
    char *place = listing->names[listing->query.filter_count % STORE_FILTERS];
    if (!strcmp(name, "metric"))
      good &= take_metric(listing, form, value, place, LISTING_NAME_SIZE);
    else if (!strcmp(name, "tag"))
      good &= take_tag(listing, value, place, LISTING_NAME_SIZE);
    else if (listing_knows(always, name) || listing_knows(form->filters, name))
      good &= add_filter(listing, name, (struct store_filter){ .name = name, .text = value });
    else if (!strcmp(name, "created_by"))
      good &= add_filter(listing, name, (struct store_filter){ .name = "created_by_name", .text = value });
    else if (is_member(form, name))
      good &= add_filter(listing, name, (struct store_filter){ .where = STORE_MEMBER, .name = name, .text = value });
  }
  return good;
}

static bool take_sort(struct listing *listing, const struct list_form *form)
{
  const char *sort = exchange_query(listing->x, "sort");
  struct store_query *query = &listing->query;
  if (!sort) sort = form->order ? form->order : "-created_at";
  query->ascending = *sort != '-';
  query->sort = sort + !query->ascending;
  query->metric = form->results && result_has_metric(form->results, query->sort);
  if (query->metric || listing_knows(form->sorts, query->sort)) return true;
  char choices[192];
  snprintf(choices, sizeof choices, "must be one of %s%s, with - before it for descending", form->sorts,
           form->results ? " or a metric" : "");
  return fault(listing, "sort", FAULT_ENUM, choices, sort);
}

static bool take_fields(struct listing *listing, const struct list_form *form)
{
  char name[LISTING_NAME_SIZE];
  listing->fields = exchange_query(listing->x, "fields");
  for (const char *p = listing->fields; p;) {
    size_t length = strcspn(p, ",");
    snprintf(name, sizeof name, "%.*s", length < sizeof name ? (int)length : 0, p);
    if (!listing_knows(form->fields, name) && !is_member(form, name))
      return fault(listing, "fields", FAULT_ENUM, "must be members of an item with commas between", p);
    p = p[length] ? p + length + 1 : NULL;
  }
  return true;
}

static bool take_search(struct listing *listing)
{
  const char *search = exchange_query(listing->x, "q");
  if (search && strlen(search) > LIMIT_SEARCH)
    return fault(listing, "q", FAULT_LENGTH, "must have at most 128 bytes", search);
  listing->query.search = search && *search ? search : NULL;
  listing->query.search_ms = LIMIT_SEARCH_TIME * 1000;
  return true;
}

static void begin(struct listing *listing, struct exchange *x)
{
  memset(listing, 0, sizeof *listing);
  listing->x = x;
  listing->body = (struct buffer)BUFFER(MB(8));
  listing->writer = (struct json_writer){ .out = &listing->body };
  json_begin_object(&listing->writer);
  json_key(&listing->writer, "items");
  json_begin_array(&listing->writer);
}

bool listing_query(struct listing *listing, struct exchange *x, const struct list_form *form)
{
  begin(listing, x);
  long long limit = LISTING_DEFAULT;
  bool good = exchange_query_integer(x, "limit", 1, LIMIT_LIST, &limit);
  good &= take_conditions(listing, form);
  good &= take_sort(listing, form);
  good &= take_fields(listing, form);
  good &= take_search(listing);
  listing->query.limit = (size_t)limit;
  cursor_digest(x, listing->digest);
  const char *cursor = exchange_query(x, "cursor");
  if (cursor && !cursor_read(cursor, listing->digest, &listing->query.key))
    good = fault(listing, "cursor", FAULT_PATTERN, "is no cursor that this query gave; a changed query begins anew",
                 cursor);
  if (!good) listing_refuse(listing);
  return good;
}

/* -- items -- */

static bool is_asked(const char *fields, struct json_slice key)
{
  for (const char *p = fields; p && *p; p += *p == ',') {
    size_t length = strcspn(p, ",");
    if (length == key.length && !memcmp(p, key.data, length)) return true;
    p += length;
  }
  return false;
}

void listing_item(struct listing *listing, const struct buffer *item)
{
  struct json_writer *w = &listing->writer;
  if (!buffer_ok(item)) {
    listing->body.failure = item->failure;
    return;
  }
  if (!listing->fields) {
    json_write_raw_n(w, item->data, item->length);
    return;
  }
  struct json_reader r;
  struct json_slice key, raw;
  char name[LISTING_NAME_SIZE];
  json_reader_init(&r, item->data, item->length, NULL);
  json_begin_object(w);
  json_enter_object(&r, NULL);
  while (json_next_member(&r, &key)) {
    if (!json_skip(&r, &raw)) break;
    if (!is_asked(listing->fields, key) || json_slice_decode(key, name, sizeof name) >= sizeof name) continue;
    json_key(w, name), json_write_raw_n(w, raw.data, raw.length);
  }
  json_end_object(w);
}

void listing_end(struct listing *listing, enum armdyn_status status)
{
  if (status) {
    buffer_release(&listing->body);
    if (status == ARMDYN_EUNAVAILABLE && listing->query.search)
      answer_problem(listing->x, PROBLEM_UNAVAILABLE,
                     "q was looked for in more rows than %d s are enough for: leave fewer by other conditions",
                     LIMIT_SEARCH_TIME);
    else
      answer_status(listing->x, status, NULL);
    return;
  }
  struct json_writer *w = &listing->writer;
  char cursor[CURSOR_SIZE];
  const char *next = listing->query.more ? cursor_write(&listing->query.key, listing->digest, cursor) : NULL;
  json_end_array(w);
  json_key(w, "next_cursor"), json_write_text(w, next);
  if (listing->totals) json_key(w, "totals"), json_write_raw(w, listing->totals);
  json_end_object(w);
  answer_json(listing->x, 200, &listing->body);
}
