#include "server/base/log.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

#include "server/base/clock.h"

/* A line is cut at LINE_MOST, so that a hostile path cannot make it long; GATHER_MOST bounds what waits, and the last of it
 * is for warnings. */
enum { LINE_MOST = PIPE_BUF, GATHER_MOST = 1 << 20, FOR_WARNINGS = 1 << 16 };
enum { LOG_DELAY_NS = 50 * 1000 * 1000, STUCK_MS = 1000 };

static const char NUMBER_MARK = '\1'; /* the first character of a value that is written without quotes */

static const char *const level_names[LOG_LEVEL_COUNT] = { "debug", "info", "warning", "error" };
static _Atomic int least_level = LOG_INFO;

/* What was gathered and is not yet written. Two halves: one is filled while the other is written, without the lock. */
static struct {
  pthread_mutex_t lock;
  pthread_cond_t filled;
  pthread_t thread;
  bool gathers, stops;
  bool urgent; /* a warning is among it */
  char *half[2];
  int filling;
  size_t length;
  uint64_t lost;
} gather = { .lock = PTHREAD_MUTEX_INITIALIZER };

struct line {
  size_t length;
  char text[LINE_MOST];
};

void log_set_level(enum log_level least)
{
  atomic_store(&least_level, least);
}

bool log_level_of(const char *name, enum log_level *level)
{
  for (int i = 0; i < LOG_LEVEL_COUNT; i++) {
    if (strcmp(name, level_names[i])) continue;
    *level = (enum log_level)i;
    return true;
  }
  return false;
}

bool log_wants(enum log_level level)
{
  return (int)level >= atomic_load_explicit(&least_level, memory_order_relaxed);
}

const char *log_number(char text[32], double value)
{
  text[0] = NUMBER_MARK;
  if (value >= 0 && value < 1e15 && value == (double)(long long)value)
    snprintf(text + 1, 31, "%lld", (long long)value);
  else
    snprintf(text + 1, 31, "%.6g", value);
  return text;
}

/* The time of a line. All but the milliseconds is the same for a second, and there may be 50,000 lines in one. */
static const char *time_text(void)
{
  static _Thread_local int64_t second = -1;
  static _Thread_local char text[TIME_SIZE];
  int64_t now = clock_wall_ms();
  if (now / 1000 != second) {
    second = now / 1000;
    clock_format(now, text);
  }
  for (int i = 22, ms = (int)(now % 1000); i >= 20; i--, ms /= 10) text[i] = (char)('0' + ms % 10);
  return text;
}

/* Append as far as there is room; two bytes stay for the end of the object and of the line. */
static void put(struct line *line, const char *bytes, size_t length)
{
  size_t room = LINE_MOST - 2 - line->length;
  if (length > room) length = room;
  memcpy(line->text + line->length, bytes, length);
  line->length += length;
}

/* A JSON string. Bytes of no printable ASCII character are escaped one by one: the log is ASCII whatever comes. A string
 * that does not fit is cut before the closing quote, never inside an escape. */
static void put_string(struct line *line, const char *text)
{
  static const char hex[] = "0123456789abcdef";
  put(line, "\"", 1);
  for (const unsigned char *p = (const unsigned char *)text; *p && line->length < LINE_MOST - 64; p++) {
    if (*p == '"' || *p == '\\')
      put(line, (char[]){ '\\', (char)*p }, 2);
    else if (*p < 0x20 || *p > 0x7e)
      put(line, (char[]){ '\\', 'u', '0', '0', hex[*p >> 4], hex[*p & 15] }, 6);
    else
      put(line, (const char *)p, 1);
  }
  put(line, "\"", 1);
}

static void put_member(struct line *line, const char *name, const char *value)
{
  if (line->length > LINE_MOST - 256) return; /* a member is whole or absent */
  put(line, line->length > 1 ? "," : "", line->length > 1);
  put_string(line, name);
  put(line, ":", 1);
  if (value[0] == NUMBER_MARK)
    put(line, value + 1, strlen(value + 1));
  else
    put_string(line, value);
}

/* As many whole lines from the start as one write to a pipe with room takes without blocking. */
static size_t lines_for_one_write(const char *bytes, size_t length)
{
  if (length <= PIPE_BUF) return length;
  const char *end = memrchr(bytes, '\n', PIPE_BUF);
  return end ? (size_t)(end - bytes) + 1 : PIPE_BUF;
}

static uint64_t count_lines(const char *bytes, size_t length)
{
  uint64_t lines = 0;
  for (size_t i = 0; i < length; i++) lines += bytes[i] == '\n';
  return lines;
}

/* Answers how many lines are lost. A reader that took nothing for STUCK_MS is not waited for again before it has taken
 * something: standard error may be a pipe that blocks. */
