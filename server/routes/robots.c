/* Robots: models under a name, with immutable revisions. The revision is the ETag. */
#include "server/routes/robots.h"
#include "api/codec/robot.h"
#include "api/codec/robot_import.h"
#include "api/json/writer.h"
#include "api/urdf/urdf.h"
#include "api/wire/nearest.h"
#include "server/app.h"
#include "server/http/idempotency.h"
#include "server/http/preconditions.h"
#include "server/robots/cache.h"
#include "server/routes/handlers.h"
#include "server/routes/listing.h"

static const size_t MODEL_ANSWER_MOST = 4 * LIMIT_MODEL_BODY;

bool alias_is_good(const char *alias)
{
  return json_name_pattern.matches(alias) && strcmp(alias, "latest") != 0 && alias[strspn(alias, "0123456789")];
}

/* The number that an alias stands for. false: answered, or *outcome is BLOCKS. */
static bool revision_of_alias(struct exchange *x, const char *alias, int64_t *revision, enum outcome *outcome)
{
  struct store_alias row;
  if (!exchange_may_block(x)) {
    *outcome = BLOCKS;
    return false;
  }
  const char *name = exchange_segment(x, "robot");
  enum armdyn_status status = store_alias_get(exchange_app(x)->store, name, alias, &row);
  *revision = row.revision;
  if (status == ARMDYN_ENOTFOUND)
    answer_problem(x, PROBLEM_NOT_FOUND, "robot '%s' has no alias '%s'", name, alias);
  else if (status)
    answer_status(x, status, NULL);
  return !status;
}

/* ?revision=: a number, latest (0), or an alias. false: answered, or *outcome is BLOCKS. */
static bool asked_revision(struct exchange *x, const char *text, int64_t *revision, enum outcome *outcome)
{
  *revision = 0;
  if (!text || !strcmp(text, "latest")) return true;
  size_t digits = strspn(text, "0123456789");
  if (digits && digits <= 15 && !text[digits]) *revision = strtoll(text, NULL, 10);
  if (*revision > 0) return true;
  if (alias_is_good(text)) return revision_of_alias(x, text, revision, outcome);
  fault_add(exchange_faults(x), FAULT_AT_PARAMETER, "revision", FAULT_PATTERN,
            "must be the number of a revision, latest or an alias, got '%.64s'", text);
  answer_problem(x, PROBLEM_INVALID, NULL);
  return false;
}

/* -- which one was meant? -- */

enum { SUGGESTED_FROM = 200 }; /* names that a wrong one is compared with, the latest */

struct robot_names {
  char name[SUGGESTED_FROM][ARMDYN_NAME_SIZE];
  size_t count;
};

static void visit_name(void *context, const struct store_robot *row)
{
  struct robot_names *names = context;
  memcpy(names->name[names->count++], row->name, sizeof row->name);
}

static const char *robot_name(const void *list, size_t index)
{
  return ((const struct robot_names *)list)->name[index];
}

static void answer_no_robot(struct exchange *x, const char *name)
{
  struct robot_names names = { .count = 0 };
  struct store_query latest = { .limit = SUGGESTED_FROM };
  store_robot_list(exchange_app(x)->store, &latest, visit_name, &names); /* failed: nothing is suggested */
  const char *meant = nearest(name, robot_name, &names, names.count);
  if (meant)
    answer_problem(x, PROBLEM_NOT_FOUND, "there is no robot '%s'; did you mean '%s'?", name, meant);
  else
    answer_problem(x, PROBLEM_NOT_FOUND, "there is no robot '%s'; `GET /v1/robots` lists those that are", name);
}

bool robot_of_request(struct exchange *x, const char *revision_text, const struct robot_entry **entry,
                      enum outcome *outcome)
{
  int64_t revision;
  *outcome = ANSWERED;
  if (!asked_revision(x, revision_text, &revision, outcome)) return false;
  const char *name = exchange_segment(x, "robot");
  enum armdyn_status status = robots_get(exchange_app(x)->robots, name, revision, exchange_may_block(x), entry);
  if (status == ARMDYN_OK) return true;
  if (status == ARMDYN_EUNAVAILABLE && !exchange_may_block(x))
    *outcome = BLOCKS;
  else if (status == ARMDYN_ENOTFOUND && revision)
    answer_problem(x, PROBLEM_NOT_FOUND, "robot '%s' has no revision %lld", name, (long long)revision);
  else if (status == ARMDYN_ENOTFOUND)
    answer_no_robot(x, name);
  else
    answer_status(x, status, NULL);
  return false;
}

bool robot_is_there(struct exchange *x)
{
  const struct robot_entry *entry;
  enum outcome outcome;
  if (!robot_of_request(x, exchange_query(x, "revision"), &entry, &outcome)) return false;
  robots_release(exchange_app(x)->robots, entry);
  return true;
}

