/* A controller to try everything on without an arm: it speaks register protocol v2 and moves a simulated one. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <netdb.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "api/limits.h"
#include "server/base/clock.h"
#include "server/cmd/command.h"
#include "server/cmd/model.h"
#include "server/simulator/modbus_server.h"

static const char usage[] =
    "usage: armdyn controller-sim --listen HOST:PORT (--robot MODEL.json | --axes N) [options]\n\n"
    "A simulated controller (register protocol v2 over Modbus TCP) with a simulated arm. Port 0 picks a free one.\n\n"
    "  --robot MODEL.json   the arm moves by this model's forward dynamics, with friction\n"
    "  --axes N             no model: N unit inertias that follow the reference (1..10)\n"
    "  --position Q1,..     where the arm stands, rad or m; default: at the start of the first profile\n"
    "  --base N             first register, default 1000\n"
    "  --samples N          samples that fit, default 2000000\n"
    "  --ring N             samples of a stream that it holds, default 8192\n"
    "  --formats LIST       sample formats that it takes, default 1,2,3\n"
    "  --scan MS            its program sees its registers once in so many ms, as a PLC's does, and now and then half "
    "of a\n"
    "                       write; default 0: at every write\n"
    "  --places N           window places (1..16), default 8\n"
    "  --outputs N          outputs (1..16): holding registers 0 to N - 1 are written, N to 2 N - 1 tell what became "
    "so\n"
    "  --output-delay MS    how long that takes (0..60000), default 100; -1: it never does\n"
    "  --clock PERCENT      its clock is so much too fast (-50..50), default 0\n"
    "  --blind              without the registers of measured torques\n"
    "  --trace FILE         write every sample played: profile id, index, then position and torque of every axis\n"
    "  --fault NAME[:N|@K]  every N-th request (default 50), or the K-th alone, meets: delay, late, drop, cut, "
    "truncate,\n"
    "                       duplicate, transaction, exception, busy, target, address; once: restart, reboot (the "
    "connection\n"
    "                       stays); always: crc, zeros, silent\n\n"
    "At its end it writes one line of JSON to standard error: what was written, played, and violated.\n";

static atomic_bool stopped;

static void on_signal(int signal_number)
{
  (void)signal_number;
  stopped = true;
}

struct arguments {
  const char *listen, *robot, *trace;
  size_t axes;
  double position[ARMDYN_JOINTS_MAX];
  size_t position_count;
  unsigned long base, samples, ring, every, at, scan, places, outputs;
  int output_delay;
  double clock;
  unsigned formats;
  enum server_fault fault;
  int exception;
  bool blind, help;
};

static bool read_number(const char *text, unsigned long least, unsigned long most, unsigned long *value)
{
  char *end;
  *value = strtoul(text, &end, 10);
  return *text && !*end && *value >= least && *value <= most;
}

static bool read_delay(const char *text, int *value)
{
  unsigned long ms = 0;
  const bool never = !strcmp(text, "-1"), sound = never || read_number(text, 0, 60000, &ms);
  *value = never ? -1 : (int)ms;
  return sound;
}

static bool read_percent(const char *text, double *value)
{
  char *end;
  *value = strtod(text, &end);
  return *text && !*end && *value >= -50 && *value <= 50;
}

static bool read_position(const char *text, struct arguments *a)
{
  for (const char *at = text; a->position_count < ARMDYN_JOINTS_MAX; at++) {
    char *end;
    double q = strtod(at, &end);
    if (end == at || !isfinite(q)) return false;
    a->position[a->position_count++] = q;
    if (!*end) return true;
    if (*end != ',') return false;
    at = end;
  }
  return false;
}

static bool read_formats(const char *text, unsigned *formats)
{
  *formats = 0;
  for (const char *at = text;; at += 2) {
    if (*at < '1' || *at > '3') return false;
    *formats |= 1u << (*at - '1');
    if (!at[1]) return true;
    if (at[1] != ',') return false;
  }
}

static bool read_fault(const char *text, struct arguments *a)
{
  static const struct {
    const char *name;
    enum server_fault fault;
    int exception;
  } faults[] = { { "delay", FAULT_DELAY, 0 },
                 { "late", FAULT_LATE, 0 },
                 { "drop", FAULT_DROP, 0 },
                 { "cut", FAULT_CUT, 0 },
                 { "truncate", FAULT_TRUNCATE, 0 },
                 { "duplicate", FAULT_TWICE, 0 },
                 { "transaction", FAULT_TRANSACTION, 0 },
                 { "exception", FAULT_EXCEPTION, 4 },
                 { "busy", FAULT_EXCEPTION, 6 },
                 { "target", FAULT_EXCEPTION, 11 },
                 { "address", FAULT_EXCEPTION, 2 },
                 { "restart", FAULT_RESTART, 0 },
                 { "reboot", FAULT_REBOOT, 0 },
                 { "crc", FAULT_WRONG_CRC, 0 },
                 { "zeros", FAULT_ZEROS, 0 },
                 { "silent", FAULT_SILENT, 0 } };
  size_t length = strcspn(text, ":@");
  bool once = text[length] == '@';
  a->every = 50;
  a->at = 0;
  if (text[length] && !read_number(text + length + 1, 1, ULONG_MAX, once ? &a->at : &a->every)) return false;
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    if (strlen(faults[i].name) == length && !strncmp(faults[i].name, text, length)) {
      a->fault = faults[i].fault;
      a->exception = faults[i].exception;
      return true;
    }
  return false;
}

/* Always false. */
static bool refuse(const char *what, const char *argument)
{
  fprintf(stderr, "armdyn controller-sim: %s%s; --help tells more\n", what, argument);
  return false;
}

