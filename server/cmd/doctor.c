/* `armdyn doctor`: looks whether everything that the service needs is well, whether or not it runs.
 * To add a check: a function and a row. */
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include <unistd.h>

#include "api/codec/controller.h"
#include "api/json/writer.h"
#include "armdyn/armdyn.h"
#include "server/base/clock.h"
#include "server/cmd/command.h"
#include "server/cmd/control.h"
#include "server/cmd/flags.h"
#include "server/cmd/libraries.h"
#include "server/ipc/child.h"
#include "server/store/store.h"
#include "server/webhooks/authority.h"
#include "server/work/messages.h"

static const char usage[] = "usage: armdyn doctor [--json] [--data DIR] [--store ADDRESS] [--webhook-ca FILE]\n\n"
                            "Looks whether all that a service needs is well, whether or not it runs: the store and "
                            "what it refers to, the audit\n"
                            "trail, disk, clock, worker processes, controllers. Changes nothing. Reads the whole "
                            "store, which takes a while when\n"
                            "it is large. Exit status 0: nothing is wrong (there may be warnings); 1: something is.\n\n"
                            "  --json               print one JSON object instead of a table\n"
                            "  --data DIR           directory of the store; default: ARMDYN_DATA, or armdyn-data\n"
                            "  --store ADDRESS      as of armdyn serve; default: ARMDYN_STORE\n"
                            "  --webhook-ca FILE    as of armdyn serve; default: ARMDYN_WEBHOOK_CA\n";

enum { CONNECT_MS = 2000, READY_MS = 20000, CLOCK_SLACK_MS = 2000 };

static const double GIB = 1024.0 * 1024 * 1024;

enum verdict { GOOD, WARNING, BAD };
static const char *const verdict_names[] = { [GOOD] = "good", [WARNING] = "warning", [BAD] = "bad" };

/* What is looked at, and where what is found goes. */
struct doctor {
  const char *data, *address, *webhook_ca;
  char path[STORE_PATH_SIZE];
  bool runs;           /* a service does */
  struct store *store; /* read-only; NULL: it cannot be opened */
  struct armdyn_error closed;
  const char *name; /* of the present check */
  bool json, bad;
  struct json_writer w;
};

