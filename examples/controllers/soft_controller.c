/* A controller for a soft PLC: the controller's side of register protocol v2 behind a Modbus TCP server of its own.
 *
 *   cc -O2 -std=c17 soft_controller.c -lm -o soft_controller && ./soft_controller [PORT [CYCLE_MS]]
 *   armdyn controller-test 127.0.0.1:PORT
 *
 * It says `listening on 127.0.0.1:PORT`, looks at its registers once a cycle, and holds downloaded profiles (no streams).
 * drives() stands for your field bus: it is given position references and torque feed-forward in every cycle, and says
 * where the axes are; -DDRIVES='"FILE"' takes those of another file (ur_rtde_drives.h).
 * `armdyn registers` prints what stands in which register. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <arpa/inet.h>
#include <math.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { AXES = 6, PLACES = 8, BASE = 1000, SPAN = 100 + 128 * PLACES, WINDOW = 118, DATA = 1 << 22, CHECKED = 20000 };
enum { EMPTY, LOADING, READY, ARMED, PLAYING, HOLDING, DONE, FAULT, NOWHERE };
enum { BEGIN = 1, COMMIT, ARM, START, HOLD, RESUME, STOP, CLEAR, COMMANDS };
enum {
  OK,
  NOT_ALLOWED,
  FORMAT,
  TOO_LONG,
  CRC,
  TORQUE,
  RATE,
  POSITION,
  BEAT = 9,
  BAD_WINDOW,
  BAD_AXES,
  OTHER = 13,
  LATE
};
static const double RAMP_S = 0.2, TOLERANCE = 0.05, TORQUE_MOST = 1000, STEP_MOST = 1000;

/* Where each command is taken: bit s for state s. */
static const unsigned taken_in[COMMANDS] = {
  [BEGIN] = 1 << EMPTY | 1 << LOADING | 1 << READY | 1 << DONE,
  [COMMIT] = 1 << LOADING,
  [ARM] = 1 << READY,
  [START] = 1 << ARMED,
  [HOLD] = 1 << PLAYING,
  [RESUME] = 1 << HOLDING,
  [STOP] = 0xFF,
  [CLEAR] = 1 << EMPTY | 1 << LOADING | 1 << READY | 1 << DONE | 1 << FAULT,
};

static uint16_t R[SPAN], data[DATA]; /* the block of registers; the samples */
static struct {
  int state, ending; /* ending: the state that is entered at rest */
  uint16_t number, error, own_error, loss, format, mask, beat, instance;
  uint32_t check, profile, total, period_us, crc, held, play;
  unsigned axes, words; /* of the mask; of a sample */
  float start[10];
  uint16_t seen_number; /* of the command that was looked at last */
  uint32_t seen_check;
  bool committing;
  uint32_t checked, commit_total, commit_crc, sum;
  double uptime_s, beat_s, path_s, speed, target;
  double position[10];
} c;

/* -- words -- */
static uint32_t get32(const uint16_t *w)
{
  return (uint32_t)w[0] << 16 | w[1];
}

static void put32(uint16_t *w, uint32_t value)
{
  w[0] = (uint16_t)(value >> 16);
  w[1] = (uint16_t)value;
}