/* false: refused. */
static bool read_arguments(int argc, char **argv, struct arguments *a)
{
  static const struct option options[] = {
    { "help", no_argument, NULL, 'h' },
    { "listen", required_argument, NULL, 'l' },
    { "robot", required_argument, NULL, 'r' },
    { "axes", required_argument, NULL, 'a' },
    { "position", required_argument, NULL, 'p' },
    { "base", required_argument, NULL, 'b' },
    { "samples", required_argument, NULL, 's' },
    { "trace", required_argument, NULL, 't' },
    { "fault", required_argument, NULL, 'f' },
    { "ring", required_argument, NULL, 'R' },
    { "formats", required_argument, NULL, 'F' },
    { "blind", no_argument, NULL, 'B' },
    { "scan", required_argument, NULL, 'S' },
    { "places", required_argument, NULL, 'P' },
    { "clock", required_argument, NULL, 'C' },
    { "outputs", required_argument, NULL, 'o' },
    { "output-delay", required_argument, NULL, 'd' },
    { NULL, 0, NULL, 0 },
  };
  *a = (struct arguments){
    .base = PROTOCOL_BASE, .samples = LIMIT_SERIES_ROWS, .ring = 8192, .formats = 7, .places = 8, .output_delay = 100
  };
  unsigned long axes = 0;
  bool sound = true;
  int index = 0;
  opterr = 0; /* we say it ourselves */
  for (int c; (c = getopt_long(argc, argv, ":h", options, &index)) != -1;) {
    switch (c) {
    case 'h': a->help = true; return true;
    case 'l': a->listen = optarg; break;
    case 'r': a->robot = optarg; break;
    case 'a': sound = read_number(optarg, 1, PROTOCOL_AXES, &axes); break;
    case 'p': sound = read_position(optarg, a); break;
    case 'b': sound = read_number(optarg, 0, 65535, &a->base); break;
    case 'S': sound = read_number(optarg, 0, 1000, &a->scan); break;
    case 'P': sound = read_number(optarg, 1, PROTOCOL_PLACES_MOST, &a->places); break;
    case 'o': sound = read_number(optarg, 1, OUTPUTS_MOST, &a->outputs); break;
    case 'd': sound = read_delay(optarg, &a->output_delay); break;
    case 'C': sound = read_percent(optarg, &a->clock); break;
    case 's': sound = read_number(optarg, 1, UINT32_MAX, &a->samples); break;
    case 'R': sound = read_number(optarg, 1, LIMIT_SERIES_ROWS, &a->ring); break;
    case 'F': sound = read_formats(optarg, &a->formats); break;
    case 't': a->trace = optarg; break;
    case 'B': a->blind = true; break;
    case 'f': sound = read_fault(optarg, a); break;
    case ':': return refuse("a value is missing after ", argv[optind - 1]);
    default: return refuse("there is no option ", argv[optind - 1]);
    }
    if (sound) continue;
    fprintf(stderr, "armdyn controller-sim: --%s does not take '%s'; --help tells more\n", options[index].name, optarg);
    return false;
  }
  a->axes = axes;
  if (optind < argc) return refuse("there is no argument ", argv[optind]);
  if (!a->listen) return refuse("it needs ", "--listen HOST:PORT");
  if (a->base + protocol_span((unsigned)a->places) > 65536)
    return refuse("there is no room behind ", "--base for so many places");
  if (a->base < 2 * a->outputs) return refuse("there is no room for so many outputs below ", "--base");
  return !a->robot == !!a->axes || refuse("it needs either --robot MODEL.json ", "or --axes N");
}

