#include "server/config/options.h"

#include <errno.h>

#include "api/wire/nearest.h"

enum kind { TEXT, INTEGER, CHOICE };
/* Shares of one key or address, where others come from other machines. */
enum { STREAMS_OF_KEY = 50, WAITING_JOBS_OF_KEY = 400, CONNECTIONS_OF_ADDRESS = 200 };
enum { HTTP_THREADS_LEAST = 10 /* so that 1,200 connections find a place */ };

struct option {
  const char *flag, *variable;
  enum kind kind;
  size_t offset, size;
  const char *standard; /* the default */
  long least, most;     /* INTEGER */
  const char *choices;  /* CHOICE: separated by spaces */
  bool may_be_none;     /* INTEGER: 0 is no limit */
  const char *value;    /* what the help calls the value */
  const char *help;
};

#define FIELD(name)          offsetof(struct options, name), sizeof(((struct options *)0)->name)
#define AS_TEXT(name)        TEXT, FIELD(name)
#define AS_INTEGER(name)     INTEGER, FIELD(name)
#define AS_CHOICE(name)      CHOICE, FIELD(name)
#define NO_BOUNDS            0, 0, NULL, false
#define BETWEEN(least, most) (least), (most), NULL, false
#define LIMIT(least, most)   (least), (most), NULL, true
#define ONE_OF(choices)      0, 0, (choices), false

