#include <criterion/criterion.h>
#include <string.h>

#include "server/gateway/flight.h"

static struct flight flight;
static uint8_t frames[FLIGHT_MOST][FLIGHT_FRAME];
static struct landed landed;

/* Six requests: 0, 2 and 4 write two words, 1, 3 and 5 read three. */
static void six(void)
{
  const uint16_t words[] = { 0x1234, 0xBEEF };
  for (uint16_t k = 0; k < 6; k++) {
    bool reads = k % 2;
    struct flying request = { .function = reads ? FLIGHT_READ : FLIGHT_WRITE,
                              .address = (uint16_t)(1000 + k),
                              .count = reads ? 3 : 2 };
    cr_assert_eq(flight_take_off(&flight, request, 17, words, frames[k]), reads ? 12 : 17);
  }
}

/* What a server answers to request k. */
static size_t answer(unsigned k, uint8_t *out)
{
  memcpy(out, frames[k], 12);
  out[5] = 6;
  if (k % 2 == 0) return 12;
  const uint8_t read[] = { 0, 0, 0, 9, 17, 3, 6, 1, (uint8_t)k, 2, (uint8_t)k, 3, (uint8_t)k };
  memcpy(out + 2, read, sizeof read);
  return 2 + sizeof read;
}

static enum armdyn_status land(unsigned k)
{
  uint8_t frame[FLIGHT_FRAME];
  size_t length = answer(k, frame);
  return flight_land(&flight, frame, length, &landed, NULL);
}

TestSuite(flight, .init = six);

/* The standard's own words: MBAP of 7 bytes, then the request. */
Test(flight, a_frame_is_what_modbus_says)
{
  const uint8_t rest[] = { 0, 0, 0, 11, 17, 16, 0x03, 0xE8, 0, 2, 4, 0x12, 0x34, 0xBE, 0xEF };
  cr_assert_arr_eq(frames[0] + 2, rest, sizeof rest);
  const uint8_t read[] = { 0, 0, 0, 6, 17, 3, 0x03, 0xE9, 0, 3 };
  cr_assert_arr_eq(frames[1] + 2, read, sizeof read);
}

Test(flight, answers_come_in_any_order)
{
  const unsigned order[] = { 3, 5, 0, 1, 4, 2 };
  for (unsigned i = 0; i < 6; i++) {
    unsigned k = order[i];
    cr_assert_eq(land(k), ARMDYN_OK);
    cr_assert(landed.request.address == 1000 + k && !landed.exception && flight.count == 5 - i);
    if (k % 2) cr_assert(landed.words[0] == 0x100 + k && landed.words[2] == 0x300 + k);
  }
}

Test(flight, a_duplicate_is_no_answer)
{
  cr_assert_eq(land(2), ARMDYN_OK);
  cr_assert_eq(land(2), ARMDYN_EINPUT);
}

Test(flight, a_foreign_transaction_number_is_no_answer)
{
  uint8_t frame[FLIGHT_FRAME];
  for (unsigned bit = 0; bit < 16; bit++) {
    size_t length = answer(1, frame);
    uint16_t number = (uint16_t)((frame[0] << 8 | frame[1]) ^ 1 << bit);
    bool flies = false;
    for (unsigned k = 0; k < flight.count; k++) flies = flies || flight.flying[k].transaction == number;
    frame[0] = (uint8_t)(number >> 8), frame[1] = (uint8_t)number;
    if (!flies) cr_assert_eq(flight_land(&flight, frame, length, &landed, NULL), ARMDYN_EINPUT);
  }
  cr_assert_eq(flight.count, 6);
}

Test(flight, an_exception_in_the_middle_is_of_its_request)
{
  uint8_t frame[] = { frames[3][0], frames[3][1], 0, 0, 0, 3, 17, 0x83, 6 };
  cr_assert_eq(flight_land(&flight, frame, sizeof frame, &landed, NULL), ARMDYN_OK);
  cr_assert(landed.exception == 6 && landed.request.address == 1003 && flight.count == 5);
  cr_assert_eq(land(4), ARMDYN_OK);
}

Test(flight, what_does_not_fit_its_request_is_no_answer)
{
  for (unsigned k = 0; k < 2; k++)
    for (unsigned i = 2; i < 12; i++) {
      uint8_t frame[FLIGHT_FRAME];
      size_t length = answer(k, frame);
      if (i == 6 || (k == 1 && i > 8)) continue; /* the unit, and what was read */
      frame[i] ^= 1;
      cr_assert_eq(flight_land(&flight, frame, length, &landed, NULL), ARMDYN_EINPUT, "request %u, byte %u", k, i);
      frame[i] ^= 1;
      cr_assert_eq(flight_land(&flight, frame, length - 1, &landed, NULL), ARMDYN_EINPUT);
    }
  cr_assert_eq(flight.count, 6);
}

/* Of libmodbus' own requests none is ever taken for one of these, and none of these for another. */
Test(flight, numbers_repeat_late)
{
  uint8_t frame[FLIGHT_FRAME];
  uint16_t before = flight.flying[0].transaction;
  flight.count = 0;
  for (unsigned k = 0; k < 0x8000 - 7; k++) {
    flight_take_off(&flight, (struct flying){ .function = FLIGHT_READ, .count = 1 }, 1, NULL, frame);
    cr_assert(flight.flying[0].transaction >= 0x8000 && flight.flying[0].transaction != before);
    flight.count = 0;
  }
}
