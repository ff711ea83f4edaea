/* The drives of soft_controller.c are the joints of a Universal Robots arm: a bridge from register protocol v2 to direct
 * torque.
 *
 *   cc -O2 -std=c17 -DDRIVES='"ur_rtde_drives.h"' soft_controller.c -lmodbus -lm -o ur_bridge
 *   UR_HOST=192.168.1.10 ./ur_bridge 5020 2
 *
 * In every cycle of 2 ms it sends what the arm shall follow over the robot's real-time data exchange (TCP 30004), and takes the
 * measured positions from there. On the robot runs ur_direct_torque.script, which closes the loop. The robot adds gravity by
 * itself: the controller's entry says "kind": "ur_direct_torque" and "torque_content": "without_gravity".
 *
 *   input_int_register_24           counts up while a profile is played or held; 0: nothing is to be followed
 *   input_double_register_24 .. 29  position references, rad
 *   input_double_register_30 .. 35  torques, N m
 *
 * When the robot is out of sight its positions are no numbers, so nothing can be armed; what is played ends in FAULT 12. */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>

enum { UR_AXES = 6, UR_INPUTS = 2 * UR_AXES, UR_INTERNAL = 12, UR_PACKAGE = 3 + 1 + 4 + 8 * UR_INPUTS };
enum { UR_VERSION = 'V', UR_DATA = 'U', UR_OUTPUTS = 'O', UR_SETUP_INPUTS = 'I', UR_START = 'S' };

static struct {
  int socket; /* 0: none */
  unsigned char recipe;
  double asked_s, heard_s; /* for a connection; from the robot */
  int32_t count;
  unsigned char got[4096];
  size_t have;
} ur;

static void ur_lose(const char *why)
{
  if (ur.socket > 0) {
    fprintf(stderr, "ur_bridge: %s\n", why);
    close(ur.socket);
  }
  ur.socket = 0;
  for (int a = 0; a < 10; a++) c.position[a] = NAN;
}

/* Everything on this line is big-endian. */
static void ur_put(unsigned char *at, uint64_t value, int bytes)
{
  for (int i = 0; i < bytes; i++) at[i] = (unsigned char)(value >> 8 * (bytes - 1 - i));
}

static uint64_t ur_get(const unsigned char *at, int bytes)
{
  uint64_t value = 0;
  for (int i = 0; i < bytes; i++) value = value << 8 | at[i];
  return value;
}

static bool ur_send(unsigned char kind, const void *payload, size_t size)
{
  unsigned char package[512];
  ur_put(package, 3 + size, 2);
  package[2] = kind;
  memcpy(package + 3, payload, size);
  return send(ur.socket, package, 3 + size, MSG_NOSIGNAL) == (ssize_t)(3 + size);
}

/* The payload of the answer to what was asked; of anything else nothing. -1: none within a second. */
static int ur_answer(unsigned char kind, unsigned char *payload, size_t most)
{
  for (;;) {
    unsigned char head[3];
    if (recv(ur.socket, head, 3, MSG_WAITALL) != 3) return -1;
    const size_t size = (size_t)ur_get(head, 2);
    if (size < 3 || size - 3 > most) return -1;
    if (size > 3 && recv(ur.socket, payload, size - 3, MSG_WAITALL) != (ssize_t)(size - 3)) return -1;
    if (head[2] == kind) return (int)(size - 3);
  }
}

/* Version 2; positions at 500 Hz out of it; a count and twelve numbers into it. */
static bool ur_agree(void)
{
  unsigned char out[8 + 8] = { 0 }, answer[512];
  const double rate = 500;
  uint64_t bits;
  char names[400] = "input_int_register_24";
  for (int i = 0; i < UR_INPUTS; i++)
    snprintf(names + strlen(names), sizeof names - strlen(names), ",input_double_register_%d", 24 + i);
  memcpy(&bits, &rate, sizeof bits);
  ur_put(out, bits, 8);
  memcpy(out + 8, "actual_q", 8);
  if (!ur_send(UR_VERSION, (unsigned char[]){ 0, 2 }, 2) || ur_answer(UR_VERSION, answer, sizeof answer) != 1 ||
      !answer[0])
    return false;
  if (!ur_send(UR_OUTPUTS, out, sizeof out) || ur_answer(UR_OUTPUTS, answer, sizeof answer) != 1 + 8 ||
      memcmp(answer + 1, "VECTOR6D", 8) != 0)
    return false;
  /* An id of 0: a register is taken by another client. */
  if (!ur_send(UR_SETUP_INPUTS, names, strlen(names)) || ur_answer(UR_SETUP_INPUTS, answer, sizeof answer) < 1 ||
      !answer[0])
    return false;
  ur.recipe = answer[0];
  return ur_send(UR_START, "", 0) && ur_answer(UR_START, answer, sizeof answer) == 1 && answer[0];
}

