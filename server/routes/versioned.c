#include "server/routes/versioned.h"

#include <stdlib.h>

#include "server/http/idempotency.h"
#include "server/http/preconditions.h"
#include "server/routes/handlers.h"

/* What the store said of the one with this name. */
static bool found(struct exchange *x, const struct versioned *kind, const char *name, enum armdyn_status status)
{
  const char *robot = kind->of_robot ? exchange_segment(x, "robot") : "";
  /* Who creates meets one that he did not know of; who puts has said that there is none. */
  const enum problem taken = *exchange_segment(x, kind->segment) ? PROBLEM_STALE : PROBLEM_CONFLICT;
  if (status == ARMDYN_ENOTFOUND && kind->of_robot)
    answer_problem(x, PROBLEM_NOT_FOUND, "robot '%.64s' has no %s '%.64s'", robot, kind->noun, name);
  else if (status == ARMDYN_ENOTFOUND)
    answer_problem(x, PROBLEM_NOT_FOUND, "there is no %s '%.64s'", kind->noun, name);
  else if (status == ARMDYN_EEXISTS && kind->of_robot)
    answer_problem(x, taken, "robot '%.64s' has %s %s '%.64s' already", robot, kind->article, kind->noun, name);
  else if (status == ARMDYN_EEXISTS)
    answer_problem(x, taken, "there is %s %s '%.64s' already", kind->article, kind->noun, name);
  else if (status == ARMDYN_ELIMIT && kind->most)
    answer_problem(x, PROBLEM_CONFLICT, "there are %d %s already; delete some", kind->most, kind->collection);
  else if (status == ARMDYN_ESTALE)
    answer_problem(x, PROBLEM_STALE, NULL);
  else if (status)
    answer_status(x, status, NULL);
  return status == ARMDYN_OK;
}

bool versioned_found(struct exchange *x, const struct versioned *kind, enum armdyn_status status)
{
  return found(x, kind, exchange_segment(x, kind->segment), status);
}

static const char *name_of(const struct versioned *kind, const void *row)
{
  return (const char *)row + kind->name_at;
}

static int64_t version_of(const struct versioned *kind, const void *row)
{
  int64_t version;
  memcpy(&version, (const char *)row + kind->version_at, sizeof version);
  return version;
}

static void row_free(const struct versioned *kind, void *row)
{
  if (row && kind->release) kind->release(row);
  free(row);
}

/* NULL: what the store said is in *status, and nothing is answered. */
static void *get_row(struct exchange *x, const struct versioned *kind, const char *name, enum armdyn_status *status)
{
  void *row = calloc(1, kind->size);
  *status = row ? kind->get(x, name, row) : ARMDYN_EMEMORY;
  if (!*status) return row;
  row_free(kind, row);
  return NULL;
}

bool versioned_demanded(struct exchange *x, const struct versioned *kind, bool may_create, int64_t *expected)
{
  enum armdyn_status status;
  void *row = get_row(x, kind, exchange_segment(x, kind->segment), &status);
  const int64_t present = row ? version_of(kind, row) : 0;
  row_free(kind, row);
  const bool creating = may_create && exchange_header(x, "If-None-Match");
  if (!(creating && status == ARMDYN_ENOTFOUND) && !versioned_found(x, kind, status)) return false;
  *expected = present;
  const enum precondition wanted = exchange_precondition(x, may_create, expected);
  if (wanted == EXPECT_REFUSED) return false;
  if (wanted != EXPECT_NONE) return *expected == present || versioned_found(x, kind, ARMDYN_ESTALE);
  *expected = 0;
  return !present || versioned_found(x, kind, ARMDYN_EEXISTS);
}

bool versioned_is_named(struct exchange *x, const char *name, const char *said)
{
  if (!name || !strcmp(name, said)) return true;
  fault_add(exchange_faults(x), FAULT_AT_POINTER, "/name", FAULT_INCONSISTENT, "must be '%s' as in the path, got '%s'",
            name, said);
  return false;
}

/* 201 with its Location: it was made now, or by the same request before. */
static void answer(struct exchange *x, const struct versioned *kind, int http_status, bool made, const void *row)
{
  struct buffer body = BUFFER(LIMIT_ANSWER);
  const enum armdyn_status status = kind->encode(x, made, row, &body);
  const char *name = name_of(kind, row);
  if (found(x, kind, name, status)) {
    if (http_status == 201 && kind->of_robot)
      exchange_set_header(x, "Location", "/v1/robots/%s/%s/%s", exchange_segment(x, "robot"), kind->collection, name);
    else if (http_status == 201)
      exchange_set_header(x, "Location", "/v1/%s/%s", kind->collection, name);
    answer_etag(x, version_of(kind, row));
    answer_json(x, http_status, &body);
  }
  buffer_release(&body);
}

