#include "server/routes/alarms.h"

#include "server/alarms/alarms.h"
#include "server/app.h"
#include "server/http/auth.h"
#include "server/http/preconditions.h"
#include "server/routes/handlers.h"
#include "server/routes/list_ranges.h"

enum { ITEM_MOST = KB(8) };

void alarm_encode(const struct store_alarm *alarm, struct json_writer *w)
{
  json_begin_object(w);
  json_member_given(w, "id", alarm->id);
  json_member_given(w, "state", alarm_state_names[alarm->state]);
  json_member_given(w, "code", alarm->code);
  json_member_given(w, "source", alarm->source);
  json_member_given(w, "controller", alarm->controller);
  json_member_given(w, "text", alarm->text);
  json_member_given(w, "since", alarm->since);
  json_member_given(w, "until", alarm->until);
  json_member_given(w, "acknowledged_at", alarm->acknowledged_at);
  json_member_given(w, "acknowledged_by", alarm->acknowledged_by);
  json_end_object(w);
}

/* -- the list -- */

struct alarm_list {
  struct listing listing;
  struct list_ranges ranges;
  char from[TIME_SIZE], to[TIME_SIZE]; /* "": whenever */
  int64_t totals[ALARM_STATE_COUNT];
  bool first_page;
};

static void show(struct alarm_list *list, const struct store_alarm *alarm)
{
  struct buffer item = BUFFER(ITEM_MOST);
  alarm_encode(alarm, &(struct json_writer){ .out = &item });
  listing_item(&list->listing, &item);
  buffer_release(&item);
}

static void visit(void *context, const struct store_alarm *row)
{
  struct alarm_list *list = context;
  struct store_alarm alarm = *row;
  alarms_refresh(exchange_app(list->listing.x)->alarms, &alarm);
  show(list, &alarm);
}

static bool is_asked(struct exchange *x, const char *parameter, const char *value)
{
  const char *wanted = exchange_query(x, parameter);
  return !wanted || !strcmp(wanted, value);
}

/* One that the store could not take is not found by its query. */
static void visit_unstored(void *context, const struct store_alarm *alarm)
{
  struct alarm_list *list = context;
  struct exchange *x = list->listing.x;
  if (!is_asked(x, "code", alarm->code) || !is_asked(x, "source", alarm->source) ||
      !is_asked(x, "controller", alarm->controller) || list->listing.query.search)
    return;
  if (*list->to && strcmp(alarm->since, list->to) >= 0) return;
  if (*list->from && *alarm->until && strcmp(alarm->until, list->from) < 0) return;
  list->totals[alarm->state]++;
  const char *states = list->ranges.states;
  if (list->first_page && (!*states || list_state_asked(states, alarm_state_names[alarm->state]))) show(list, alarm);
}

static void add(struct store_query *query, struct store_filter filter)
{
  query->filters[query->filter_count++] = filter;
}

/* ?from=&to=: those that stood at any time in between. false: a fault. */
static bool take_range(struct alarm_list *list)
{
  struct store_query *query = &list->listing.query;
  int64_t from = -1, to = -1;
  bool good = list_time(list->listing.x, "from", &from);
  good &= list_time(list->listing.x, "to", &to);
  if (from >= 0) {
    clock_format(from, list->from);
    add(query, (struct store_filter){ .name = "stood_until", .match = STORE_AT_LEAST, .text = list->from });
  }
  if (to >= 0) {
    clock_format(to, list->to);
    add(query, (struct store_filter){ .name = "since", .match = STORE_BELOW, .text = list->to });
  }
  return good;
}

static enum armdyn_status list_all(struct alarm_list *list, struct buffer *totals)
{
  const struct app *app = exchange_app(list->listing.x);
  enum armdyn_status status = store_alarm_totals(app->store, &list->listing.query, list->totals);
  if (status) return status;
  alarms_unstored(app->alarms, visit_unstored, list);
  list_add_states(&list->listing, &list->ranges, alarm_state_names);
  list_totals(&list->listing, alarm_state_names, list->totals, ALARM_STATE_COUNT, totals);
  return store_alarm_list(app->store, &list->listing.query, visit, list);
}

enum outcome alarm_list(struct exchange *x)
{
  static const struct list_form form = {
    .filters = "controller code source",
    .sorts = "since until code controller state",
    .order = "-since",
    .fields = "id state code source controller text since until acknowledged_at acknowledged_by",
  };
  struct alarm_list list = { .first_page = !exchange_query(x, "cursor") };
  struct buffer totals = BUFFER(KB(1));
  if (!listing_query(&list.listing, x, &form)) return ANSWERED;
  bool good = list_states(&list.listing, alarm_state_names, ALARM_STATE_COUNT, &list.ranges);
  good &= take_range(&list);
  if (good)
    listing_end(&list.listing, list_all(&list, &totals));
  else
    listing_refuse(&list.listing);
  buffer_release(&totals);
  return ANSWERED;
}

/* -- one -- */

static void answer_alarm(struct exchange *x, const char *id, enum armdyn_status status, const struct store_alarm *alarm)
{
  struct buffer body = BUFFER(ITEM_MOST);
  if (status == ARMDYN_ENOTFOUND) {
    answer_problem(x, PROBLEM_NOT_FOUND, "there is no alarm '%.64s'", id);
  } else if (status) {
    answer_status(x, status, NULL);
  } else {
    alarm_encode(alarm, &(struct json_writer){ .out = &body });
    answer_document(x, &body);
  }
}

enum outcome alarm_get(struct exchange *x)
{
  struct store_alarm alarm;
  const char *id = exchange_segment(x, "alarm");
  answer_alarm(x, id, alarms_get(exchange_app(x)->alarms, id, &alarm), &alarm);
  return ANSWERED;
}

enum outcome alarm_acknowledge(struct exchange *x)
{
  struct store_alarm alarm;
  const struct caller *caller = exchange_caller(x);
  const char *id = exchange_segment(x, "alarm"), *by = *caller->name ? caller->name : caller->id;
  answer_alarm(x, id, alarms_acknowledge(exchange_app(x)->alarms, id, by, &alarm), &alarm);
  return ANSWERED;
}
