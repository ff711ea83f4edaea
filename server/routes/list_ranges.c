#include "server/routes/list_ranges.h"

#include "api/json/writer.h"

static void add(struct listing *listing, struct store_filter filter)
{
  listing->query.filters[listing->query.filter_count++] = filter; /* of LISTING_OWN */
}

/* A '+' that nobody escaped became a space on its way; a time has none before its offset otherwise. */
bool list_time(struct exchange *x, const char *name, int64_t *ms)
{
  enum { OFFSET = sizeof " hh:mm" - 1, LONGEST = 63 };
  const char *text = exchange_query(x, name);
  if (!text) return true;
  char whole[LONGEST + 1];
  const int length = snprintf(whole, sizeof whole, "%s", text);
  if (length >= OFFSET && length <= LONGEST && whole[length - OFFSET] == ' ') whole[length - OFFSET] = '+';
  *ms = length <= LONGEST ? clock_parse(whole) : -1;
  if (*ms < 0)
    fault_add(exchange_faults(x), FAULT_AT_PARAMETER, name, FAULT_PATTERN,
              "must be an RFC 3339 time, such as 2025-01-31T12:00:00Z or 2025-01-31T13:00:00+01:00, got '%.64s'", text);
  return *ms >= 0;
}

bool list_times(struct listing *listing, struct list_ranges *ranges)
{
  static const struct {
    const char *parameter, *column;
    enum store_match match;
  } known[] = {
    { "created_after", "created_at", STORE_AT_LEAST },
    { "created_before", "created_at", STORE_BELOW },
    { "finished_after", "finished_at", STORE_AT_LEAST },
    { "finished_before", "finished_at", STORE_BELOW },
  };
  bool good = true;
  for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
    int64_t ms = -1;
    good &= list_time(listing->x, known[k].parameter, &ms);
    if (ms < 0) continue;
    clock_format(ms, ranges->times[k]);
    add(listing, (struct store_filter){ .name = known[k].column, .match = known[k].match, .text = ranges->times[k] });
  }
  return good;
}

static bool is_among(const char *const *names, size_t count, const char *word, size_t length)
{
  size_t k = 0;
  while (k < count && (strlen(names[k]) != length || memcmp(names[k], word, length) != 0)) k++;
  return k < count;
}

bool list_words(struct listing *listing, const char *parameter, const char *const *names, size_t count)
{
  for (const char *word = exchange_query(listing->x, parameter);; word++) {
    const size_t length = strcspn(word, ",");
    if (!is_among(names, count, word, length)) {
      fault_add(exchange_faults(listing->x), FAULT_AT_PARAMETER, parameter, FAULT_ENUM,
                "must be %ss with commas between; there is no %s '%.*s'", parameter, parameter,
                length < 64 ? (int)length : 64, word);
      return false;
    }
    word += length;
    if (!*word) return true;
  }
}

bool list_states(struct listing *listing, const char *const *names, size_t count, struct list_ranges *ranges)
{
  const char *text = exchange_query(listing->x, "state");
  ranges->states[0] = '\0';
  if (!text) return true;
  if (!list_words(listing, "state", names, count)) return false;
  if (strlen(text) < sizeof ranges->states) {
    snprintf(ranges->states, sizeof ranges->states, "%s", text);
    return true;
  }
  fault_add(exchange_faults(listing->x), FAULT_AT_PARAMETER, "state", FAULT_MAXIMUM, "must name each state once");
  return false;
}

bool list_state_asked(const char *states, const char *name)
{
  for (const char *word = states; *word; word += *word == ',') {
    const size_t length = strcspn(word, ",");
    if (is_among(&name, 1, word, length)) return true;
    word += length;
  }
  return false;
}

void list_add_states(struct listing *listing, const struct list_ranges *ranges, const char *const *names)
{
  struct store_query *query = &listing->query;
  for (; *names; names++)
    if (list_state_asked(ranges->states, *names)) query->states[query->state_count++].name = *names;
}

void list_totals(struct listing *listing, const char *const *names, const int64_t *totals, size_t count,
                 struct buffer *out)
{
  struct json_writer w = { .out = out };
  json_begin_object(&w);
  for (size_t k = 0; k < count; k++) json_key(&w, names[k]), json_write_integer(&w, totals[k]);
  json_end_object(&w);
  if (!buffer_ok(out)) listing->body.failure = out->failure;
  listing->totals = out->data;
}
