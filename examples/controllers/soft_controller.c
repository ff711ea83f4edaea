/* A controller for a soft PLC: the controller's side of register protocol v2 behind the Modbus TCP server of libmodbus.
 *
 *   cc -O2 -std=c17 soft_controller.c -lmodbus -lm -o soft_controller && ./soft_controller [PORT [CYCLE_MS]]
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
#include <modbus/modbus.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { AXES = 6, PLACES = 8, BASE = 1000, SPAN = 100 + 128 * PLACES, WORDS = 118, DATA = 1 << 22, CHECKED = 1000 };
enum { EMPTY, LOADING, READY, ARMED, PLAYING, HOLDING, DONE, FAULT, NOWHERE };
enum { BEGIN = 1, COMMIT, ARM, START, HOLD, RESUME, STOP, CLEAR, COMMANDS };
enum { OK, NOT_ALLOWED, FORMAT, TOO_LONG, CRC, TORQUE, RATE, POSITION, BEAT = 9, WINDOW, MASK, PROFILE = 13, LATE };
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

struct token { /* of a command: what makes it unlike others */
  uint16_t number;
  uint32_t check;
};

static uint16_t *R, data[DATA]; /* the block of registers; the samples */
static struct {
  int state, ending;                            /* ending: the state that is entered at rest */
  struct token acknowledged, looked_at, commit; /* the last ones; the COMMIT that runs, acknowledged at its end */
  uint16_t error, own_error, loss, format, mask, beat, instance;
  uint32_t uptime_ms, profile, total, period_us, crc, held, play;
  unsigned axes, words; /* of the mask; of a sample */
  float start[10];
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
  crc = ~crc;
  for (size_t i = 0; i < 2 * count; i++) {
    crc ^= (i % 2 ? words[i / 2] : words[i / 2] >> 8) & 0xFF;
    for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >> 1 ^ 0xEDB88320 : crc >> 1;
  }
  return ~crc;
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
  uint16_t w[5 + WORDS], head[5]; /* the copy that is checked is the copy that is taken */
  if (get32(place) != c.held) return false;
  memcpy(w, place, sizeof w);
  if (get32(w) != c.held || !w[2] || w[2] > WORDS) return false;
  put32(head, c.profile);
  memcpy(head + 2, w, 3 * sizeof *w);
  if (crc32(crc32(0, head, 5), w + 5, w[2]) != get32(w + 3)) return false;
  if (w[2] % c.words || c.held + w[2] / c.words > c.total) {
    c.own_error = WINDOW;
    return false;
  }
  memcpy(data + (size_t)c.held * c.words, w + 5, w[2] * sizeof *w);
  c.held += w[2] / c.words;
  return true;
}

/* Round and round, until no place has the next one. */
static void take_windows(void)
{
  for (int k = 0, taken = 0, passed = 0; passed < PLACES && taken < PLACES; k = (k + 1) % PLACES) {
    const bool took = c.state == LOADING && !c.committing && take(R + 100 + 128 * k);
    taken += took;
    passed = took ? 0 : passed + 1;
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
  if (!axes || w[9] >> AXES) return MASK;
  if ((w[8] != 2 && w[8] != 3) || !get32(w + 6) || w[10] < 1 || w[10] > 2 || w[11] < 1 || w[11] > 2) return FORMAT;
  if (!get32(w + 4) || get32(w + 4) > DATA / words) return TOO_LONG;
  if (!get32(w + 2)) return PROFILE;
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
  if (w[0] != BEGIN && w[0] != CLEAR && get32(w + 2) != c.profile) return PROFILE;
  if (get32(w + 14) - c.uptime_ms > 60000) return LATE; /* modulo 2^32 */
  if (c.ending != NOWHERE && w[0] != STOP) return NOT_ALLOWED;
  if (c.committing && !breaks_off) return NOT_ALLOWED;
  return w[0] < COMMANDS && taken_in[w[0]] >> c.state & 1 ? OK : NOT_ALLOWED;
}

static bool same(struct token a, struct token b)
{
  return a.number == b.number && a.check == b.check;
}

static void acknowledge(struct token token, int error)
{
  c.acknowledged = token, c.error = (uint16_t)error;
}

static void take_command(void)
{
  uint16_t w[40];
  memcpy(w, R + 20, sizeof w);
  const struct token token = { w[19], get32(w + 16) };
  const bool person = w[0] == STOP && !get32(w + 2); /* whatever its check word */
  if (same(token, c.acknowledged) || same(token, c.looked_at) || (c.committing && same(token, c.commit))) return;
  if (!person && crc32(crc32(crc32(0, &c.instance, 1), w, 16), w + 18, 22) != token.check) return; /* half of it, say */
  c.looked_at = token;
  int error = person ? OK : refusal(w);
  if (!error) error = execute(w);
  if (c.committing && !error)
    c.commit = token;
  else
    acknowledge(token, error);
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
      const double now = torque(c.checked, a), step = c.checked ? now - torque(c.checked - 1, a) : 0;
      if (!(fabs(step) <= STEP_MOST)) error = RATE; /* NaN too */
      if (!(fabs(now) <= TORQUE_MOST)) error = TORQUE;
    }
  }
  if (!error && c.checked < c.held) return;
  if (!error && (c.held != c.commit_total || c.held != c.total || c.sum != c.commit_crc)) error = CRC;
  c.committing = false;
  if (!error) c.state = READY, c.crc = c.sum;
  acknowledge(c.commit, error);
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