static void ur_connect(double now)
{
  const char *host = getenv("UR_HOST"), *port = getenv("UR_PORT");
  const struct addrinfo hints = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM };
  const struct timeval patience = { 1, 0 };
  struct addrinfo *found = NULL;
  if (ur.asked_s > 0 && now < ur.asked_s + 1) return; /* once a second */
  ur.asked_s = now;
  if (getaddrinfo(host ? host : "127.0.0.1", port ? port : "30004", &hints, &found)) return;
  ur.socket = socket(AF_INET, SOCK_STREAM, 0);
  setsockopt(ur.socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(ur.socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  setsockopt(ur.socket, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
  const bool there = !connect(ur.socket, found->ai_addr, found->ai_addrlen) && ur_agree();
  freeaddrinfo(found);
  ur.have = 0;
  ur.heard_s = now;
  ur.count = 0;
  if (!there) ur_lose("the robot does not take part; is it on, and are its registers free?");
}

/* Everything that the robot has said; the last positions hold. */
static void ur_listen(double now)
{
  ssize_t more;
  while ((more = recv(ur.socket, ur.got + ur.have, sizeof ur.got - ur.have, MSG_DONTWAIT)) > 0) {
    size_t at = 0, size;
    for (ur.have += (size_t)more; ur.have - at >= 3; at += size) {
      const unsigned char *package = ur.got + at;
      size = (size_t)ur_get(package, 2);
      if (size < 3 || size > sizeof ur.got) {
        ur_lose("what the robot says is no package");
        return;
      }
      if (ur.have - at < size) break;
      if (package[2] != UR_DATA || size != 3 + 1 + 8 * UR_AXES) continue;
      ur.heard_s = now;
      for (int a = 0; a < UR_AXES; a++) {
        const uint64_t bits = ur_get(package + 4 + 8 * a, 8);
        memcpy(&c.position[a], &bits, sizeof bits);
      }
    }
    memmove(ur.got, ur.got + at, ur.have -= at);
  }
  if (more == 0 || (more < 0 && errno != EAGAIN && errno != EWOULDBLOCK)) ur_lose("the robot closed the line");
}

static void ur_tell(bool enabled, const double reference[10], const double torque[10])
{
  unsigned char payload[UR_PACKAGE - 3];
  ur.count = enabled ? ur.count % 1000000000 + 1 : 0;
  payload[0] = ur.recipe;
  ur_put(payload + 1, (uint32_t)ur.count, 4);
  for (int i = 0; i < UR_INPUTS; i++) {
    const double value = !enabled ? 0 : i < UR_AXES ? reference[i] : torque[i - UR_AXES];
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    ur_put(payload + 5 + 8 * i, bits, 8);
  }
  if (!ur_send(UR_DATA, payload, sizeof payload)) ur_lose("the robot takes nothing");
}

static void drives(bool enabled, const double reference[10], const double torque[10])
{
  double kept[10];
  const double now = c.uptime_s;
  memcpy(kept, reference, sizeof kept);
  if (ur.socket <= 0) {
    ur_lose("");
    ur_connect(now);
  }
  if (ur.socket > 0) ur_listen(now);
  if (ur.socket > 0 && now > ur.heard_s + 0.1) ur_lose("the robot has said nothing for 0.1 s");
  if (ur.socket > 0) ur_tell(enabled, kept, torque);
  if (ur.socket <= 0 && enabled) c.state = FAULT, c.own_error = UR_INTERNAL, c.speed = 0, c.ending = NOWHERE;
}