/* To add an option: a field in options.h and a row here. */
/* clang-format off */
static const struct option table[] = {
  /* flag                         variable                          field                                default           bounds                              value, and below it the help */
  { "--listen",                  "ARMDYN_LISTEN",                  AS_TEXT(listen),                     "127.0.0.1:8080", NO_BOUNDS,                          "HOST:PORT",
    "address to serve; port 0 picks a free one, IPv6 as [::1]:8080" },
  { "--data",                    "ARMDYN_DATA",                    AS_TEXT(data),                       "armdyn-data",    NO_BOUNDS,                          "DIR",
    "directory of the store; made when it is missing" },
  { "--store",                   "ARMDYN_STORE",                   AS_TEXT(store),                      "",               NO_BOUNDS,                          "ADDRESS",
    "postgresql://HOST/DATABASE keeps everything there, beside what is this node's own in --data; by default a file in it" },
  { "--node-address",            "ARMDYN_NODE_ADDRESS",            AS_TEXT(node_address),               "",               NO_BOUNDS,                          "HOST:PORT",
    "where other nodes at the same PostgreSQL reach this one; a node that finds the store held then stands by for its holder" },
  { "--tls-certificate",         "ARMDYN_TLS_CERTIFICATE",         AS_TEXT(tls_certificate),            "",               NO_BOUNDS,                          "FILE",
    "PEM file with the certificate and those that signed it: serve HTTPS, TLS 1.2 or 1.3; read again on SIGHUP" },
  { "--tls-key",                 "ARMDYN_TLS_KEY",                 AS_TEXT(tls_key),                    "",               NO_BOUNDS,                          "FILE",
    "PEM file with the key of --tls-certificate, without a password; read again on SIGHUP" },
  { "--admin-key-file",          "ARMDYN_ADMIN_KEY_FILE",          AS_TEXT(admin_key_file),             "",               NO_BOUNDS,                          "FILE",
    "file with an admin key, besides those of `armdyn key`; without any key only loopback is served" },
  { "--host-names",              "ARMDYN_HOST_NAMES",              AS_TEXT(host_names),                 "",               NO_BOUNDS,                          "NAMES",
    "names of this service beside localhost, with commas: robots.example,10.0.0.5:8443; without keys no other Host is taken" },
  { "--trusted-proxies",         "ARMDYN_TRUSTED_PROXIES",         AS_TEXT(trusted_proxies),            "",               NO_BOUNDS,                          "ADDRESSES",
    "addresses and ranges, with commas, of proxies that are believed in whose name they call: 10.0.0.7,fd00::/8" },
  { "--forwarded-header",        "ARMDYN_FORWARDED_HEADER",        AS_CHOICE(forwarded_header),         "x-forwarded-for", ONE_OF("x-forwarded-for forwarded"), "NAME",
    "the header in which they say it: x-forwarded-for, forwarded; the other one is ignored" },
  { "--webhook-networks",        "ARMDYN_WEBHOOK_NETWORKS",        AS_TEXT(webhook_networks),           "",               NO_BOUNDS,                          "ADDRESSES",
    "addresses and ranges, with commas, that webhooks may lead to; by default all but loopback and private ones" },
  { "--webhook-ca",              "ARMDYN_WEBHOOK_CA",              AS_TEXT(webhook_ca),                 "",               NO_BOUNDS,                          "FILE",
    "PEM file with the authorities that the receivers of webhooks are trusted by, in place of the system's" },
  { "--webhook-retry",           "ARMDYN_WEBHOOK_RETRY",           AS_INTEGER(webhook_retry),           "5",              BETWEEN(1, 3600),                   "SECONDS",
    "pause before a message to a webhook is sent again; it doubles with every attempt, up to six hours" },
  { "--mqtt-broker",             "ARMDYN_MQTT_BROKER",             AS_TEXT(mqtt_broker),                "",               NO_BOUNDS,                          "URL",
    "publish the log of events to this MQTT broker: mqtt://HOST[:PORT] or mqtts://HOST[:PORT]; by default none" },
  { "--mqtt-ca",                 "ARMDYN_MQTT_CA",                 AS_TEXT(mqtt_ca),                    "",               NO_BOUNDS,                          "FILE",
    "PEM file with the authorities that the broker is trusted by, in place of the system's" },
  { "--mqtt-user",               "ARMDYN_MQTT_USER",               AS_TEXT(mqtt_user),                  "",               NO_BOUNDS,                          "NAME",
    "whom the broker knows this service as" },
  { "--mqtt-password-file",      "ARMDYN_MQTT_PASSWORD_FILE",      AS_TEXT(mqtt_password_file),         "",               NO_BOUNDS,                          "FILE",
    "file with the password of --mqtt-user in its first line; read again with every connection" },
  { "--mqtt-topic-prefix",       "ARMDYN_MQTT_TOPIC_PREFIX",       AS_TEXT(mqtt_topic_prefix),          "armdyn",         NO_BOUNDS,                          "TOPIC",
    "what all topics begin with, such as plant/hall-2/armdyn" },
  { "--log-level",               "ARMDYN_LOG_LEVEL",               AS_CHOICE(log_level),                "info",           ONE_OF("debug info warning error"), "LEVEL",
    "least level that is logged: debug, info, warning, error" },
  { "--http-threads",            "ARMDYN_HTTP_THREADS",            AS_INTEGER(http_threads),            "0",              BETWEEN(0, 256),                    "N",
    "event threads, 120 connections each; 0: cores, at least 10" },
  { "--compute-threads",         "ARMDYN_COMPUTE_THREADS",         AS_INTEGER(compute_threads),         "0",              BETWEEN(0, 256),                    "N",
    "threads for large calls; 0: cores" },
  { "--workers",                 "ARMDYN_WORKERS",                 AS_INTEGER(workers),                 "0",              BETWEEN(0, 256),                    "N",
    "worker processes for jobs; 0: cores" },
  { "--worker-memory",           "ARMDYN_WORKER_MEMORY",           AS_INTEGER(worker_memory),           "2048",           LIMIT(0, 1 << 20),                  "MIB",
    "address space of each worker process; a job that needs more fails; 0: no limit" },
  { "--job-cpu-time",            "ARMDYN_JOB_CPU_TIME",            AS_INTEGER(job_cpu_time),            "14400",          LIMIT(0, 1 << 30),                  "SECONDS",
    "processor time of one job; one that needs more fails; 0: no limit" },
  { "--keep-jobs",               "ARMDYN_KEEP_JOBS",               AS_INTEGER(keep_jobs),               "0",              LIMIT(0, 36500),                    "DAYS",
    "how long ended jobs are kept, with results that nobody pinned or needs; 0: for ever" },
  { "--keep-orders",             "ARMDYN_KEEP_ORDERS",             AS_INTEGER(keep_orders),             "0",              LIMIT(0, 36500),                    "DAYS",
    "how long ended orders are kept; 0: for ever" },
  { "--keep-alarms",             "ARMDYN_KEEP_ALARMS",             AS_INTEGER(keep_alarms),             "0",              LIMIT(0, 36500),                    "DAYS",
    "how long cleared alarms are kept; 0: for ever, but no more than the newest 100,000" },
  { "--disk-low",                "ARMDYN_DISK_LOW",                AS_INTEGER(disk_low),                "512",            LIMIT(0, 1 << 30),                  "MIB",
    "an alarm is raised when less is left on the disk of the store; 0: never" },
  { "--disk-slow",               "ARMDYN_DISK_SLOW",               AS_INTEGER(disk_slow),               "5",              LIMIT(0, 86400),                    "SECONDS",
    "an alarm is raised when the disk of the store has not taken a write for so long; 0: never" },
  { "--watch-controllers",       "ARMDYN_WATCH_CONTROLLERS",       AS_CHOICE(watch_controllers),        "off",            ONE_OF("off on"),                   "WHEN",
    "on: look at every controller once a second, so that an alarm tells which is lost; off: while somebody listens" },
  { "--body-timeout",            "ARMDYN_BODY_TIMEOUT",            AS_INTEGER(body_timeout),            "30",             BETWEEN(1, 3600),                   "SECONDS",
    "time for a whole request to arrive; an upload has more for every 16 KiB a second that it sends" },
  { "--upload-limit",            "ARMDYN_UPLOAD_LIMIT",            AS_INTEGER(upload_limit),            "4096",           BETWEEN(1, 1 << 20),                "MIB",
    "size of the upload of a data set, also when it is decompressed" },
  { "--upload-cpu-time",         "ARMDYN_UPLOAD_CPU_TIME",         AS_INTEGER(upload_cpu_time),         "600",            LIMIT(0, 1 << 30),                  "SECONDS",
    "processor time that one upload may take; 0: no limit" },
  { "--upload-threads",          "ARMDYN_UPLOAD_THREADS",          AS_INTEGER(upload_threads),          "2",              BETWEEN(1, 256),                    "N",
    "threads that read uploads, behind all others; further uploads wait" },
  { "--idle-timeout",            "ARMDYN_IDLE_TIMEOUT",            AS_INTEGER(idle_timeout),            "60",             BETWEEN(1, 3600),                   "SECONDS",
    "time that a connection is kept without a request" },
  { "--connections-per-address", "ARMDYN_CONNECTIONS_PER_ADDRESS", AS_INTEGER(connections_per_address), "-1",             LIMIT(-1, 100000),                  "N",
    "connections from one client address; 0: no limit; -1: 200, and no limit over loopback" },
  { "--streams-per-key",         "ARMDYN_STREAMS_PER_KEY",         AS_INTEGER(streams_per_key),         "-1",             LIMIT(-1, 100000),                  "N",
    "event streams that one API key may have open; 0: no limit; -1: 50, and no limit where only loopback is served" },
  { "--waiting-jobs",            "ARMDYN_WAITING_JOBS",            AS_INTEGER(waiting_jobs),            "10000",          BETWEEN(10, 1000000),               "N",
    "jobs that have not ended, of all keys; the last tenth is for priorities above 0; 0.4 KB of memory each" },
  { "--waiting-jobs-per-key",    "ARMDYN_WAITING_JOBS_PER_KEY",    AS_INTEGER(waiting_jobs_per_key),    "-1",             LIMIT(-1, 1000000),                  "N",
    "jobs of one API key that may wait; 0: no limit; -1: 400, and no limit where only loopback is served" },
  { "--running-jobs-per-key",    "ARMDYN_RUNNING_JOBS_PER_KEY",    AS_INTEGER(running_jobs_per_key),    "-1",             LIMIT(-1, 100000),                  "N",
    "jobs of one API key that may run; 0: no limit; -1: all workers but one, and no limit where only loopback is served" },
  { "--stop-timeout",            "ARMDYN_STOP_TIMEOUT",            AS_INTEGER(stop_timeout),            "8",              BETWEEN(1, 600),                    "SECONDS",
    "time to finish what runs when asked to stop" },
  { "--child-silence",           "ARMDYN_CHILD_SILENCE",           AS_INTEGER(child_silence),           "3",              BETWEEN(1, 3600),                   "SECONDS",
    "a gateway or worker process that answers no ping for so long is killed and started again" },
  { "--job-stall",               "ARMDYN_JOB_STALL",               AS_INTEGER(job_stall),               "0",              BETWEEN(0, 1 << 30),                "SECONDS",
    "a worker whose job gets on no further for so long is killed, and the job tried again; 0: as its kind has it" },
  { "--on-server-loss",          "ARMDYN_ON_SERVER_LOSS",          AS_CHOICE(on_server_loss),           "stop",           ONE_OF("stop finish"),              "ACTION",
    "what the gateway does with a playing transfer when this process dies: stop, finish" },
};
/* clang-format on */
enum { OPTION_COUNT = sizeof table / sizeof *table };