static float get_float(const uint16_t *w)
{
  uint32_t bits = get32(w);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static void put_float(uint16_t *w, float value)
{
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  put32(w, bits);
}

/* CRC-32 of IEEE 802.3 over words as big-endian bytes; begin with 0, go on with what it answered. */
static uint32_t crc32(uint32_t crc, const uint16_t *words, size_t count)
{
  static uint32_t table[256];
  for (uint32_t i = 0; !table[255] && i < 256; i++) {
    table[i] = i;
    for (int bit = 0; bit < 8; bit++) table[i] = table[i] & 1 ? table[i] >> 1 ^ 0xEDB88320 : table[i] >> 1;
  }
  crc = ~crc;
  for (size_t i = 0; i < count; i++) {
    crc = table[(crc ^ words[i] >> 8) & 0xFF] ^ crc >> 8;
    crc = table[(crc ^ words[i]) & 0xFF] ^ crc >> 8;
  }
  return ~crc;
}

static uint32_t uptime_ms(void)
{
  return (uint32_t)(uint64_t)(c.uptime_s * 1000);
}

/* -- your drives: references and torques go out, measured positions come in -- */
#ifdef DRIVES
#include DRIVES
#else
static void drives(bool enabled, const double reference[10], const double torque[10])
{
  (void)torque;
  if (enabled) memcpy(c.position, reference, sizeof c.position);
}
#endif

/* -- windows -- */
static bool take(const uint16_t *place)
{
  uint16_t w[5 + WINDOW], head[5]; /* the copy that is checked is the copy that is taken */
  if (get32(place) != c.held) return false;
  memcpy(w, place, sizeof w);
  if (get32(w) != c.held || !w[2] || w[2] > WINDOW) return false;
  put32(head, c.profile);
  memcpy(head + 2, w, 3 * sizeof *w);
  if (crc32(crc32(0, head, 5), w + 5, w[2]) != get32(w + 3)) return false;
  if (w[2] % c.words || c.held + w[2] / c.words > c.total) {
    c.own_error = BAD_WINDOW;
    return false;
  }
  memcpy(data + (size_t)c.held * c.words, w + 5, w[2] * sizeof *w);
  c.held += w[2] / c.words;
  return true;
}

static void take_windows(void)
{
  for (int n = 0; n < PLACES; n++) {
    bool any = false;
    for (int k = 0; k < PLACES && !any && c.state == LOADING && !c.committing; k++) any = take(R + 100 + 128 * k);
    if (!any) return;
  }
}

/* -- commands -- */
static void forget(void)
{
  c.state = EMPTY;
  c.ending = NOWHERE;
  c.profile = c.held = c.crc = c.play = c.total = 0;
  c.committing = false;
}

static int begin(const uint16_t *w)
{
  const unsigned axes = (unsigned)__builtin_popcount(w[9]), words = axes * (w[8] == 3 ? 4 : 2);
  if (!axes || w[9] >> AXES) return BAD_AXES;
  if ((w[8] != 2 && w[8] != 3) || !get32(w + 6) || w[10] < 1 || w[10] > 2 || w[11] < 1 || w[11] > 2) return FORMAT;
  if (!get32(w + 4) || get32(w + 4) > DATA / words) return TOO_LONG;
  if (!get32(w + 2)) return OTHER;
  forget();
  c.profile = get32(w + 2), c.total = get32(w + 4), c.period_us = get32(w + 6);
  c.format = w[8], c.mask = w[9], c.loss = w[11], c.axes = axes, c.words = words;
  for (int a = 0; a < 10; a++) c.start[a] = get_float(w + 20 + 2 * a);
  c.own_error = 0;
  c.state = LOADING;
  return OK;
}

static int arm(void)
{
  for (int a = 0; a < AXES; a++)
    if (c.mask >> a & 1 && !(fabs(c.start[a] - c.position[a]) <= TOLERANCE)) return POSITION; /* NaN too */
  c.state = ARMED;
  c.beat_s = 0;
  return OK;
}

static int execute(const uint16_t *w)
{
  switch (w[0]) {
  case BEGIN: return begin(w);
  case COMMIT:
    c.committing = true;
    c.checked = c.sum = 0;
    c.commit_total = get32(w + 4), c.commit_crc = get32(w + 12);
    return OK;
  case ARM: return arm();
  case START: c.state = PLAYING, c.path_s = 0, c.speed = c.target = 1; return OK;
  case HOLD: c.state = HOLDING, c.target = 0; return OK;
  case RESUME: c.state = PLAYING, c.target = 1; return OK;
  case STOP:
    c.target = 0;
    if (c.state == PLAYING || c.state == HOLDING)
      c.ending = EMPTY; /* acknowledged at once, EMPTY at rest */
    else if (c.state != FAULT)
      forget();
    return OK;
  default:
    forget();
    c.own_error = 0;
    return OK;
  }
}

/* Why a command is not even tried, in the order of the protocol. */
static int refusal(const uint16_t *w)
{
  const bool breaks_off = w[0] == STOP || w[0] == CLEAR || w[0] == BEGIN;
  if (w[0] != BEGIN && w[0] != CLEAR && get32(w + 2) != c.profile) return OTHER;
  if (get32(w + 14) - uptime_ms() > 60000) return LATE; /* modulo 2^32 */
  if (c.ending != NOWHERE && w[0] != STOP) return NOT_ALLOWED;
  if (c.committing && !breaks_off) return NOT_ALLOWED;
  return w[0] < COMMANDS && taken_in[w[0]] >> c.state & 1 ? OK : NOT_ALLOWED;
}

static void acknowledge(uint16_t number, uint32_t check, int error)
{
  c.number = number, c.check = check, c.error = (uint16_t)error;
}

static void take_command(void)
{
  uint16_t w[40];
  memcpy(w, R + 20, sizeof w);
  const uint32_t check = get32(w + 16);
  const bool person = w[0] == STOP && !get32(w + 2); /* whatever its check word */
  if ((w[19] == c.number && check == c.check) || (w[19] == c.seen_number && check == c.seen_check)) return;
  if (!person && crc32(crc32(crc32(0, &c.instance, 1), w, 16), w + 18, 22) != check) return; /* half of it, say */
  c.seen_number = w[19], c.seen_check = check;
  int error = person ? OK : refusal(w);
  if (!error) error = execute(w);
  if (w[0] != COMMIT || error) acknowledge(w[19], check, error);
}

static double torque(uint32_t sample, unsigned axis)
{
  return get_float(data + (size_t)sample * c.words + (axis + 1) * (c.words / c.axes) - 2);
}

/* COMMIT, some samples a cycle: what is stored is read back. */
static void go_on_with_commit(void)
{
  int error = OK;
  if (!c.committing) return;
  for (int n = 0; n < CHECKED && c.checked < c.held && !error; n++, c.checked++) {
    c.sum = crc32(c.sum, data + (size_t)c.checked * c.words, c.words);
    for (unsigned a = 0; a < c.axes && !error; a++) {
      if (!(fabs(torque(c.checked, a)) <= TORQUE_MOST))
        error = TORQUE; /* NaN too */
      else if (c.checked && !(fabs(torque(c.checked, a) - torque(c.checked - 1, a)) <= STEP_MOST))
        error = RATE;
    }
  }
  if (!error && c.checked < c.held) return;
  if (!error && (c.held != c.commit_total || c.held != c.total || c.sum != c.commit_crc)) error = CRC;
  c.committing = false;
  if (!error) c.state = READY, c.crc = c.sum;
  if (c.number != c.seen_number || c.check != c.seen_check) acknowledge(c.seen_number, c.seen_check, error);
}

/* -- motion: path time runs by the cycles' own time -- */
static void look_after_heartbeat(double dt)
{
  c.beat_s += dt;
  if (R[11] != c.beat && get32(R + 12) == c.profile) c.beat = R[11], c.beat_s = 0;
  if (c.beat_s <= 1 || c.ending != NOWHERE) return;
  if (c.state == ARMED || c.state == HOLDING) c.state = FAULT, c.own_error = BEAT, c.target = 0;
  if (c.state == PLAYING && c.loss == 1) c.ending = FAULT, c.own_error = BEAT, c.target = 0;
}

static void move(double dt)
{
  double reference[10], torques[10] = { 0 };
  if (c.state != PLAYING && c.state != HOLDING) {
    drives(false, c.position, torques);
    return;
  }
  const double before = c.speed, end = (c.total - 1) * c.period_us * 1e-6, step = dt / RAMP_S;
  c.speed = c.speed < c.target ? fmin(c.target, c.speed + step) : fmax(c.target, c.speed - step);
  c.path_s = fmin(c.path_s + (before + c.speed) / 2 * dt, end);
  c.play = (uint32_t)(c.path_s * 1e6 / c.period_us + 1e-6);
  if (c.play >= c.total) c.play = c.total - 1;
  const double part = c.path_s * 1e6 / c.period_us - c.play;
  const uint32_t next = c.play + 1 < c.total ? c.play + 1 : c.play;
  memcpy(reference, c.position, sizeof reference);
  for (unsigned axis = 0, a = 0; axis < AXES; axis++) {
    if (!(c.mask >> axis & 1)) continue;
    const uint16_t *from = data + (size_t)c.play * c.words + 4 * a, *to = data + (size_t)next * c.words + 4 * a;
    if (c.format == 3) reference[axis] = get_float(from) + part * (get_float(to) - get_float(from));
    torques[axis] = torque(c.play, a) + part * (torque(next, a) - torque(c.play, a));
    a++;
  }
  drives(true, reference, torques);
  if (c.ending != NOWHERE && (c.speed <= 0 || c.path_s >= end)) {
    c.state = c.ending, c.ending = NOWHERE;
    if (c.state == EMPTY) forget();
  } else if (c.ending == NOWHERE && c.state == PLAYING && c.path_s >= end) {
    c.state = DONE;
  }
}

/* -- one cycle -- */
static void show(void)
{
  R[1] = 2, R[2] = AXES;
  put32(R + 3, DATA / (4 * AXES));
  R[5] = WINDOW, R[6] = 0x0206; /* formats 2 and 3, HOLD */
  put_float(R + 7, 12345.678f);
  R[9] = c.instance, R[10] = PLACES;
  R[61] = (uint16_t)c.state, R[62] = c.error;
  put32(R + 63, c.held);
  put32(R + 65, c.committing ? c.checked : c.play);
  put32(R + 67, c.total - c.held);
  R[69] = R[11];
  put32(R + 70, c.crc);
  put32(R + 72, c.profile);
  R[74] = c.loss;
  put32(R + 75, uptime_ms());
  R[77] = c.own_error;
  put32(R + 78, c.check);
  for (int a = 0; a < 10; a++) put_float(R + 80 + 2 * a, (float)c.position[a]);
  R[60] = c.number; /* written last */
  R[0] = 0xA5D1;
}

static void cycle(double dt)
{
  c.uptime_s += dt;
  look_after_heartbeat(dt);
  take_windows();
  take_command();
  go_on_with_commit();
  move(dt);
  show();
}

/* -- Modbus TCP -- */
struct connection {
  int fd;
  size_t have;
  uint8_t in[260];
};

/* One request; the bytes of the answer. */
static size_t answer(const uint8_t *in, uint8_t *out)
{
  const unsigned at = (unsigned)in[8] << 8 | in[9], count = (unsigned)in[10] << 8 | in[11],
                 most = in[7] == 3 ? 125 : 123;
  const unsigned length = (unsigned)in[4] << 8 | in[5];
  size_t size = 0;
  memcpy(out, in, 8);
  if (in[7] != 3 && in[7] != 16)
    out[8] = 1;
  else if (length < 6 || !count || count > most || (in[7] == 16 && (length != 7 + 2 * count || in[12] != 2 * count)))
    out[8] = 3;
  else if (at < BASE || at + count > BASE + SPAN)
    out[8] = 2;
  else if (in[7] == 3)
    for (out[8] = (uint8_t)(2 * count), size = 9; size < 9 + 2 * count; size += 2) {
      const uint16_t word = R[at - BASE + (size - 9) / 2];
      out[size] = (uint8_t)(word >> 8), out[size + 1] = (uint8_t)word;
    }
  else
    for (memcpy(out + 8, in + 8, 4), size = 12; size - 12 < count; size++)
      R[at - BASE + size - 12] = (uint16_t)(in[13 + 2 * (size - 12)] << 8 | in[14 + 2 * (size - 12)]);
  if (size && in[7] == 16) size = 12;
  if (!size) out[7] |= 0x80, size = 9;
  out[4] = 0, out[5] = (uint8_t)(size - 6);
  return size;
}

/* false: the connection is over. */
static bool receive(struct connection *k)
{
  uint8_t out[260];
  const ssize_t got = recv(k->fd, k->in + k->have, sizeof k->in - k->have, MSG_DONTWAIT);
  if (got <= 0) return false;
  for (k->have += (size_t)got; k->have >= 8;) {
    const size_t length = 6 + ((size_t)k->in[4] << 8 | k->in[5]);
    if (length < 8 || length > sizeof k->in) return false;
    if (k->have < length) break;
    const size_t size = answer(k->in, out);
    if (send(k->fd, out, size, MSG_NOSIGNAL) != (ssize_t)size) return false;
    memmove(k->in, k->in + length, k->have -= length);
  }
  return true;
}

static double now_s(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Requests of one master at a time, until this time. */
static void serve(int listener, double until_s)
{
  static struct connection k = { .fd = -1 };
  for (double left; (left = until_s - now_s()) > 0;) {
    struct pollfd fd = { k.fd < 0 ? listener : k.fd, POLLIN, 0 };
    struct timespec wait = { 0, (long)(fmin(left, 0.9) * 1e9) };
    if (ppoll(&fd, 1, &wait, NULL) <= 0) return;
    if (k.fd < 0) {
      k = (struct connection){ .fd = accept(listener, NULL, NULL) };
      setsockopt(k.fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
    } else if (!receive(&k)) {
      close(k.fd);
      k.fd = -1;
    }
  }
}

int main(int argc, char **argv)
{
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
  socklen_t size = sizeof address;
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  const double cycle_s = (argc > 2 ? strtod(argv[2], NULL) : 10) / 1000;
  if (argc > 1) address.sin_port = htons((uint16_t)strtoul(argv[1], NULL, 10));
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 }, sizeof(int));
  if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, 4) ||
      getsockname(listener, (struct sockaddr *)&address, &size)) {
    perror("soft_controller");
    return 1;
  }
  printf("listening on 127.0.0.1:%u\n", ntohs(address.sin_port));
  fflush(stdout);
  c.ending = NOWHERE;
  c.instance = (uint16_t)time(NULL); /* another one at every start */
  for (double last = now_s(), next = last;;) {
    const double now = now_s();
    cycle(now - last);
    last = now;
    next = fmax(next + cycle_s, now);
    serve(listener, next);
  }
}