static int cannot_listen(const char *text, const char *reason)
{
  fprintf(stderr, "armdyn controller-sim: cannot listen on '%s': %s\n", text, reason);
  return -1;
}

static int listen_on(const char *text)
{
  char host[256], port[16] = "";
  const char *colon = strrchr(text, ':');
  if (!colon || colon == text) return cannot_listen(text, "it is no HOST:PORT");
  bool bracketed = *text == '[' && colon[-1] == ']';
  snprintf(host, sizeof host, "%.*s", (int)(colon - text) - 2 * bracketed, text + bracketed);
  snprintf(port, sizeof port, "%s", colon + 1);

  struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE }, *found = NULL;
  int trouble = getaddrinfo(host, port, &hints, &found);
  if (trouble) return cannot_listen(text, gai_strerror(trouble));
  int fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1;
  if (fd >= 0) setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (fd < 0 || bind(fd, found->ai_addr, found->ai_addrlen) || listen(fd, 16)) {
    cannot_listen(text, strerror(errno));
    if (fd >= 0) close(fd);
    fd = -1;
  }
  freeaddrinfo(found);
  return fd;
}

static void announce(int fd)
{
  struct sockaddr_storage address = { 0 };
  socklen_t length = sizeof address;
  char host[64] = "?", port[16] = "?";
  if (!getsockname(fd, (struct sockaddr *)&address, &length))
    getnameinfo((struct sockaddr *)&address, length, host, sizeof host, port, sizeof port,
                NI_NUMERICHOST | NI_NUMERICSERV);
  printf(address.ss_family == AF_INET6 ? "listening on [%s]:%s\n" : "listening on %s:%s\n", host, port);
  if (fflush(stdout)) clearerr(stdout);
}

static struct armdyn_robot *load_robot(const char *path)
{
  struct buffer text = BUFFER(LIMIT_MODEL_BODY);
  struct armdyn_robot *robot = NULL;
  if (model_read("controller-sim", path, &text)) robot = model_robot("controller-sim", path, &text);
  buffer_release(&text);
  return robot;
}

/* ,"beats":[[ms, how many],..] and how far the least ahead a stream was, for those who measure the gateway. */
static void summarize_timing(const struct simulator_timing *t)
{
  const char *comma = "";
  fputs(",\"beats\":[", stderr);
  for (int ms = 0; ms <= PROTOCOL_BEAT_MOST_MS; ms++) {
    if (!t->beats[ms]) continue;
    fprintf(stderr, "%s[%d,%lu]", comma, ms, t->beats[ms]);
    comma = ",";
  }
  fputs("],\"ahead_least_ms\":", stderr);
  if (isfinite(t->ahead_least_us))
    fprintf(stderr, "%.1f", t->ahead_least_us * 1e-3);
  else
    fputs("null", stderr);
}

/* ,"outputs":[[output, value, profile, index],..]: every write, and where the motion was. */
static void summarize_outputs(const struct outputs *o)
{
  if (!o->count) return;
  fputs(",\"outputs\":[", stderr);
  for (size_t i = 0; i < o->told_count; i++)
    fprintf(stderr, "%s[%u,%u,%u,%u]", i ? "," : "", o->told[i].output, o->told[i].value, o->told[i].profile,
            o->told[i].index);
  fputs("]", stderr);
}

