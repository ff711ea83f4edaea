/* GET /metrics: what everything counts, for Prometheus. To add a figure: a line in the part that it belongs to, and, if
 * somebody should be woken for it, an alert in deploy/prometheus/alerts.yml. */
#include <dirent.h>
#include <inttypes.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "armdyn/armdyn.h"
#include "server/app.h"
#include "server/base/metric.h"
#include "server/config/options.h"
#include "server/gateway/figures.h"
#include "server/gateway/gateway.h"
#include "server/http/events.h"
#include "server/jobs/jobs.h"
#include "server/mqtt/mqtt.h"
#include "server/routes/handlers.h"
#include "server/store/store.h"
#include "server/webhooks/webhooks.h"

static void write_jobs(struct jobs *jobs, struct buffer *out)
{
  struct jobs_figures f;
  jobs_figures(jobs, &f);
  metric_head(out, "armdyn_jobs", METRIC_GAUGE, "Jobs that have not ended, by state.");
  buffer_format(out, "armdyn_jobs{state=\"queued\"} %zu\narmdyn_jobs{state=\"running\"} %zu\n", f.queued, f.running);
  metric_head(out, "armdyn_jobs_ended_total", METRIC_COUNTER, "Jobs that have ended, by kind and how.");
  for (size_t k = 0; k < JOB_KINDS_MOST && f.ended[k].kind[0]; k++)
    for (int state = JOB_SUCCEEDED; state < JOB_STATE_COUNT; state++)
      buffer_format(out, "armdyn_jobs_ended_total{kind=\"%s\",state=\"%s\"} %" PRIu64 "\n", f.ended[k].kind,
                    job_state_name((enum job_state)state), f.ended[k].count[state]);
  metric_write(out, "armdyn_jobs_limit", METRIC_GAUGE, "Jobs that are taken at most.", (double)f.live_most);
  metric_write(out, "armdyn_jobs_waiting_per_key_limit", METRIC_GAUGE, "Jobs of one key that may wait; 0: no limit.",
               (double)f.waiting_most);
  metric_write(out, "armdyn_jobs_running_per_key_limit", METRIC_GAUGE, "Jobs of one key that may run; 0: no limit.",
               (double)f.running_most);
  metric_write(out, "armdyn_jobs_share_refusals_total", METRIC_COUNTER,
               "Jobs that were refused because as many of their key waited as may.", (double)f.refused);
  metric_write(out, "armdyn_draining", METRIC_GAUGE, "1: no jobs and transfers are taken, until a stop.",
               jobs_draining(jobs));
  metric_write(out, "armdyn_workers", METRIC_GAUGE, "Worker processes that there should be.", (double)f.workers);
  metric_write(out, "armdyn_workers_ready", METRIC_GAUGE, "Worker processes that take or run jobs.", (double)f.ready);
  metric_write(out, "armdyn_attempts_lost_total", METRIC_COUNTER, "Attempts of jobs whose worker died.",
               (double)f.lost);
  metric_write(out, "armdyn_job_parts_helped_total", METRIC_COUNTER,
               "Parts of jobs that a worker computed which had nothing else to do.", (double)f.helped);
  metric_write(out, "armdyn_workers_hung_total", METRIC_COUNTER,
               "Workers that were killed because they did not answer, or their job did not get on.", (double)f.hung);
}

static void write_store(const struct app *app, struct buffer *out)
{
  struct store_counts c = store_counts(app->store);
  struct statvfs disk;
  metric_write(out, "armdyn_store_operations_total", METRIC_COUNTER, "Changes of the store.", (double)c.operations);
  metric_write(out, "armdyn_store_commits_total", METRIC_COUNTER, "Commits, each of one or more changes.",
               (double)c.commits);
  metric_write(out, "armdyn_store_commit_failures_total", METRIC_COUNTER, "Commits that failed.",
               (double)c.failed_commits);
  metric_write(out, "armdyn_store_checkpoints_total", METRIC_COUNTER, "Times that the log was moved into the database.",
               (double)c.checkpoints);
  metric_write(out, "armdyn_store_queue", METRIC_GAUGE, "Changes that wait for the writer.", (double)c.queued);
  metric_write(out, "armdyn_store_queue_limit", METRIC_GAUGE, "Changes that may wait.", LIMIT_WRITES_QUEUED);
  if (statvfs(app->options->data, &disk)) return;
  metric_write(out, "armdyn_store_disk_free_bytes", METRIC_GAUGE, "Room on the disk of the store.",
               (double)disk.f_bavail * (double)disk.f_frsize);
  metric_write(out, "armdyn_store_disk_bytes", METRIC_GAUGE, "Size of that disk.",
               (double)disk.f_blocks * (double)disk.f_frsize);
}