void robot_row_write(struct json_writer *w, const void *of)
{
  const struct store_robot *row = of;
  json_key(w, "revision"), json_write_integer(w, row->revision);
  json_key(w, "created_at"), json_write_text(w, row->created_at);
  json_key(w, "unphysical"), json_write_truth(w, row->unphysical);
  if (*row->reason) json_key(w, "reason"), json_write_text(w, row->reason);
  if (*row->identification) json_key(w, "identification"), json_write_text(w, row->identification);
}

static void answer_resource(struct exchange *x, int http_status, const struct armdyn_robot_description *robot,
                            const struct store_robot *row, const struct robot_notes *notes)
{
  const struct robot_resource resource = { robot, notes, robot_row_write, row };
  struct buffer body = BUFFER(MODEL_ANSWER_MOST);
  robot_resource_encode(&resource, &body);
  answer_etag(x, row->revision);
  answer_json(x, http_status, &body);
}

static void answer_entry(struct exchange *x, int http_status, const struct robot_entry *entry)
{
  answer_resource(x, http_status, armdyn_robot_description(entry->robot), &entry->row, NULL);
}

static void answer_urdf(struct exchange *x, const struct robot_entry *entry)
{
  struct buffer body = BUFFER(MODEL_ANSWER_MOST);
  urdf_encode(armdyn_robot_description(entry->robot), &body);
  answer_etag(x, entry->revision);
  answer_bytes(x, 200, media_type(MEDIA_XML), &body);
}

static enum outcome get(struct exchange *x, const char *revision)
{
  const struct robot_entry *entry;
  enum outcome outcome;
  if (!robot_of_request(x, revision, &entry, &outcome)) return outcome;
  exchange_set_header(x, "Vary", "Accept");
  if (!answered_not_modified(x, entry->revision)) {
    if (exchange_answer_media(x) == MEDIA_XML)
      answer_urdf(x, entry);
    else
      answer_entry(x, 200, entry);
  }
  robots_release(exchange_app(x)->robots, entry);
  return ANSWERED;
}

enum outcome robot_get(struct exchange *x)
{
  return get(x, exchange_query(x, "revision"));
}

enum outcome robot_revision_get(struct exchange *x)
{
  const char *revision = exchange_segment(x, "revision");
  size_t digits = strspn(revision, "0123456789");
  if (digits && digits <= 15 && !revision[digits] && strtoll(revision, NULL, 10)) return get(x, revision);
  answer_problem(x, PROBLEM_NOT_FOUND, "revisions are numbers from 1, got '%.64s'", revision);
  return ANSWERED;
}

/* -- writing -- */

/* A model from the body, ready for the store. */
struct draft {
  struct armdyn_robot_description *model;
  struct robot_notes *notes; /* of an import; NULL: none */
  struct store_robot row;
};

static void draft_release(struct draft *draft)
{
  store_robot_release(&draft->row);
  free(draft->model);
  free(draft->notes);
}

/* A body in JSON states its name itself, and only a URDF has links to choose from. false: a fault. */
static bool parameters_belong(struct exchange *x, enum media media)
{
  static const char *const names[] = { "root", "tip", "name" };
  const size_t foreign = media == MEDIA_XML ? 0 : media == MEDIA_JSON ? 3 : 2;
  size_t before = exchange_faults(x)->count;
  for (size_t i = 0; i < foreign; i++)
    if (exchange_query(x, names[i]))
      fault_add(exchange_faults(x), FAULT_AT_PARAMETER, names[i], FAULT_UNSUPPORTED, "does not go with %s",
                media_type(media));
  return exchange_faults(x)->count == before;
}

/* The model in the body, in any form. name: of the path, or NULL. */
static enum armdyn_status decode_body(struct exchange *x, const char *name, bool allow_unphysical, struct draft *draft)
{
  size_t length;
  const char *body = exchange_body(x, &length), *asked = exchange_query(x, "name");
  const struct robot_import how = { exchange_body_media(x), asked ? asked : name, exchange_query(x, "root"),
                                    exchange_query(x, "tip"), allow_unphysical };
  if (!parameters_belong(x, how.media)) return ARMDYN_EINPUT;
  draft->notes = calloc(1, sizeof *draft->notes);
  if (!draft->notes) return ARMDYN_EMEMORY;
  return robot_import(&how, body, length, draft->model, &draft->row.unphysical, draft->notes, exchange_faults(x));
}