void versioned_answer(struct exchange *x, const struct versioned *kind, const void *row)
{
  answer(x, kind, 200, false, row);
}

static bool admitted(struct exchange *x, bool (*admit)(struct exchange *x))
{
  return !admit || admit(x);
}

enum outcome versioned_get(struct exchange *x)
{
  const struct versioned *kind = exchange_about(x);
  enum armdyn_status status;
  if (!admitted(x, kind->admit)) return ANSWERED;
  void *row = get_row(x, kind, exchange_segment(x, kind->segment), &status);
  if (versioned_found(x, kind, status) && !answered_not_modified(x, version_of(kind, row)))
    versioned_answer(x, kind, row);
  row_free(kind, row);
  return ANSWERED;
}

static void replay(struct exchange *x, const char *href)
{
  const struct versioned *kind = exchange_about(x);
  const char *name = strrchr(href, '/') + 1;
  enum armdyn_status status;
  void *row = get_row(x, kind, name, &status);
  if (found(x, kind, name, status)) answer(x, kind, 201, false, row);
  row_free(kind, row);
}

static void create(struct exchange *x, const struct idempotency *once, void *unused)
{
  const struct versioned *kind = exchange_about(x);
  (void)unused;
  if (!admitted(x, kind->admit)) return;
  void *row = calloc(1, kind->size);
  if (!row) answer_status(x, ARMDYN_EMEMORY, NULL);
  if (row && kind->read(x, NULL, row) &&
      found(x, kind, name_of(kind, row), kind->put(x, row, 0, idempotency_key(once))))
    answer(x, kind, 201, true, row);
  row_free(kind, row);
}

enum outcome versioned_create(struct exchange *x)
{
  idempotency_run(x, false, replay, create, NULL);
  return ANSWERED;
}

static bool may_change(struct exchange *x, const struct versioned *kind)
{
  return !kind->may_change || kind->may_change(x, exchange_segment(x, kind->segment));
}

/* Does the one with this version say what `row` does already? Who puts it again, after a lost answer, changes nothing. */
static bool is_said_already(struct exchange *x, const struct versioned *kind, const void *row, int64_t version)
{
  enum armdyn_status status;
  const char *said, *present;
  void *there = kind->document_at && version ? get_row(x, kind, name_of(kind, row), &status) : NULL;
  bool same = there && version_of(kind, there) == version;
  if (same) {
    memcpy(&said, (const char *)row + kind->document_at, sizeof said);
    memcpy(&present, (const char *)there + kind->document_at, sizeof present);
    same = !strcmp(said, present);
  }
  row_free(kind, there);
  return same;
}

enum outcome versioned_put(struct exchange *x)
{
  const struct versioned *kind = exchange_about(x);
  const char *name = exchange_segment(x, kind->segment);
  int64_t expected;
  if (!admitted(x, kind->admit) || !admitted(x, kind->admit_put) || !versioned_demanded(x, kind, true, &expected))
    return ANSWERED;
  void *row = calloc(1, kind->size);
  if (!row) answer_status(x, ARMDYN_EMEMORY, NULL);
  const bool put =
      row && kind->read(x, name, row) &&
      (is_said_already(x, kind, row, expected) ||
       ((!expected || may_change(x, kind)) && versioned_found(x, kind, kind->put(x, row, expected, NULL))));
  row_free(kind, row);
  if (!put) return ANSWERED;
  enum armdyn_status status;
  row = get_row(x, kind, name, &status);
  if (versioned_found(x, kind, status)) answer(x, kind, expected ? 200 : 201, !expected, row);
  row_free(kind, row);
  return ANSWERED;
}

enum outcome versioned_delete(struct exchange *x)
{
  const struct versioned *kind = exchange_about(x);
  int64_t expected;
  if (admitted(x, kind->admit) && versioned_demanded(x, kind, false, &expected) && may_change(x, kind) &&
      kind->remove(x, expected))
    answer_empty(x, 204);
  return ANSWERED;
}

void versioned_item(struct listing *listing, const struct versioned *kind, const void *row)
{
  struct buffer item = BUFFER(LIMIT_ANSWER);
  const enum armdyn_status status =
      kind->summary ? kind->summary(row, &item) : kind->encode(listing->x, false, row, &item);
  if (!status) listing_item(listing, &item);
  buffer_release(&item);
}

enum outcome versioned_list(struct exchange *x)
{
  const struct versioned *kind = exchange_about(x);
  struct listing listing;
  if (admitted(x, kind->admit) && listing_query(&listing, x, kind->form))
    listing_end(&listing, kind->list(x, &listing));
  return ANSWERED;
}
