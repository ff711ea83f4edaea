#include "server/routes/versioned.h"

#include <stdlib.h>

#include "server/http/preconditions.h"
#include "server/routes/handlers.h"

bool versioned_found(struct exchange *x, const struct versioned *kind, enum armdyn_status status)
{
  const char *name = exchange_segment(x, kind->segment), *robot = kind->of_robot ? exchange_segment(x, "robot") : "";
  if (status == ARMDYN_ENOTFOUND && kind->of_robot)
    answer_problem(x, PROBLEM_NOT_FOUND, "robot '%.64s' has no %s '%.64s'", robot, kind->noun, name);
  else if (status == ARMDYN_ENOTFOUND)
    answer_problem(x, PROBLEM_NOT_FOUND, "there is no %s '%.64s'", kind->noun, name);
  else if (status == ARMDYN_EEXISTS && kind->of_robot)
    answer_problem(x, PROBLEM_STALE, "robot '%.64s' has %s %s '%.64s' already", robot, kind->article, kind->noun, name);
  else if (status == ARMDYN_EEXISTS)
    answer_problem(x, PROBLEM_STALE, "there is %s %s '%.64s' already", kind->article, kind->noun, name);
  else if (status == ARMDYN_ESTALE)
    answer_problem(x, PROBLEM_STALE, NULL);
  else if (status)
    answer_status(x, status, NULL);
  return status == ARMDYN_OK;
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

/* That of the path. NULL: what the store said is in *status, and nothing is answered. */
static void *get_row(struct exchange *x, const struct versioned *kind, enum armdyn_status *status)
{
  void *row = calloc(1, kind->size);
  *status = row ? kind->get(x, row) : ARMDYN_EMEMORY;
  if (!*status) return row;
  row_free(kind, row);
  return NULL;
}

bool versioned_demanded(struct exchange *x, const struct versioned *kind, bool may_create, int64_t *expected)
{
  enum armdyn_status status;
  void *row = get_row(x, kind, &status);
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

void versioned_answer(struct exchange *x, const struct versioned *kind, int http_status, const void *row)
{
  struct buffer body = BUFFER(LIMIT_ANSWER);
  const enum armdyn_status status = kind->encode(x, http_status, row, &body);
  if (versioned_found(x, kind, status)) {
    const char *name = exchange_segment(x, kind->segment);
    if (http_status == 201 && kind->of_robot)
      exchange_set_header(x, "Location", "/v1/robots/%s/%s/%s", exchange_segment(x, "robot"), kind->collection, name);
    else if (http_status == 201)
      exchange_set_header(x, "Location", "/v1/%s/%s", kind->collection, name);
    answer_etag(x, version_of(kind, row));
    answer_json(x, http_status, &body);
  }
  buffer_release(&body);
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
  void *row = get_row(x, kind, &status);
  if (versioned_found(x, kind, status) && !answered_not_modified(x, version_of(kind, row)))
    versioned_answer(x, kind, 200, row);
  row_free(kind, row);
  return ANSWERED;
}

enum outcome versioned_put(struct exchange *x)
{
  const struct versioned *kind = exchange_about(x);
  int64_t expected;
  if (!admitted(x, kind->admit) || !admitted(x, kind->admit_put) || !versioned_demanded(x, kind, true, &expected))
    return ANSWERED;
  void *row = calloc(1, kind->size);
  if (!row) answer_status(x, ARMDYN_EMEMORY, NULL);
  const bool put = row && kind->read(x, row) && kind->put(x, row, expected);
  row_free(kind, row);
  if (!put) return ANSWERED;
  enum armdyn_status status;
  row = get_row(x, kind, &status);
  if (versioned_found(x, kind, status)) versioned_answer(x, kind, expected ? 200 : 201, row);
  row_free(kind, row);
  return ANSWERED;
}

enum outcome versioned_delete(struct exchange *x)
{
  const struct versioned *kind = exchange_about(x);
  int64_t expected;
  if (admitted(x, kind->admit) && versioned_demanded(x, kind, false, &expected) && kind->remove(x, expected))
    answer_empty(x, 204);
  return ANSWERED;
}