/* false: answered. */
static bool draft_read(struct exchange *x, const char *name, struct draft *draft)
{
  memset(draft, 0, sizeof *draft);
  bool allow_unphysical = false;
  if (!exchange_query_truth(x, "allow_unphysical", &allow_unphysical)) {
    answer_problem(x, PROBLEM_INVALID, NULL);
    return false;
  }
  struct faults *faults = exchange_faults(x);
  struct buffer document = BUFFER(MODEL_ANSWER_MOST);
  enum armdyn_status status = ARMDYN_EMEMORY;
  draft->model = malloc(sizeof *draft->model);
  if (!draft->model) goto out;
  status = decode_body(x, name, allow_unphysical, draft);
  if (!status && name && strcmp(name, draft->model->name)) {
    bool asked = exchange_query(x, "name"); /* with what is no JSON */
    fault_add(faults, asked ? FAULT_AT_PARAMETER : FAULT_AT_POINTER, asked ? "name" : "/name", FAULT_INCONSISTENT,
              "must be '%s' as in the path, got '%s'", name, draft->model->name);
    status = ARMDYN_EINPUT;
  }
  if (status) goto out;
  robot_encode(draft->model, &document);
  status = document.failure;
  size_t length;
  draft->row.document = buffer_take(&document, &length);
  snprintf(draft->row.name, sizeof draft->row.name, "%s", draft->model->name);
out:
  buffer_release(&document);
  if (!status) return true;
  answer_status(x, status, NULL);
  draft_release(draft);
  return false;
}

static void answer_draft(struct exchange *x, int http_status, const struct draft *draft)
{
  robots_changed(exchange_app(x)->robots, draft->row.name);
  if (http_status == 201) exchange_set_header(x, "Location", "/v1/robots/%s", draft->row.name);
  answer_resource(x, http_status, draft->model, &draft->row, draft->notes);
}

/* The answer to a repeated POST: the robot that the first one made, as it is now. */
static void replay(struct exchange *x, const char *href)
{
  struct robots *robots = exchange_app(x)->robots;
  const char *slash = strrchr(href, '/');
  const struct robot_entry *entry;
  enum armdyn_status status = robots_get(robots, slash ? slash + 1 : href, 0, true, &entry);
  if (status) {
    answer_problem(x, PROBLEM_NOT_FOUND, "the robot that this request made (%s) is gone", href);
    return;
  }
  exchange_set_header(x, "Location", "%s", href);
  answer_entry(x, 201, entry);
  robots_release(robots, entry);
}

static void create(struct exchange *x, const struct idempotency *once, void *unused)
{
  (void)unused;
  struct draft draft;
  if (!draft_read(x, NULL, &draft)) return;
  enum armdyn_status status = store_robot_create(exchange_app(x)->store, &draft.row, idempotency_key(once));
  if (status == ARMDYN_OK)
    answer_draft(x, 201, &draft);
  else if (status == ARMDYN_EEXISTS)
    answer_problem(x, PROBLEM_CONFLICT, "there is a robot '%s' already", draft.row.name);
  else
    answer_status(x, status, NULL);
  draft_release(&draft);
}

enum outcome robot_create(struct exchange *x)
{
  idempotency_run(x, false, replay, create, NULL);
  return ANSWERED;
}

/* The newest revision; false: answered. */
static bool newest_revision(struct exchange *x, int64_t *revision)
{
  const struct robot_entry *entry;
  enum outcome outcome;
  if (!robot_of_request(x, NULL, &entry, &outcome)) return false;
  *revision = entry->revision;
  robots_release(exchange_app(x)->robots, entry);
  return true;
}

static void answer_stale(struct exchange *x, int64_t expected)
{
  answer_problem(x, PROBLEM_STALE, "revision %lld is not the newest any more", (long long)expected);
}

/* The newest revision if it says what the draft does: who puts that again, after a lost answer, changes nothing. NULL: it
 * does not. */
static const struct robot_entry *said_already(struct exchange *x, const struct draft *draft, int64_t expected)
{
  struct robots *robots = exchange_app(x)->robots;
  const struct robot_entry *entry;
  if (robots_get(robots, draft->row.name, 0, true, &entry)) return NULL;
  struct buffer document = BUFFER(MODEL_ANSWER_MOST);
  robot_encode(armdyn_robot_description(entry->robot), &document);
  char *present = buffer_take(&document, NULL);
  const bool same = present && entry->revision == expected && entry->row.unphysical == draft->row.unphysical &&
                    !strcmp(present, draft->row.document);
  free(present);
  buffer_release(&document);
  if (same) return entry;
  robots_release(robots, entry);
  return NULL;
}

static void replace(struct exchange *x, struct draft *draft, enum precondition precondition, int64_t expected)
{
  struct store *store = exchange_app(x)->store;
  bool creates = precondition == EXPECT_NONE;
  const struct robot_entry *present = creates ? NULL : said_already(x, draft, expected);
  if (present) {
    answer_resource(x, 200, draft->model, &present->row, draft->notes);
    robots_release(exchange_app(x)->robots, present);
    return;
  }
  enum armdyn_status status =
      creates ? store_robot_create(store, &draft->row, NULL) : store_robot_update(store, &draft->row, expected);
  if (status == ARMDYN_OK)
    answer_draft(x, creates ? 201 : 200, draft);
  else if (status == ARMDYN_EEXISTS)
    answer_problem(x, PROBLEM_STALE, "there is a robot '%s' already", draft->row.name);
  else if (status == ARMDYN_ESTALE)
    answer_stale(x, expected);
  else
    answer_status(x, status, NULL);
}