static void write_round_trips(const struct gateway_figures *f, struct buffer *out)
{
  static const int64_t bounds[FIGURE_LATENCIES - 1] = FIGURE_LATENCY_BOUNDS;
  static const char name[] = "armdyn_gateway_round_trip_seconds";
  uint64_t below = 0;
  buffer_format(out, "# HELP %s Time from a Modbus request to its answer.\n# TYPE %s histogram\n", name, name);
  for (size_t i = 0; i < FIGURE_LATENCIES - 1; i++) {
    below += f->latencies[i];
    buffer_format(out, "%s_bucket{le=\"%g\"} %" PRIu64 "\n", name, (double)bounds[i] * 1e-6, below);
  }
  below += f->latencies[FIGURE_LATENCIES - 1];
  buffer_format(out, "%s_bucket{le=\"+Inf\"} %" PRIu64 "\n%s_sum %.6f\n%s_count %" PRIu64 "\n", name, below, name,
                (double)f->latency_us * 1e-6, name, below);
}

static void write_gateway(struct gateway *gateway, struct buffer *out)
{
  struct gateway_figures f;
  gateway_figures(gateway, &f);
  metric_write(out, "armdyn_gateway_up", METRIC_GAUGE, "Does the gateway process answer?",
               gateway_ready(gateway, NULL));
  metric_write(out, "armdyn_gateway_silences_total", METRIC_COUNTER,
               "Gateway processes that were killed for not answering.", (double)gateway_silences(gateway));
  const struct {
    const char *name, *help;
    uint64_t value;
  } rows[] = {
#define X(figure, meaning) { #figure, meaning, f.figure },
    FIGURE_LIST(X)
#undef X
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char name[96];
    if (!strcmp(rows[i].name, "latency_us")) continue; /* the sum of the histogram */
    snprintf(name, sizeof name, "armdyn_gateway_%s_total", rows[i].name);
    metric_write(out, name, METRIC_COUNTER, rows[i].help, (double)rows[i].value);
  }
  write_round_trips(&f, out);
}

static size_t open_descriptors(void)
{
  size_t count = 0;
  DIR *folder = opendir("/proc/self/fd");
  if (!folder) return 0;
  while (readdir(folder)) count++;
  closedir(folder);
  return count > 3 ? count - 3 : 0; /* ".", "..", and the folder itself */
}

/* Pages of memory are the second figure of /proc/self/statm. */
static double resident_bytes(void)
{
  char line[128] = "", *at = line;
  FILE *file = fopen("/proc/self/statm", "re");
  if (!file) return 0;
  bool read = fgets(line, sizeof line, file) != NULL;
  fclose(file);
  if (!read) return 0;
  (void)strtol(at, &at, 10);
  return (double)strtol(at, &at, 10) * (double)sysconf(_SC_PAGESIZE);
}

static void write_process(struct buffer *out)
{
  struct rusage use;
  struct rlimit files;
  getrusage(RUSAGE_SELF, &use);
  metric_head(out, "armdyn_build_info", METRIC_GAUGE, "Always 1; its label is the version.");
  buffer_format(out, "armdyn_build_info{version=\"%s\"} 1\n", armdyn_version());
  metric_write(out, "process_cpu_seconds_total", METRIC_COUNTER, "Processor time of the service, without its children.",
               (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
                   (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1e-6);
  metric_write(out, "process_resident_memory_bytes", METRIC_GAUGE, "Memory of the service, without its children.",
               resident_bytes());
  metric_write(out, "process_open_fds", METRIC_GAUGE, "File descriptors.", (double)open_descriptors());
  if (!getrlimit(RLIMIT_NOFILE, &files) && files.rlim_cur != RLIM_INFINITY)
    metric_write(out, "process_max_fds", METRIC_GAUGE, "File descriptors that it may have.", (double)files.rlim_cur);
}

enum outcome metrics_get(struct exchange *x)
{
  const struct app *app = exchange_app(x);
  struct buffer out = BUFFER(MB(4));
  exchange_write_metrics(x, &out);
  hub_write_metrics(app->events, &out);
  write_jobs(app->jobs, &out);
  write_store(app, &out);
  write_gateway(app->gateway, &out);
  webhooks_write_metrics(app->webhooks, &out);
  mqtt_write_metrics(app->mqtt, &out);
  write_process(&out);
  answer_bytes(x, 200, "text/plain; version=0.0.4; charset=utf-8", &out);
  return ANSWERED;
}