static void found(struct doctor *d, enum verdict verdict, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void found(struct doctor *d, enum verdict verdict, const char *format, ...)
{
  char detail[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(detail, sizeof detail, format, arguments);
  va_end(arguments);
  d->bad = d->bad || verdict == BAD;
  if (!d->json) {
    printf("%-12s %-8s %s\n", d->name, verdict_names[verdict], detail);
    return;
  }
  json_begin_object(&d->w);
  json_key(&d->w, "check"), json_write_text(&d->w, d->name);
  json_key(&d->w, "verdict"), json_write_text(&d->w, verdict_names[verdict]);
  json_key(&d->w, "detail"), json_write_text(&d->w, detail);
  json_end_object(&d->w);
}

/* -- the checks -- */

static void look_at_service(struct doctor *d)
{
  struct buffer answer = BUFFER(MB(1));
  struct armdyn_error error = { "", "" };
  char detail[256], version[64];
  long http = 0;
  enum armdyn_status status = control_call(d->data, "GET", "/readyz", NULL, &http, &answer, &error);
  d->runs = status != ARMDYN_EUNAVAILABLE;
  if (!d->runs) {
    found(d, GOOD, "does not run");
    goto out;
  }
  control_text(&answer, "detail", detail, sizeof detail);
  if (status || http != 200) {
    found(d, BAD, "runs, but is not ready: %s", status ? error.message : detail);
    goto out;
  }
  buffer_clear(&answer);
  status = control_call(d->data, "GET", "/v1/version", NULL, &http, &answer, &error);
  control_text(&answer, "version", version, sizeof version);
  if (status || strcmp(version, armdyn_version()) != 0)
    found(d, WARNING, "runs version %s, this program is %s", version, armdyn_version());
  else
    found(d, GOOD, "runs version %s and is ready", version);
out:
  buffer_release(&answer);
}

static void look_at_store(struct doctor *d)
{
  struct armdyn_error error = { "", "" };
  int version = 0, newest = 0;
  if (!d->store)
    found(d, BAD, "%s", d->closed.message);
  else if (store_examine_schema(d->store, &version, &newest, &error) || store_examine(d->store, &error))
    found(d, BAD, "%s", error.message);
  else if (version < newest)
    found(d, WARNING, "is whole; its schema %d becomes %d when this program serves it", version, newest);
  else
    found(d, GOOD, "is whole, schema %d", version);
}

static void look_at_replication(struct doctor *d)
{
  bool synchronous = false;
  if (!d->store || !*d->address) return;
  if (store_examine_replication(d->store, &synchronous))
    found(d, BAD, "the server does not tell how it replicates");
  else if (synchronous)
    found(d, GOOD, "a commit waits for a standby");
  else
    found(d, WARNING,
          "no commit waits for a standby (synchronous_standby_names): a fail-over may lose what was "
          "acknowledged, and a motion may be ordered twice");
}

static void look_at_references(struct doctor *d)
{
  struct armdyn_error error = { "", "" };
  if (!d->store) return;
  if (store_examine_references(d->store, &error))
    found(d, BAD, "%s", error.message);
  else
    found(d, GOOD, "everything that is referred to is there");
}

static void look_at_audit(struct doctor *d)
{
  struct armdyn_error error = { "", "" };
  struct store_audit last;
  if (!d->store) return;
  enum armdyn_status status = store_audit_verify(d->store, NULL, NULL, &last, &error);
  if (status)
    found(d, BAD, "%s", *error.message ? error.message : armdyn_status_text(status));
  else
    found(d, GOOD, "%lld entries, none changed or missing", (long long)last.number);
}

/* A service tightens its own at its start; another user's it cannot. */
static void look_at_files(struct doctor *d)
{
  char file[STORE_OPEN_FILE_SIZE];
  if (store_open_to_others(d->data, file))
    found(d, WARNING, "others may read %s: it holds logs, and secrets of webhooks; chmod go= it", file);
  else
    found(d, GOOD, "are their owner's alone");
}

/* The bounds are those of the alert ArmdynDiskNearlyFull, and what a service needs to go on at all. */
static void look_at_disk(struct doctor *d)
{
  struct statvfs disk;
  if (statvfs(d->data, &disk)) {
    found(d, BAD, "%s: %s", d->data, strerrordesc_np(errno));
    return;
  }
  double left = (double)disk.f_bavail * (double)disk.f_frsize, all = (double)disk.f_blocks * (double)disk.f_frsize;
  enum verdict verdict = left < GIB / 16 ? BAD : left < 0.1 * all ? WARNING : GOOD;
  found(d, verdict, "%.1f GiB of %.1f GiB are free", left / GIB, all / GIB);
}

static void look_at_clock(struct doctor *d)
{
  char last[TIME_SIZE] = "", now[TIME_SIZE];
  struct timex clock = { 0 };
  int64_t now_ms = clock_wall_ms();
  clock_format(now_ms, now);
  if (d->store) (void)store_last_time(d->store, last); /* "" when it cannot be read */
  if (last[0] && clock_parse(last) > now_ms + CLOCK_SLACK_MS)
    found(d, BAD, "it is %s here, but the store holds things of %s", now, last);
  else if (adjtimex(&clock) == TIME_ERROR)
    found(d, WARNING, "it is %s; nothing keeps this clock right (NTP)", now);
  else
    found(d, GOOD, "it is %s", now);
}

/* Can one be started here at all? */
static void try_a_worker(struct doctor *d)
{
  const char *const arguments[] = { "worker", d->path, "0", "0", NULL };
  struct child child = { 0 };
  struct armdyn_error error = { "", "" };
  struct frame frame = { 0 };
  char reason[CHILD_REASON_SIZE];
  if (child_start(&child, arguments, true, &error)) {
    found(d, BAD, "cannot be started: %s", error.message);
    return;
  }
  enum armdyn_status status = channel_receive(&child.channel, &frame, READY_MS);
  bool ready = !status && frame.type == MESSAGE_READY;
  child_end(&child, status != ARMDYN_EIO && !ready, reason);
  if (ready)
    found(d, GOOD, "can be started");
  else
    found(d, BAD, "one that was started for a try ended: %s", reason);
}

static void look_at_workers(struct doctor *d)
{
  struct buffer answer = BUFFER(MB(32));
  struct armdyn_error error = { "", "" };
  long http = 0;
  if (!d->runs) {
    try_a_worker(d);
    return;
  }
  enum armdyn_status status = control_call(d->data, "GET", "/v1/activity", NULL, &http, &answer, &error);
  double count = control_number(&answer, "workers/count"), ready = control_number(&answer, "workers/ready");
  if (status || http != 200 || count < 0)
    found(d, BAD, "the service does not tell: %s", status ? error.message : answer.data ? answer.data : "no answer");
  else
    found(d, ready < count ? BAD : GOOD, "%.0f of %.0f are alive", ready, count);
  buffer_release(&answer);
}

/* NULL, or why there is no connection. */
static const char *connect_to(const struct controller_description *controller)
{
  char port[16];
  struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *addresses = NULL;
  snprintf(port, sizeof port, "%d", controller->port);
  int code = getaddrinfo(controller->host, port, &hints, &addresses);
  if (code) return gai_strerror(code);
  const char *why = "no address";
  for (const struct addrinfo *a = addresses; a && why; a = a->ai_next) {
    int fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, a->ai_protocol), problem = errno;
    if (fd >= 0) {
      struct pollfd ready = { .fd = fd, .events = POLLOUT };
      socklen_t size = sizeof problem;
      problem = connect(fd, a->ai_addr, a->ai_addrlen) ? errno : 0;
      if (problem == EINPROGRESS)
        problem = poll(&ready, 1, CONNECT_MS) == 1 && !getsockopt(fd, SOL_SOCKET, SO_ERROR, &problem, &size)
                      ? problem
                      : ETIMEDOUT;
      close(fd);
    }
    why = problem ? strerrordesc_np(problem) : NULL;
  }
  freeaddrinfo(addresses);
  return why;
}

/* As the service sees it; it may hold the one connection that a controller takes. */
static const char *ask_for(const struct doctor *d, const char *name)
{
  char path[128];
  long http = 0;
  struct buffer answer = BUFFER(MB(1));
  struct armdyn_error error;
  snprintf(path, sizeof path, "/v1/controllers/%s/status", name);
  enum armdyn_status status = control_call(d->data, "GET", path, NULL, &http, &answer, &error);
  bool connected = !status && http == 200 && control_truth(&answer, "connected");
  buffer_release(&answer);
  return connected ? NULL : "it does not answer the service";
}

static void look_at_controller(void *context, const struct store_controller *row)
{
  struct doctor *d = context;
  static struct controller_description controller; /* large */
  if (controller_decode(row->document, strlen(row->document), &controller, NULL)) {
    found(d, BAD, "'%s' cannot be read", row->name);
    return;
  }
  if (!controller.enabled) {
    found(d, GOOD, "'%s' is not enabled", row->name);
    return;
  }
  const char *why = d->runs ? ask_for(d, row->name) : connect_to(&controller);
  if (why)
    found(d, WARNING, "'%s' at %s port %d is not reached: %s", row->name, controller.host, controller.port, why);
  else
    found(d, GOOD, "'%s' at %s port %d is reached", row->name, controller.host, controller.port);
}

static void look_at_controllers(struct doctor *d)
{
  if (!d->store) return;
  enum armdyn_status status = store_controller_list(d->store, STORE_ALL_BY_NAME, look_at_controller, d);
  if (status) found(d, BAD, "cannot be listed: %s", armdyn_status_text(status));
}

static void look_at_libraries(struct doctor *d)
{
  struct buffer list = BUFFER(KB(1));
  for (const struct library *l = libraries; l->name; l++) {
    char version[LIBRARY_VERSION_SIZE];
    l->version(version);
    buffer_format(&list, "%s%s %s", list.length ? ", " : "", l->name, version);
  }
  found(d, GOOD, "%s", buffer_ok(&list) ? list.data : "");
  buffer_release(&list);
}

static void look_at_authority(struct doctor *d)
{
  struct authority authority;
  struct armdyn_error error = { "", "" };
  char expires[TIME_SIZE];
  if (!d->webhook_ca || !*d->webhook_ca) {
    found(d, GOOD, "--webhook-ca is not given: receivers are trusted as the system does");
    return;
  }
  if (authority_read(d->webhook_ca, &authority, &error)) {
    found(d, BAD, "%s", error.message);
    return;
  }
  clock_format(authority.expires * 1000, expires);
  const bool over = authority.expires * 1000 < clock_wall_ms();
  found(d, over ? BAD : GOOD, "%zu certificates in %s; %s %s", authority.count, d->webhook_ca,
        over ? "one has expired since" : "valid until", expires);
}

static const struct check {
  const char *name;
  void (*look)(struct doctor *d);
} checks[] = {
  { "service", look_at_service },
  { "store", look_at_store },
  { "references", look_at_references },
  { "replication", look_at_replication },
  { "audit trail", look_at_audit },
  { "files", look_at_files },
  { "disk", look_at_disk },
  { "clock", look_at_clock },
  { "workers", look_at_workers },
  { "controller", look_at_controllers },
  { "libraries", look_at_libraries },
  { "webhook CA", look_at_authority },
};

/* -- the command -- */

/* As flags_read. */
static int read_arguments(int argc, char **argv, struct doctor *d)
{
  const struct flag flags[] = { { "data", &d->data, NULL },
                                { "store", &d->address, NULL },
                                { "webhook-ca", &d->webhook_ca, NULL },
                                { "json", NULL, &d->json },
                                { 0 } };
  int rest;
  d->data = FLAG_DATA_DEFAULT;
  d->address = command_store_address();
  d->webhook_ca = flag_default("ARMDYN_WEBHOOK_CA", NULL);
  const int wrong = flags_read(argc, argv, flags, usage, &rest);
  return wrong || !rest ? wrong : flags_refuse(usage);
}

static void open_store(struct doctor *d)
{
  if (store_file(d->data, d->path, &d->closed)) return;
  if (*d->address) {
    setenv("ARMDYN_STORE", d->address, 1); /* a worker that is tried reads it */
    snprintf(d->path, sizeof d->path, "%s", STORE_IN_ENVIRONMENT);
    store_open_reader(d->address, &d->store, &d->closed);
    return;
  }
  if (access(d->path, F_OK))
    armdyn_refuse(&d->closed, ARMDYN_ENOTFOUND, "", "%s: %s", d->path, strerrordesc_np(errno));
  else
    store_open_reader(d->path, &d->store, &d->closed);
}

int command_doctor(int argc, char **argv)
{
  struct doctor d = { 0 };
  struct buffer report = BUFFER(MB(16));
  int wrong = read_arguments(argc, argv, &d);
  if (wrong) return wrong - 1;
  open_store(&d);
  d.w.out = &report;
  json_begin_object(&d.w);
  json_key(&d.w, "checks"), json_begin_array(&d.w);
  for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
    d.name = checks[i].name;
    checks[i].look(&d);
  }
  json_end_array(&d.w);
  json_key(&d.w, "well"), json_write_truth(&d.w, !d.bad);
  json_end_object(&d.w);
  if (d.json) printf("%s\n", report.data);
  buffer_release(&report);
  store_close(d.store);
  return d.bad ? 1 : 0;
}