enum outcome robot_put(struct exchange *x)
{
  int64_t newest = 0, expected;
  if (!exchange_header(x, "If-None-Match") && !newest_revision(x, &newest)) return ANSWERED;
  expected = newest;
  enum precondition precondition = exchange_precondition(x, true, &expected);
  if (precondition == EXPECT_REFUSED) return ANSWERED;
  if (precondition != EXPECT_NONE && expected != newest) {
    answer_stale(x, expected);
    return ANSWERED;
  }
  struct draft draft;
  if (!draft_read(x, exchange_segment(x, "robot"), &draft)) return ANSWERED;
  replace(x, &draft, precondition, expected);
  draft_release(&draft);
  return ANSWERED;
}

enum outcome robot_delete(struct exchange *x)
{
  int64_t expected;
  bool archive = false;
  if (!newest_revision(x, &expected)) return ANSWERED;
  if (exchange_precondition(x, false, &expected) == EXPECT_REFUSED) return ANSWERED;
  if (!exchange_query_truth(x, "archive", &archive)) {
    answer_problem(x, PROBLEM_INVALID, NULL);
    return ANSWERED;
  }
  const char *name = exchange_segment(x, "robot");
  enum armdyn_status status = store_robot_delete(exchange_app(x)->store, name, expected, archive);
  if (status == ARMDYN_OK) {
    robots_changed(exchange_app(x)->robots, name);
    answer_empty(x, 204);
  } else if (status == ARMDYN_ESTALE) {
    answer_stale(x, expected);
  } else if (status == ARMDYN_ECONFLICT) {
    answer_problem(x, PROBLEM_CONFLICT, "results or controllers refer to '%s'; archive=true hides it and keeps them",
                   name);
  } else {
    answer_status(x, status, NULL);
  }
  return ANSWERED;
}

/* -- lists -- */

/* What the model itself says of a robot; a list is no place to fail, so what cannot be had is left out. */
static void write_model_summary(struct robots *robots, const struct store_robot *row, struct json_writer *w)
{
  const struct robot_entry *entry;
  if (robots_get(robots, row->name, row->revision, true, &entry)) return;
  json_key(w, "joints"), json_write_integer(w, (long long)armdyn_robot_joint_count(entry->robot));
  json_key(w, "description"), json_write_text(w, armdyn_robot_description(entry->robot)->description);
  robots_release(robots, entry);
}

static void list_item(struct listing *listing, const struct store_robot *row, const char *href)
{
  struct buffer item = BUFFER(KB(64));
  struct json_writer w = { .out = &item };
  json_begin_object(&w);
  json_key(&w, "name"), json_write_text(&w, row->name);
  robot_row_write(&w, row);
  write_model_summary(exchange_app(listing->x)->robots, row, &w);
  json_key(&w, "href"), json_write_text(&w, href);
  json_end_object(&w);
  listing_item(listing, &item);
  buffer_release(&item);
}

static void visit_robot(void *context, const struct store_robot *row)
{
  char href[128];
  snprintf(href, sizeof href, "/v1/robots/%s", row->name);
  list_item(context, row, href);
}

static void visit_revision(void *context, const struct store_robot *row)
{
  char href[128];
  snprintf(href, sizeof href, "/v1/robots/%s/revisions/%lld", row->name, (long long)row->revision);
  list_item(context, row, href);
}

#define MEMBERS "name revision created_at unphysical reason identification joints description href"

enum outcome robot_list(struct exchange *x)
{
  static const struct list_form form = { .sorts = "name created_at revision", .order = "name", .fields = MEMBERS };
  struct listing listing;
  if (!listing_query(&listing, x, &form)) return ANSWERED;
  listing_end(&listing, store_robot_list(exchange_app(x)->store, &listing.query, visit_robot, &listing));
  return ANSWERED;
}

enum outcome robot_revision_list(struct exchange *x)
{
  static const struct list_form form = { .sorts = "revision created_at", .order = "-revision", .fields = MEMBERS };
  struct listing listing;
  int64_t newest;
  if (!newest_revision(x, &newest) || !listing_query(&listing, x, &form)) return ANSWERED;
  listing_end(&listing, store_robot_revisions(exchange_app(x)->store, exchange_segment(x, "robot"), &listing.query,
                                              visit_revision, &listing));
  return ANSWERED;
}