static void summarize(const struct modbus_server *server)
{
  const struct simulator *s = server->simulator;
  fprintf(stderr,
          "{\"requests\":%llu,\"writes\":%llu,\"registers_written\":%llu,\"malformed\":%llu,\"faults\":%llu,"
          "\"profiles\":%lu,\"starts\":%lu,\"samples_played\":%llu,\"underruns\":%lu,\"violations\":%lu,\"violation\":"
          "\"%s\",\"state\":\"%s\",\"position\":[",
          server->requests, server->writes, s->registers_written, server->malformed, server->faults, s->profiles,
          s->starts, s->samples_played, s->underruns, s->witness.violations, s->witness.first,
          protocol_phase_word(s->phase));
  for (size_t j = 0; j < s->arm.axes; j++) fprintf(stderr, "%s%.9g", j ? "," : "", s->arm.q[j]);
  fputs("]", stderr);
  summarize_timing(&s->timing);
  summarize_outputs(&server->outputs);
  fputs("}\n", stderr);
}

static void catch_signals(void)
{
  struct sigaction action = { .sa_handler = on_signal };
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGINT, &action, NULL);
  signal(SIGPIPE, SIG_IGN);
}

static int simulate(const struct arguments *a, const struct armdyn_robot *robot)
{
  struct simulator_options options = {
    .robot = robot,
    .axes = a->axes,
    .position = a->position_count ? a->position : NULL,
    .samples_most = (uint32_t)a->samples,
    .ring = (uint32_t)a->ring,
    .formats = a->formats,
    .blind = a->blind,
    .trace = a->trace ? fopen(a->trace, "w") : NULL,
    .wrong_crc = a->fault == FAULT_WRONG_CRC,
    .stores_zeros = a->fault == FAULT_ZEROS,
    .places = (unsigned)a->places,
    .scan_ms = (int)a->scan,
    .instance = (uint16_t)(clock_wall_ms() / 100), /* as of a controller that retains no counter */
  };
  struct simulator simulator = { .data = NULL };
  struct modbus_server server = {
    .simulator = &simulator,
    .listener = listen_on(a->listen),
    .base = (unsigned)a->base,
    .outputs = { .count = (unsigned)a->outputs, .delay_ms = a->output_delay },
    .fault = a->fault == FAULT_WRONG_CRC || a->fault == FAULT_ZEROS ? FAULT_NOTHING : a->fault,
    .exception = a->exception,
    .every = a->every,
    .at = a->at,
    .millisecond_ns = (int64_t)(1e6 / (1 + a->clock / 100)),
  };
  int exit_status = 1;
  if (a->trace && !options.trace) {
    fprintf(stderr, "armdyn controller-sim: cannot write %s\n", a->trace);
  } else if (server.listener >= 0 && simulator_init(&simulator, &options)) {
    fprintf(stderr, "armdyn controller-sim: out of memory\n");
  } else if (server.listener >= 0) {
    catch_signals();
    announce(server.listener);
    modbus_server_run(&server, &stopped);
    summarize(&server);
    exit_status = simulator.witness.violations ? 1 : 0;
  }
  simulator_release(&simulator);
  if (server.listener >= 0) close(server.listener);
  if (options.trace && fclose(options.trace)) exit_status = 1;
  return exit_status;
}

int command_controller_sim(int argc, char **argv)
{
  struct arguments arguments;
  if (!read_arguments(argc, argv, &arguments)) return 2;
  if (arguments.help) {
    fputs(usage, stdout);
    return 0;
  }
  struct armdyn_robot *robot = NULL;
  if (arguments.robot && !(robot = load_robot(arguments.robot))) return 1;
  size_t axes = robot ? armdyn_robot_joint_count(robot) : arguments.axes;
  int exit_status = 2;
  if (axes > PROTOCOL_AXES)
    fprintf(stderr, "armdyn controller-sim: %s has %zu joints, a controller at most %d axes\n", arguments.robot, axes,
            PROTOCOL_AXES);
  else if (arguments.position_count && arguments.position_count != axes)
    fprintf(stderr, "armdyn controller-sim: --position has %zu numbers for %zu axes\n", arguments.position_count, axes);
  else
    exit_status = simulate(&arguments, robot);
  armdyn_robot_free(robot);
  return exit_status;
}