static uint64_t write_out(const char *bytes, size_t length)
{
  static _Atomic bool stuck;
  while (length > 0) {
    struct pollfd ready = { .fd = STDERR_FILENO, .events = POLLOUT };
    int rc = poll(&ready, 1, stuck ? 0 : STUCK_MS);
    if (rc < 0 && errno == EINTR) continue;
    stuck = rc == 0;
    ssize_t n = rc > 0 ? write(STDERR_FILENO, bytes, lines_for_one_write(bytes, length)) : 0;
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return count_lines(bytes, length);
    bytes += n;
    length -= (size_t)n;
  }
  return 0;
}

static uint64_t write_note(uint64_t lost)
{
  char note[128];
  int n = snprintf(note, sizeof note, "{\"level\":\"warning\",\"message\":\"log lines lost\",\"count\":%llu}\n",
                   (unsigned long long)lost);
  return write_out(note, (size_t)n) ? lost : 0;
}

/* Write what was gathered; the caller holds gather.lock, which is free while bytes go out. Only the thread does so, and who
 * stops it, after it. */
static void drain(void)
{
  const char *bytes = gather.half[gather.filling];
  size_t length = gather.length;
  uint64_t lost = gather.lost;
  gather.filling ^= 1;
  gather.length = 0;
  gather.lost = 0;
  gather.urgent = false;
  pthread_mutex_unlock(&gather.lock);
  if (length) lost += write_out(bytes, length);
  if (lost) lost = write_note(lost);
  pthread_mutex_lock(&gather.lock);
  gather.lost += lost;
}

static void *write_gathered(void *nothing)
{
  (void)nothing;
  pthread_mutex_lock(&gather.lock);
  while (!gather.stops) {
    if (!gather.length) {
      pthread_cond_wait(&gather.filled, &gather.lock);
      continue;
    }
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += LOG_DELAY_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    while (!gather.stops && !gather.urgent && gather.length < GATHER_MOST / 2 &&
           !pthread_cond_timedwait(&gather.filled, &gather.lock, &until))
      continue;
    drain();
  }
  pthread_mutex_unlock(&gather.lock);
  return NULL;
}

void log_start(void)
{
  pthread_mutex_lock(&gather.lock);
  if (!gather.gathers) {
    gather.half[0] = malloc(GATHER_MOST);
    gather.half[1] = malloc(GATHER_MOST);
    gather.stops = false;
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&gather.filled, &monotonic);
    pthread_condattr_destroy(&monotonic);
    gather.gathers = gather.half[0] && gather.half[1] && !pthread_create(&gather.thread, NULL, write_gathered, NULL);
  }
  pthread_mutex_unlock(&gather.lock);
}

void log_stop(void)
{
  pthread_mutex_lock(&gather.lock);
  bool gathered = gather.gathers;
  gather.gathers = false;
  gather.stops = true;
  if (gathered) {
    pthread_cond_signal(&gather.filled);
    pthread_mutex_unlock(&gather.lock);
    pthread_join(gather.thread, NULL);
    pthread_mutex_lock(&gather.lock);
    drain();
    pthread_cond_destroy(&gather.filled);
  }
  free(gather.half[0]);
  free(gather.half[1]);
  gather.half[0] = gather.half[1] = NULL;
  pthread_mutex_unlock(&gather.lock);
}

/* Keep the line for the writing thread, or write it now where there is none. */
static void hand_over(const struct line *line, bool urgent)
{
  pthread_mutex_lock(&gather.lock);
  if (!gather.gathers) {
    gather.lost += write_out(line->text, line->length);
  } else if (gather.length + line->length > (urgent ? GATHER_MOST : GATHER_MOST - FOR_WARNINGS)) {
    gather.lost++;
  } else {
    memcpy(gather.half[gather.filling] + gather.length, line->text, line->length);
    bool first = !gather.length, below = gather.length < GATHER_MOST / 2;
    gather.length += line->length;
    gather.urgent = gather.urgent || urgent;
    if (first || urgent || (below && gather.length >= GATHER_MOST / 2)) pthread_cond_signal(&gather.filled);
  }
  pthread_mutex_unlock(&gather.lock);
}

void log_event(enum log_level level, const char *message, ...)
{
  if (!log_wants(level)) return;
  struct line line;
  line.length = 0;
  put(&line, "{", 1);
  put_member(&line, "time", time_text());
  put_member(&line, "level", level_names[level]);
  put_member(&line, "message", message);
  va_list members;
  va_start(members, message);
  for (const char *name; (name = va_arg(members, const char *));) {
    const char *value = va_arg(members, const char *);
    if (value) put_member(&line, name, value);
  }
  va_end(members);
  memcpy(line.text + line.length, "}\n", 2);
  line.length += 2;
  hand_over(&line, level >= LOG_WARNING);
}
