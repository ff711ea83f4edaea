/* `armdyn key`: API keys from the command line, of a service that runs or of one that does not. */
#include "api/codec/key.h"

#include <unistd.h>

#include "api/problem/problem.h"
#include "server/cmd/command.h"
#include "server/cmd/control.h"
#include "server/cmd/flags.h"
#include "server/http/auth.h"
#include "server/store/store.h"

static const char usage[] =
    "usage: armdyn key create --name NAME --role ROLE [--motion CONTROLLER,...] [--expires-at TIME] [--data DIR]\n"
    "       armdyn key list [--data DIR]\n"
    "       armdyn key revoke ID [--data DIR]\n\n"
    "Makes, lists and revokes API keys, whether or not the service runs. Answers are JSON, as of /v1/keys; create\n"
    "prints the secret, this once.\n\n"
    "  --name NAME          whose key it is: lower-case letters, digits, . _ -\n"
    "  --role ROLE          viewer reads, operator computes, engineer changes models and data, admin manages keys and\n"
    "                       controllers; each includes the ones before\n"
    "  --motion C,...       controllers whose arms it may set in motion; * all; default: none\n"
    "  --expires-at TIME    RFC 3339, as 2027-01-01T00:00:00Z; default: never\n"
    "  --data DIR           directory of the store; default: ARMDYN_DATA, or armdyn-data\n"
    "  --store ADDRESS      as of armdyn serve; default: ARMDYN_STORE\n";

enum { ANSWER_MOST = MB(1) };

struct arguments {
  const char *verb, *name, *role, *motion, *expires_at, *data, *store, *id;
};

/* As flags_read. */
static int read_arguments(int argc, char **argv, struct arguments *a)
{
  const struct flag flags[] = { { "name", &a->name, NULL },
                                { "role", &a->role, NULL },
                                { "motion", &a->motion, NULL },
                                { "data", &a->data, NULL },
                                { "store", &a->store, NULL },
                                { "expires-at", &a->expires_at, NULL },
                                { 0 } };
  int rest;
  a->data = FLAG_DATA_DEFAULT;
  a->store = command_store_address();
  const int wrong = flags_read(argc, argv, flags, usage, &rest);
  if (wrong) return wrong;
  char **words = argv + argc - rest;
  a->verb = rest ? words[0] : "";
  const bool revoke = !strcmp(a->verb, "revoke"), create = !strcmp(a->verb, "create");
  if (revoke && rest > 1) a->id = words[1];
  if (rest != 1 + revoke) return flags_refuse(usage);
  return (create ? a->name && a->role : revoke || !strcmp(a->verb, "list")) ? 0 : flags_refuse(usage);
}

/* The body of POST /v1/keys. */
static void write_request(const struct arguments *a, struct buffer *out)
{
  struct json_writer w = { .out = out };
  json_begin_object(&w);
  json_key(&w, "name"), json_write_text(&w, a->name);
  json_key(&w, "role"), json_write_text(&w, a->role);
  if (a->expires_at) json_key(&w, "expires_at"), json_write_text(&w, a->expires_at);
  if (a->motion) {
    json_key(&w, "motion");
    json_begin_array(&w);
    for (const char *p = a->motion; *p; p += strspn(p, ",")) {
      char name[ARMDYN_NAME_SIZE + 1]; /* one that is too long is refused, not cut */
      size_t length = strcspn(p, ",");
      snprintf(name, sizeof name, "%.*s", (int)length, p);
      json_write_text(&w, name);
      p += length;
    }
    json_end_array(&w);
  }
  json_end_object(&w);
}

/* -- a service runs: it does the work -- */

static enum armdyn_status ask(const struct arguments *a, const char *body, int *exit_status, struct armdyn_error *error)
{
  bool create = !strcmp(a->verb, "create");
  char path[128] = "/v1/keys";
  long http_status = 0;
  struct buffer answer = BUFFER(ANSWER_MOST);
  if (a->id) snprintf(path, sizeof path, "/v1/keys/%.64s", a->id);
  if (!strcmp(a->verb, "list")) snprintf(path, sizeof path, "/v1/keys?limit=%d", LIMIT_LIST);
  enum armdyn_status status = control_call(a->data,
                                           create  ? "POST"
                                           : a->id ? "DELETE"
                                                   : "GET",
                                           path, create ? body : NULL, &http_status, &answer, error);
  if (!status) {
    bool good = http_status >= 200 && http_status < 300;
    if (answer.length) fprintf(good ? stdout : stderr, "%s\n", answer.data);
    *exit_status = good ? 0 : 1;
  }
  buffer_release(&answer);
  return status;
}

