/* Aliases: names that stand for a revision of a robot, such as "production". */
#include "api/json/fields.h"
#include "server/app.h"
#include "server/http/preconditions.h"
#include "server/robots/cache.h"
#include "server/routes/handlers.h"
#include "server/routes/listing.h"
#include "server/routes/robots.h"

struct alias_request {
  int64_t revision;
  char reason[STORE_REASON_SIZE];
};
static const struct json_field request_fields[] = {
  { INTEGER(struct alias_request, revision, BETWEEN(1, 1e15), NULL), REQUIRED },
  { TEXT(struct alias_request, reason) },
  { READ_ONLY("alias") },
  { READ_ONLY("robot") },
  { READ_ONLY("changed_at") },
};
static const struct json_type request_type = JSON_TYPE("an alias", request_fields, struct alias_request, NULL, NULL);

static bool found(struct exchange *x, enum armdyn_status status)
{
  const char *robot = exchange_segment(x, "robot"), *alias = exchange_segment(x, "alias");
  if (status == ARMDYN_ENOTFOUND)
    answer_problem(x, PROBLEM_NOT_FOUND, "robot '%.64s' has no alias '%.64s'", robot, alias);
  else if (status == ARMDYN_ESTALE)
    answer_problem(x, PROBLEM_STALE, NULL);
  else if (status == ARMDYN_EEXISTS)
    answer_problem(x, PROBLEM_STALE, "robot '%.64s' has an alias '%.64s' already", robot, alias);
  else if (status)
    answer_status(x, status, NULL);
  return status == ARMDYN_OK;
}

/* Is the robot there, and not hidden? false: answered. */
static bool robot_is_there(struct exchange *x)
{
  const struct robot_entry *entry;
  enum outcome outcome;
  if (!robot_of_request(x, NULL, &entry, &outcome)) return false;
  robots_release(exchange_app(x)->robots, entry);
  return true;
}

static void encode(struct json_writer *w, const struct store_alias *row)
{
  json_begin_object(w);
  json_key(w, "robot"), json_write_text(w, row->robot);
  json_key(w, "alias"), json_write_text(w, row->alias);
  json_key(w, "revision"), json_write_integer(w, row->revision);
  json_key(w, "reason"), json_write_text(w, row->reason);
  json_key(w, "changed_at"), json_write_text(w, row->changed_at);
  json_end_object(w);
}

static void answer(struct exchange *x, int http_status, const struct store_alias *row)
{
  struct buffer body = BUFFER(KB(16));
  struct json_writer w = { .out = &body };
  encode(&w, row);
  if (http_status == 201) exchange_set_header(x, "Location", "/v1/robots/%s/aliases/%s", row->robot, row->alias);
  answer_etag(x, row->version);
  answer_json(x, http_status, &body);
}

enum outcome alias_get(struct exchange *x)
{
  struct store_alias row;
  if (!robot_is_there(x)) return ANSWERED;
  if (!found(x,
             store_alias_get(exchange_app(x)->store, exchange_segment(x, "robot"), exchange_segment(x, "alias"), &row)))
    return ANSWERED;
  if (!answered_not_modified(x, row.version)) answer(x, 200, &row);
  return ANSWERED;
}

/* What the request demands of the version there is; 0: none may be there. false: answered. */
static bool demanded(struct exchange *x, bool may_create, int64_t *version)
{
  struct store_alias row = { .version = 0 };
  enum armdyn_status status =
      store_alias_get(exchange_app(x)->store, exchange_segment(x, "robot"), exchange_segment(x, "alias"), &row);
  const bool creating = may_create && exchange_header(x, "If-None-Match");
  if (!(creating && status == ARMDYN_ENOTFOUND) && !found(x, status)) return false;
  *version = row.version;
  const enum precondition wanted = exchange_precondition(x, may_create, version);
  if (wanted == EXPECT_REFUSED) return false;
  if (wanted != EXPECT_NONE) return *version == row.version || found(x, ARMDYN_ESTALE);
  *version = 0;
  return !row.version || found(x, ARMDYN_EEXISTS);
}

enum outcome alias_put(struct exchange *x)
{
  size_t length;
  const char *body = exchange_body(x, &length), *name = exchange_segment(x, "alias");
  struct alias_request request = { .revision = 0 };
  struct store_alias row = { .version = 0 };
  int64_t version;
  if (!robot_is_there(x)) return ANSWERED;
  if (!alias_is_good(name)) {
    answer_problem(x, PROBLEM_INVALID, "an alias must be %s, neither a number nor latest, got '%.64s'",
                   json_name_pattern.words, name);
    return ANSWERED;
  }
  if (!demanded(x, true, &version)) return ANSWERED;
  enum armdyn_status status = json_decode(body, length, &request_type, &request, NULL, exchange_faults(x));
  if (status) {
    answer_status(x, status, NULL);
    return ANSWERED;
  }
  snprintf(row.robot, sizeof row.robot, "%s", exchange_segment(x, "robot"));
  snprintf(row.alias, sizeof row.alias, "%s", name);
  memcpy(row.reason, request.reason, sizeof row.reason);
  row.revision = request.revision;
  status = store_alias_put(exchange_app(x)->store, &row, version);
  if (status == ARMDYN_ECONFLICT) {
    fault_add(exchange_faults(x), FAULT_AT_POINTER, "/revision", FAULT_INCONSISTENT, "robot '%s' has no revision %lld",
              row.robot, (long long)row.revision);
    answer_problem(x, PROBLEM_INVALID, NULL);
  } else if (found(x, status)) {
    answer(x, version ? 200 : 201, &row);
  }
  return ANSWERED;
}

enum outcome alias_delete(struct exchange *x)
{
  int64_t version;
  if (robot_is_there(x) && demanded(x, false, &version) &&
      found(x, store_alias_delete(exchange_app(x)->store, exchange_segment(x, "robot"), exchange_segment(x, "alias"),
                                  version)))
    answer_empty(x, 204);
  return ANSWERED;
}

static void visit(void *context, const struct store_alias *row)
{
  struct buffer item = BUFFER(KB(16));
  encode(&(struct json_writer){ .out = &item }, row);
  listing_item(context, &item);
  buffer_release(&item);
}

enum outcome alias_list(struct exchange *x)
{
  static const struct list_form form = {
    .sorts = "alias revision changed_at",
    .order = "alias",
    .fields = "robot alias revision reason changed_at",
  };
  struct listing listing;
  if (!robot_is_there(x) || !listing_query(&listing, x, &form)) return ANSWERED;
  listing_end(&listing,
              store_alias_list(exchange_app(x)->store, exchange_segment(x, "robot"), &listing.query, visit, &listing));
  return ANSWERED;
}
