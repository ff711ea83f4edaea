#include "api/problem/problem.h"

#include "api/json/writer.h"

static const struct {
  const char *slug;
  int http;
  const char *title, *explanation;
} problems[] = {
#define X(name, slug_, http_, title_, explanation_) { slug_, http_, title_, explanation_ },
  PROBLEM_LIST(X)
#undef X
};

static const struct {
  enum problem problem;
  const char *name, *type, *description;
} problem_fields[] = {
#define X(problem_, name_, type_, description_) { PROBLEM_##problem_, name_, type_, description_ },
  PROBLEM_FIELD_LIST(X)
#undef X
};

/* What a status means to a caller over HTTP. */
static const enum problem problem_of[] = {
  [ARMDYN_OK] = PROBLEM_INTERNAL, /* nobody asks; an answer must not look like success */
  [ARMDYN_EINPUT] = PROBLEM_INVALID,
  [ARMDYN_ESYNTAX] = PROBLEM_SYNTAX,
  [ARMDYN_EUNPHYSICAL] = PROBLEM_INVALID,
  [ARMDYN_EINFEASIBLE] = PROBLEM_INFEASIBLE,
  [ARMDYN_ESINGULAR] = PROBLEM_INVALID,
  [ARMDYN_ECANCELLED] = PROBLEM_CANCELLED,
  [ARMDYN_ENOTFOUND] = PROBLEM_NOT_FOUND,
  [ARMDYN_EEXISTS] = PROBLEM_CONFLICT,
  [ARMDYN_ECONFLICT] = PROBLEM_CONFLICT,
  [ARMDYN_ESTALE] = PROBLEM_STALE,
  [ARMDYN_ELIMIT] = PROBLEM_TOO_LARGE,
  [ARMDYN_EBUSY] = PROBLEM_UNAVAILABLE,
  [ARMDYN_EUNAVAILABLE] = PROBLEM_UNAVAILABLE,
  [ARMDYN_EFULL] = PROBLEM_STORAGE_FULL,
  [ARMDYN_EIO] = PROBLEM_INTERNAL,
  [ARMDYN_EMEMORY] = PROBLEM_UNAVAILABLE,
  [ARMDYN_EINTERNAL] = PROBLEM_INTERNAL,
};
_Static_assert(sizeof problem_of / sizeof *problem_of == ARMDYN_STATUS_COUNT, "map every status");

static enum problem known(enum problem problem)
{
  return (unsigned)problem < PROBLEM_COUNT ? problem : PROBLEM_INTERNAL;
}

int problem_http_status(enum problem problem)
{
  return problems[known(problem)].http;
}

static const char *problem_slug(enum problem problem)
{
  return problems[known(problem)].slug;
}

const char *problem_title(enum problem problem)
{
  return problems[known(problem)].title;
}

enum problem problem_of_status(enum armdyn_status status)
{
  return (unsigned)status < ARMDYN_STATUS_COUNT ? problem_of[status] : PROBLEM_INTERNAL;
}

static void write_type(struct json_writer *w, enum problem problem)
{
  char type[64];
  snprintf(type, sizeof type, "/problems/%s", problem_slug(problem));
  json_key(w, "type"), json_write_text(w, type);
}

static void write_fault(struct json_writer *w, const struct fault *fault)
{
  static const char *const places[] = { [FAULT_AT_POINTER] = "pointer",
                                        [FAULT_AT_PARAMETER] = "parameter",
                                        [FAULT_AT_HEADER] = "header",
                                        [FAULT_AT_NODE] = "xpath",
                                        [FAULT_AT_LINE] = "text" };
  json_begin_object(w);
  if (fault->place == FAULT_AT_CELL) {
    json_key(w, "row"), json_write_integer(w, (long long)fault->row);
    json_key(w, "column"), json_write_integer(w, (long long)fault->column);
  } else {
    json_key(w, places[fault->place]), json_write_text(w, fault->where);
    if (fault->line) json_key(w, "line"), json_write_integer(w, (long long)fault->line);
  }
  json_key(w, "code"), json_write_text(w, fault_code_text(fault->code));
  json_key(w, "detail"), json_write_text(w, fault->detail);
  json_end_object(w);
}

void problem_write(struct buffer *out, enum problem problem, const char *detail, const char *instance,
                   const struct faults *faults, const char *extra)
{
  struct json_writer w = { .out = out };
  problem = known(problem);
  json_begin_object(&w);
  write_type(&w, problem);
  json_key(&w, "title"), json_write_text(&w, problem_title(problem));
  json_key(&w, "status"), json_write_integer(&w, problem_http_status(problem));
  json_key(&w, "detail"), json_write_text(&w, detail ? detail : problems[problem].explanation);
  if (instance) json_key(&w, "instance"), json_write_text(&w, instance);
  if (faults && faults->count) {
    size_t listed = faults->count < LIMIT_FAULTS ? faults->count : LIMIT_FAULTS;
    json_key(&w, "error_count"), json_write_integer(&w, (long long)faults->count);
    json_key(&w, "errors"), json_begin_array(&w);
    for (size_t i = 0; i < listed; i++) write_fault(&w, &faults->items[i]);
    json_end_array(&w);
  }
  if (extra && *extra) json_write_raw(&w, extra);
  json_end_object(&w);
}

static void write_fields(struct json_writer *w, enum problem problem)
{
  json_key(w, "fields"), json_begin_array(w);
  for (size_t f = 0; f < sizeof problem_fields / sizeof *problem_fields; f++) {
    if (problem_fields[f].problem != problem) continue;
    json_begin_object(w);
    json_key(w, "name"), json_write_text(w, problem_fields[f].name);
    json_key(w, "type"), json_write_text(w, problem_fields[f].type);
    json_key(w, "description"), json_write_text(w, problem_fields[f].description);
    json_end_object(w);
  }
  json_end_array(w);
}

static void describe(struct json_writer *w, enum problem problem)
{
  json_begin_object(w);
  write_type(w, problem);
  json_key(w, "status"), json_write_integer(w, problems[problem].http);
  json_key(w, "title"), json_write_text(w, problems[problem].title);
  json_key(w, "explanation"), json_write_text(w, problems[problem].explanation);
  write_fields(w, problem);
  json_end_object(w);
}

bool problem_describe(const char *slug, struct buffer *out)
{
  int p = 0;
  while (p < PROBLEM_COUNT && strcmp(problems[p].slug, slug) != 0) p++;
  if (p < PROBLEM_COUNT) describe(&(struct json_writer){ .out = out }, (enum problem)p);
  return p < PROBLEM_COUNT;
}

void problems_list(struct buffer *out)
{
  struct json_writer w = { .out = out };
  json_begin_object(&w);
  json_key(&w, "items"), json_begin_array(&w);
  for (int p = 0; p < PROBLEM_COUNT; p++) describe(&w, (enum problem)p);
  json_end_array(&w);
  json_end_object(&w);
}