/* -- none runs: this process holds the store meanwhile -- */

static void print_key(struct json_writer *w, const struct store_api_key *key, const char *secret)
{
  const struct key_resource resource = { .id = key->id,
                                         .name = key->name,
                                         .role = store_role_name(key->role),
                                         .motion = key->motion,
                                         .created_at = key->created_at,
                                         .expires_at = key->expires_at,
                                         .last_used_at = key->last_used_at,
                                         .secret = secret };
  key_resource_encode(&resource, w);
}

static void visit(void *writer, const struct store_api_key *key)
{
  print_key(writer, key, NULL);
}

static enum armdyn_status list(struct store *store, struct json_writer *w)
{
  json_begin_object(w);
  json_key(w, "items");
  json_begin_array(w);
  enum armdyn_status status = store_api_key_list(store, &(struct store_query){ .limit = 0 }, visit, w);
  json_end_array(w);
  json_end_object(w);
  return status;
}

static enum armdyn_status create(struct auth *auth, const struct buffer *body, struct json_writer *w,
                                 struct faults *faults)
{
  struct key_request request;
  struct new_key made;
  enum armdyn_status status = key_request_decode(body->data, body->length, &request, faults);
  if (!status) status = auth_make_key(auth, &request, NULL, &made, faults);
  if (status) return status;
  print_key(w, &made.key, made.secret);
  explicit_bzero(made.secret, sizeof made.secret);
  store_api_key_release(&made.key);
  return ARMDYN_OK;
}

/* Only a first key makes a store: elsewhere a name that is mistyped would answer for an empty one. */
static enum armdyn_status open_store(const struct arguments *a, struct store **store, struct armdyn_error *error)
{
  char path[STORE_PATH_SIZE];
  enum armdyn_status status = store_file(a->data, path, error);
  if (!status && !*a->store && strcmp(a->verb, "create") != 0 && access(path, F_OK))
    status = armdyn_refuse(error, ARMDYN_ENOTFOUND, "", "there is no store in '%s'", a->data);
  return status ? status : store_open_at(&(struct store_place){ a->data, a->store, "" }, store, error);
}

static int work_alone(const struct arguments *a, const struct buffer *body)
{
  struct store *store = NULL;
  struct auth *auth = NULL;
  struct armdyn_error error = { "", "" };
  static struct faults faults; /* large */
  struct buffer answer = BUFFER(ANSWER_MOST);
  struct json_writer w = { .out = &answer };
  enum armdyn_status status = open_store(a, &store, &error);
  if (!status) status = auth_new("", store, &auth, &error);
  if (!status) {
    if (!strcmp(a->verb, "create"))
      status = create(auth, body, &w, &faults);
    else
      status = a->id ? auth_revoke_key(auth, a->id) : list(store, &w);
  }
  if (status && *error.message) {
    fprintf(stderr, "armdyn key: %s\n", error.message);
  } else if (status) {
    buffer_clear(&answer);
    problem_write(&answer, problem_of_status(status), NULL, NULL, &faults, NULL);
  }
  if (answer.length) fprintf(status ? stderr : stdout, "%s\n", answer.data);
  buffer_release(&answer);
  auth_free(auth);
  if (store) store_close(store);
  return status ? 1 : 0;
}

int command_key(int argc, char **argv)
{
  struct arguments a = { 0 };
  const int wrong = read_arguments(argc, argv, &a);
  if (wrong) return wrong - 1;
  int exit_status = 1;
  struct armdyn_error error = { "", "" };
  struct buffer body = BUFFER(KB(16));
  if (!strcmp(a.verb, "create")) write_request(&a, &body);
  enum armdyn_status status = ask(&a, body.data, &exit_status, &error);
  if (status == ARMDYN_EUNAVAILABLE)
    exit_status = work_alone(&a, &body);
  else if (status)
    fprintf(stderr, "armdyn key: %s\n", error.message);
  buffer_release(&body);
  return exit_status;
}