static bool is_choice(const char *choices, const char *value)
{
  size_t length = strlen(value);
  for (const char *p = choices; *p; p += strspn(p, " ")) {
    size_t word = strcspn(p, " ");
    if (length && word == length && !memcmp(p, value, length)) return true;
    p += word;
  }
  return false;
}

/* `source` is the flag or the variable that the value came by. */
static enum armdyn_status set(struct options *options, const struct option *o, const char *source, const char *value,
                              struct armdyn_error *error)
{
  char *field = (char *)options + o->offset;
  if (o->kind == INTEGER) {
    char *end;
    errno = 0;
    long number = strtol(value, &end, 10);
    if (end == value || *end || errno || number < o->least || number > o->most)
      return armdyn_refuse(error, ARMDYN_EINPUT, "", "%s: '%s' is no whole number from %ld to %ld", source, value,
                           o->least, o->most);
    memcpy(field, &number, sizeof number);
    return ARMDYN_OK;
  }
  if (o->kind == CHOICE && !is_choice(o->choices, value))
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "%s: '%s' is none of: %s", source, value, o->choices);
  if ((size_t)snprintf(field, o->size, "%s", value) >= o->size)
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "%s: '%.32s...' is longer than %zu characters", source, value,
                         o->size - 1);
  return ARMDYN_OK;
}

