#include <criterion/criterion.h>
#include <modbus/modbus.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/gateway/link.h"

static struct figures figures;
static struct link connection = { .figures = &figures, .unit = 1, .timeout_ms = 60000 };
static int peer;
static struct landed landed;

static void connected(void)
{
  int ends[2];
  cr_assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
  modbus_t *m = modbus_new_tcp("127.0.0.1", 502);
  cr_assert(m && !modbus_set_socket(m, ends[0]));
  connection.modbus = m;
  peer = ends[1];
}

static void closed(void)
{
  link_close(&connection);
  close(peer);
}

TestSuite(link, .init = connected, .fini = closed);

enum { ANSWER = 12 };

/* Write two registers at 1000 + k and answer that, at `out`. */
static void ask(unsigned k, uint8_t *out)
{
  const uint16_t words[] = { 1, 2 };
  uint8_t frame[FLIGHT_FRAME];
  cr_assert(!link_send(&connection, FLIGHT_WRITE, 1000 + k, 2, words, NULL));
  cr_assert_eq(recv(peer, frame, sizeof frame, 0), 17);
  memcpy(out, frame, ANSWER);
  out[5] = 6;
}

static void tell(const uint8_t *bytes, size_t count)
{
  cr_assert_eq(send(peer, bytes, count, 0), (ssize_t)count);
}

static bool lands(bool wait, unsigned k)
{
  cr_assert(!link_receive(&connection, wait, &landed, NULL));
  return landed.request.function == FLIGHT_WRITE && landed.request.address == 1000 + k;
}

Test(link, an_answer_comes_byte_by_byte)
{
  uint8_t answer[ANSWER];
  ask(0, answer);
  for (unsigned i = 0; i < ANSWER - 1; i++) {
    tell(answer + i, 1);
    cr_assert(!lands(false, 0), "%u bytes are no answer", i + 1);
  }
  tell(answer + ANSWER - 1, 1);
  cr_assert(lands(false, 0) && link_is_open(&connection));
}

Test(link, several_answers_come_at_once)
{
  uint8_t answers[3 * ANSWER];
  for (unsigned k = 0; k < 3; k++) ask(k, answers + (size_t)k * ANSWER);
  tell(answers, 2 * ANSWER + 7);
  cr_assert(lands(true, 0) && lands(true, 1) && !lands(false, 2));
  tell(answers + 2 * ANSWER + 7, ANSWER - 7);
  cr_assert(lands(true, 2));
}

/* Once something came that nobody asked for, the next answer is not believed either, however good. */
Test(link, nothing_may_follow_the_last_answer)
{
  const uint8_t next[] = { 0, 1, 0, 0, 0, 6, 0xFF, 16, 0x03, 0xE8, 0, 1 };
  uint8_t answers[2 * ANSWER];
  ask(0, answers);
  memcpy(answers + ANSWER, answers, ANSWER);
  tell(answers, sizeof answers);
  cr_assert(lands(true, 0));
  tell(next, sizeof next);
  cr_assert_eq(link_write(&connection, 1000, 1, (const uint16_t[]){ 1 }, NULL), ARMDYN_EUNAVAILABLE);
  cr_assert(!link_is_open(&connection));
}

Test(link, what_claims_to_be_longer_than_any_frame_ends_it_at_once)
{
  uint8_t answer[ANSWER];
  ask(0, answer);
  answer[4] = 1;
  tell(answer, 6);
  cr_assert_eq(link_receive(&connection, true, &landed, NULL), ARMDYN_EUNAVAILABLE);
  cr_assert(!link_is_open(&connection));
}

Test(link, half_an_answer_and_the_end_are_no_answer)
{
  uint8_t answer[ANSWER];
  ask(0, answer);
  tell(answer, ANSWER - 1);
  shutdown(peer, SHUT_WR);
  cr_assert_eq(link_receive(&connection, true, &landed, NULL), ARMDYN_EUNAVAILABLE);
}