/* What word w of the samples says, here between two of them. */
static double on_path(unsigned w, double part)
{
  const uint16_t *from = data + (size_t)c.play * c.words + w, *to = c.play + 1 < c.total ? from + c.words : from;
  return get_float(from) + part * (get_float(to) - get_float(from));
}

static void move(double dt)
{
  double reference[10], torques[10] = { 0 };
  const bool moves = c.state == PLAYING || c.state == HOLDING;
  const double before = c.speed, step = dt / RAMP_S, period_s = c.period_us * 1e-6, end = (c.total - 1) * period_s;
  memcpy(reference, c.position, sizeof reference);
  if (moves) {
    c.speed = c.speed < c.target ? fmin(c.target, c.speed + step) : fmax(c.target, c.speed - step);
    c.path_s = fmin(c.path_s + (before + c.speed) / 2 * dt, end);
    c.play = (uint32_t)fmin(c.path_s / period_s + 1e-6, c.total - 1);
  }
  for (unsigned axis = 0, w = 0; moves && axis < AXES; axis++) {
    if (!(c.mask >> axis & 1)) continue;
    const double part = c.path_s / period_s - c.play;
    if (c.format == 3) reference[axis] = on_path(w, part), w += 2;
    torques[axis] = on_path(w, part), w += 2;
  }
  drives(moves, reference, torques);
  if (moves && c.ending == NOWHERE && c.state == PLAYING && c.path_s >= end) c.state = DONE;
  if (!moves || c.ending == NOWHERE || (c.speed > 0 && c.path_s < end)) return;
  c.state = c.ending, c.ending = NOWHERE;
  if (c.state == EMPTY) forget();
}

/* -- one cycle -- */
static void show(void)
{
  R[1] = 2, R[2] = AXES;
  put32(R + 3, DATA / (4 * AXES));
  R[5] = WORDS, R[6] = 0x0206; /* formats 2 and 3, HOLD */
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
  put32(R + 75, c.uptime_ms);
  R[77] = c.own_error;
  put32(R + 78, c.acknowledged.check);
  for (int a = 0; a < 10; a++) put_float(R + 80 + 2 * a, (float)c.position[a]);
  R[60] = c.acknowledged.number; /* written last */
  R[0] = 0xA5D1;
}

static void cycle(double dt)
{
  c.uptime_s += dt;
  c.uptime_ms = (uint32_t)(uint64_t)(c.uptime_s * 1000);
  look_after_heartbeat(dt);
  take_windows();
  take_command();
  go_on_with_commit();
  move(dt);
  show();
}

/* -- Modbus TCP -- */
static double now_s(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Requests of one master at a time, until this time. */
static void serve(modbus_t *modbus, modbus_mapping_t *registers, int listener, double until_s)
{
  static int master = -1;
  uint8_t request[MODBUS_TCP_MAX_ADU_LENGTH];
  for (double left; (left = until_s - now_s()) > 0;) {
    struct pollfd came = { master < 0 ? listener : master, POLLIN, 0 };
    struct timespec wait = { 0, (long)(fmin(left, 0.9) * 1e9) };
    if (ppoll(&came, 1, &wait, NULL) <= 0) return;
    if (master < 0) {
      int listening = listener;
      master = modbus_tcp_accept(modbus, &listening);
      setsockopt(master, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
      continue;
    }
    const int length = modbus_receive(modbus, request); /* 0: it was for another unit */
    if (length >= 0 && (!length || modbus_reply(modbus, request, length, registers) >= 0)) continue;
    modbus_close(modbus);
    master = -1;
  }
}

int main(int argc, char **argv)
{
  struct sockaddr_in address = { 0 };
  socklen_t size = sizeof address;
  const double cycle_s = (argc > 2 ? strtod(argv[2], NULL) : 10) / 1000;
  modbus_t *modbus = modbus_new_tcp("127.0.0.1", argc > 1 ? (int)strtol(argv[1], NULL, 10) : 0);
  modbus_mapping_t *registers = modbus_mapping_new_start_address(0, 0, 0, 0, BASE, SPAN, 0, 0);
  const int listener = modbus && registers ? modbus_tcp_listen(modbus, 1) : -1;
  if (listener < 0 || getsockname(listener, (struct sockaddr *)&address, &size)) {
    perror("soft_controller");
    return 1;
  }
  modbus_set_byte_timeout(modbus, 0, 1000); /* half a request holds up no motion */
  printf("listening on 127.0.0.1:%u\n", ntohs(address.sin_port));
  fflush(stdout);
  R = registers->tab_registers;
  c.ending = NOWHERE;
  c.instance = (uint16_t)time(NULL); /* another one at every start */
  for (double last = now_s(), next = last;;) {
    const double now = now_s();
    cycle(now - last);
    last = now;
    next = fmax(next + cycle_s, now);
    serve(modbus, registers, listener, next);
  }
}