static const char *flag_of(const void *list, size_t index)
{
  return ((const struct option *)list)[index].flag;
}

static enum armdyn_status refuse_unknown(const char *argument, struct armdyn_error *error)
{
  char flag[64];
  snprintf(flag, sizeof flag, "%.*s", (int)strcspn(argument, "="), argument);
  const char *best = nearest(flag, flag_of, table, OPTION_COUNT);
  if (best) return armdyn_refuse(error, ARMDYN_EINPUT, "", "unknown option '%s'; did you mean %s?", argument, best);
  return armdyn_refuse(error, ARMDYN_EINPUT, "", "unknown option '%s'; --help lists all", argument);
}

/* The row that argv[*i] names, and its value: "--flag value" or "--flag=value". *i is moved to the last word used. */
static enum armdyn_status read_flag(int argc, char **argv, int *i, struct options *options, struct armdyn_error *error)
{
  const char *argument = argv[*i];
  size_t length = strcspn(argument, "=");
  for (size_t k = 0; k < OPTION_COUNT; k++) {
    const struct option *o = &table[k];
    if (strlen(o->flag) != length || memcmp(o->flag, argument, length)) continue;
    if (argument[length] == '=') return set(options, o, o->flag, argument + length + 1, error);
    if (*i + 1 >= argc) return armdyn_refuse(error, ARMDYN_EINPUT, "", "%s needs a value (%s)", o->flag, o->value);
    return set(options, o, o->flag, argv[++*i], error);
  }
  return refuse_unknown(argument, error);
}

enum armdyn_status options_parse(int argc, char **argv, struct options *options, struct armdyn_error *error)
{
  memset(options, 0, sizeof *options);
  enum armdyn_status status = ARMDYN_OK;
  for (size_t i = 0; i < OPTION_COUNT && !status; i++) {
    const struct option *o = &table[i];
    status = set(options, o, o->flag, o->standard, error);
    const char *value = getenv(o->variable);
    if (!status && value) status = set(options, o, o->variable, value, error);
  }
  for (int i = 1; i < argc && !status; i++) status = read_flag(argc, argv, &i, options, error);
  return status;
}

static void settle(long *option, long open, long number)
{
  if (*option == open) *option = number;
}

/* Of several workers one stays for others than the key that has all the rest. Who serves this machine only has one user. */
void options_settle(struct options *options, bool loopback, long cores)
{
  settle(&options->http_threads, 0, cores > HTTP_THREADS_LEAST ? cores : HTTP_THREADS_LEAST);
  settle(&options->compute_threads, 0, cores);
  settle(&options->workers, 0, cores);
  settle(&options->streams_per_key, -1, loopback ? 0 : STREAMS_OF_KEY);
  settle(&options->waiting_jobs_per_key, -1, loopback ? 0 : WAITING_JOBS_OF_KEY);
  settle(&options->running_jobs_per_key, -1, loopback ? 0 : options->workers > 1 ? options->workers - 1 : 1);
  options->own_address_is_free = options->connections_per_address < 0;
  settle(&options->connections_per_address, -1, loopback ? 0 : CONNECTIONS_OF_ADDRESS);
}

void options_help(void)
{
  printf("Options, each also as a variable of the environment (the option wins):\n");
  for (size_t i = 0; i < OPTION_COUNT; i++) {
    const struct option *o = &table[i];
    printf("\n  %s %s\n      %s\n      %s", o->flag, o->value, o->help, o->variable);
    printf(*o->standard ? ", default %s\n" : ", default: none\n", o->standard);
  }
}

void options_list(void (*visit)(void *context, const char *flag, const char *variable, const char *standard),
                  void *context)
{
  for (size_t i = 0; i < OPTION_COUNT; i++) visit(context, table[i].flag, table[i].variable, table[i].standard);
}

void options_numbers(const struct options *options,
                     void (*visit)(void *context, const char *flag, long value, bool none), void *context)
{
  for (size_t i = 0; i < OPTION_COUNT; i++) {
    long value;
    if (table[i].kind != INTEGER) continue;
    memcpy(&value, (const char *)options + table[i].offset, sizeof value);
    visit(context, table[i].flag, value, table[i].may_be_none && !value);
  }
}
