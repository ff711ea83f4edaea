/* Aliases: names that stand for a revision of a robot, such as "production". */
#include "api/json/fields.h"
#include "api/read_only.h"
#include "server/app.h"
#include "server/routes/robots.h"
#include "server/routes/versioned.h"

struct alias_request {
  int64_t revision;
  char reason[STORE_REASON_SIZE];
};
static const struct json_field request_fields[] = {
  { INTEGER(struct alias_request, revision, BETWEEN(1, 1e15), NULL), REQUIRED },
  { TEXT(struct alias_request, reason) },
  READ_ONLY_ALIAS,
};
static const struct json_type request_type = JSON_TYPE("an alias", request_fields, struct alias_request, NULL, NULL);

static enum armdyn_status encode(struct exchange *x, bool made, const void *stored, struct buffer *out)
{
  (void)x, (void)made;
  const struct store_alias *row = stored;
  struct json_writer w = { .out = out };
  json_begin_object(&w);
  json_key(&w, "robot"), json_write_text(&w, row->robot);
  json_key(&w, "alias"), json_write_text(&w, row->alias);
  json_key(&w, "revision"), json_write_integer(&w, row->revision);
  json_key(&w, "reason"), json_write_text(&w, row->reason);
  json_key(&w, "changed_at"), json_write_text(&w, row->changed_at);
  json_end_object(&w);
  return out->failure;
}

static bool name_is_good(struct exchange *x)
{
  const char *name = exchange_segment(x, "alias");
  if (alias_is_good(name)) return true;
  answer_problem(x, PROBLEM_INVALID, "an alias must be %s, neither a number nor latest, got '%.64s'",
                 json_name_pattern.words, name);
  return false;
}

static enum armdyn_status get_row(struct exchange *x, const char *name, void *row)
{
  return store_alias_get(exchange_app(x)->store, exchange_segment(x, "robot"), name, row);
}

static bool read_body(struct exchange *x, const char *name, void *row)
{
  size_t length;
  const char *body = exchange_body(x, &length);
  struct alias_request request = { .revision = 0 };
  struct store_alias *to = row;
  enum armdyn_status status = json_decode(body, length, &request_type, &request, NULL, exchange_faults(x));
  if (status) answer_status(x, status, NULL);
  snprintf(to->robot, sizeof to->robot, "%s", exchange_segment(x, "robot"));
  snprintf(to->alias, sizeof to->alias, "%s", name);
  memcpy(to->reason, request.reason, sizeof to->reason);
  to->revision = request.revision;
  return !status;
}

static enum armdyn_status put(struct exchange *x, void *row, int64_t expected, const struct store_idempotency *once)
{
  (void)once; /* there is no POST */
  struct store_alias *to = row;
  enum armdyn_status status = store_alias_put(exchange_app(x)->store, to, expected);
  if (status == ARMDYN_ECONFLICT) {
    status = ARMDYN_EINPUT;
    fault_add(exchange_faults(x), FAULT_AT_POINTER, "/revision", FAULT_INCONSISTENT, "robot '%s' has no revision %lld",
              to->robot, (long long)to->revision);
  }
  return status;
}

static bool remove_row(struct exchange *x, int64_t expected)
{
  return versioned_found(
      x, &aliases,
      store_alias_delete(exchange_app(x)->store, exchange_segment(x, "robot"), exchange_segment(x, "alias"), expected));
}

static void visit(void *listing, const struct store_alias *row)
{
  versioned_item(listing, &aliases, row);
}

static enum armdyn_status list(struct exchange *x, struct listing *listing)
{
  return store_alias_list(exchange_app(x)->store, exchange_segment(x, "robot"), &listing->query, visit, listing);
}

const struct versioned aliases = {
  .noun = "alias",
  .article = "an",
  .segment = "alias",
  .collection = "aliases",
  .of_robot = true,
  .size = sizeof(struct store_alias),
  .version_at = offsetof(struct store_alias, version),
  .name_at = offsetof(struct store_alias, alias),
  .admit = robot_is_there,
  .admit_put = name_is_good,
  .get = get_row,
  .encode = encode,
  .read = read_body,
  .put = put,
  .remove = remove_row,
  .form = &(const struct list_form){ .sorts = "alias revision changed_at",
                                     .order = "alias",
                                     .fields = "robot alias revision reason changed_at" },
  .list = list,
};
