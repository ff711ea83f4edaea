/* `armdyn audit`: hold the audit trail against its hashes, or print it. */
#include <inttypes.h>

#include "api/json/reader.h"
#include "server/cmd/command.h"
#include "server/cmd/flags.h"
#include "server/store/store.h"

static const char usage[] = "usage: armdyn audit verify [--expect NUMBER:HASH] [--data DIR]\n"
                            "       armdyn audit export [--format jsonl|csv] [--data DIR]\n\n"
                            "verify finds any entry that was changed or is missing: exit status 0 when the trail is "
                            "whole, else 1. It prints the\n"
                            "number and the hash of the last entry: keep them elsewhere, and give them as --expect "
                            "next time, and not even who\n"
                            "can write the store can rewrite what was before.\n"
                            "export prints all entries, the oldest first, verifying them on the way.\n\n"
                            "  --data DIR           directory of the store; default: ARMDYN_DATA, or armdyn-data\n"
                            "  --store ADDRESS      as of armdyn serve; default: ARMDYN_STORE\n\n"
                            "Both work whether or not the service runs.\n";

struct arguments {
  const char *verb, *data, *store, *format;
  int64_t expected_number; /* 0: none */
  const char *expected_hash;
};

static bool read_expected(const char *text, struct arguments *a)
{
  char *end;
  a->expected_number = strtoll(text, &end, 10);
  a->expected_hash = end + 1;
  return a->expected_number > 0 && *end == ':' && strlen(a->expected_hash) == 64;
}

/* As flags_read. */
static int read_arguments(int argc, char **argv, struct arguments *a)
{
  *a = (struct arguments){ .data = FLAG_DATA_DEFAULT, .store = command_store_address(), .format = "jsonl" };
  const char *expected = NULL;
  const struct flag flags[] = { { "data", &a->data, NULL },
                                { "store", &a->store, NULL },
                                { "format", &a->format, NULL },
                                { "expect", &expected, NULL },
                                { 0 } };
  int rest;
  const int wrong = flags_read(argc, argv, flags, usage, &rest);
  if (wrong) return wrong;
  a->verb = rest == 1 ? argv[argc - 1] : "";
  const bool format = !strcmp(a->format, "jsonl") || !strcmp(a->format, "csv"),
             verb = !strcmp(a->verb, "verify") || !strcmp(a->verb, "export");
  return format && verb && (!expected || read_expected(expected, a)) ? 0 : flags_refuse(usage);
}

/* -- what is done with every entry -- */

struct visiting {
  const struct arguments *arguments;
  bool met, differs; /* the expected entry */
};

static void expect(void *context, const struct store_audit *entry)
{
  struct visiting *v = context;
  if (entry->number != v->arguments->expected_number) return;
  v->met = true;
  v->differs = strcmp(entry->hash, v->arguments->expected_hash) != 0;
}

static void print_line(void *context, const struct store_audit *entry)
{
  (void)context;
  printf("{\"number\":%" PRId64 ",\"hash\":\"%s\",\"entry\":%s}\n", entry->number, entry->hash, entry->line);
}

/* Columns of the CSV: members of an entry. */
static const char *const columns[] = { "at",        "key",    "key_name", "address",  "request_id", "method", "path",
                                       "operation", "status", "resource", "old_etag", "new_etag",   "reason" };
enum { COLUMNS = sizeof columns / sizeof *columns };

static void print_cell(const char *text)
{
  putchar(',');
  if (!text[strcspn(text, ",\"\r\n")]) {
    fputs(text, stdout);
    return;
  }
  putchar('"');
  for (const char *c = text; *c; c++) {
    if (*c == '"') putchar('"');
    putchar(*c);
  }
  putchar('"');
}

static void print_row(void *context, const struct store_audit *entry)
{
  (void)context;
  struct json_reader r;
  struct json_slice key, cells[COLUMNS] = { 0 };
  json_reader_init(&r, entry->line, strlen(entry->line), NULL);
  json_enter_object(&r, NULL);
  while (json_next_member(&r, &key)) {
    size_t c = 0;
    while (c < COLUMNS && !json_slice_is(key, columns[c])) c++;
    bool text = json_peek(&r) == JSON_TEXT;
    struct json_slice value;
    if (text ? !json_read_text(&r, NULL, &value) : !json_skip(&r, &value)) break;
    if (c < COLUMNS) cells[c] = value;
  }
  printf("%" PRId64 ",%s", entry->number, entry->hash);
  for (size_t c = 0; c < COLUMNS; c++) {
    char *text = malloc(cells[c].length + 1);
    if (!text) break;
    *text = '\0';
    if (cells[c].data) json_slice_decode(cells[c], text, cells[c].length + 1);
    print_cell(text);
    free(text);
  }
  putchar('\n');
}

static int verify(const struct arguments *a, struct store *store, struct armdyn_error *error)
{
  struct visiting v = { .arguments = a };
  struct store_audit last;
  enum armdyn_status status = store_audit_verify(store, expect, &v, &last, error);
  if (!status && a->expected_number && (!v.met || v.differs))
    status = armdyn_refuse(error, ARMDYN_EINPUT, "", "entry %" PRId64 " %s", a->expected_number,
                           v.met ? "has another hash: the trail was rewritten" : "is missing");
  if (!status) printf("%" PRId64 " entries, whole: %" PRId64 ":%s\n", last.number, last.number, last.hash);
  return status ? 1 : 0;
}

static int export(const struct arguments *a, struct store *store, struct armdyn_error *error)
{
  bool csv = !strcmp(a->format, "csv");
  struct store_audit last;
  if (csv) printf("number,hash");
  for (size_t c = 0; csv && c < COLUMNS; c++) printf(",%s", columns[c]);
  if (csv) putchar('\n');
  return store_audit_verify(store, csv ? print_row : print_line, NULL, &last, error) ? 1 : 0;
}

int command_audit(int argc, char **argv)
{
  struct arguments a;
  struct store *store = NULL;
  struct armdyn_error error = { "", "" };
  const int wrong = read_arguments(argc, argv, &a);
  if (wrong) return wrong - 1;
  char path[STORE_PATH_SIZE];
  enum armdyn_status status = store_file(a.data, path, &error);
  if (!status) status = store_open_reader(*a.store ? a.store : path, &store, &error);
  int exit_status = 1;
  if (!status) exit_status = !strcmp(a.verb, "verify") ? verify(&a, store, &error) : export(&a, store, &error);
  if (*error.message) fprintf(stderr, "armdyn audit: %s\n", error.message);
  store_close(store);
  return exit_status;
}
