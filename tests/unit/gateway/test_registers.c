#include <criterion/criterion.h>

#include "server/gateway/registers.h"

/* The catalogue of CRC algorithms gives these for "123456789". */
Test(registers, crc_check_values)
{
  cr_assert_eq(crc32_bytes(0, "123456789", 9), 0xCBF43926);
  cr_assert_eq(crc16_bytes(0xFFFF, "123456789", 9), 0x4B37);
}

Test(registers, crc_of_words_is_that_of_big_endian_bytes_and_can_be_continued)
{
  const uint16_t words[4] = { 0x3132, 0x3334, 0x3536, 0x3738 };
  cr_assert_eq(crc32_words(0, words, 4), crc32_bytes(0, "12345678", 8));
  cr_assert_eq(crc32_words(crc32_words(0, words, 1), words + 1, 3), crc32_bytes(0, "12345678", 8));
  cr_assert_eq(crc16_words(0xFFFF, words, 4), crc16_bytes(0xFFFF, "12345678", 8));
  cr_assert_eq(crc16_words(crc16_words(0xFFFF, words, 3), words + 3, 1), crc16_bytes(0xFFFF, "12345678", 8));
}

/* IEEE 754: 1.0f = 0x3F800000, -2.5f = 0xC0200000; 12345.678f = 0x4640E6B6. */
Test(registers, words_are_high_word_first)
{
  uint16_t w[2];
  words_put_u32(w, 0x12345678);
  cr_assert(w[0] == 0x1234 && w[1] == 0x5678);
  cr_assert_eq(words_get_u32(w), 0x12345678);
  words_put_float(w, 1.0f);
  cr_assert(w[0] == 0x3F80 && w[1] == 0);
  words_put_float(w, -2.5f);
  cr_assert(w[0] == 0xC020 && w[1] == 0);
  cr_assert_eq(words_get_float(w), -2.5f);
  words_put_float(w, REGISTERS_PROBE);
  cr_assert(w[0] == 0x4640 && w[1] == 0xE6B6);
}

Test(registers, rows_do_not_overlap_and_end_where_the_span_ends)
{
  size_t end = 0;
  for (size_t i = 0; i < register_row_count; i++) {
    cr_assert_geq(register_rows[i].offset, end, "%s", register_rows[i].title);
    end = register_rows[i].offset + register_rows[i].count;
  }
  cr_assert_eq(end, REGISTERS_SPAN);
}

Test(registers, samples_in_a_window)
{
  cr_assert_eq(REGISTERS_WINDOW / sample_words(FORMAT_TORQUE_PERMILLE, 6), 19); /* as the protocol's page says */
  cr_assert_eq(sample_words(FORMAT_TORQUE, 6), 12);
  cr_assert_eq(sample_words(FORMAT_POSITION_TORQUE, 6), 24);
  cr_assert_eq(sample_words(0, 6), 0);
  cr_assert_eq(sample_words(4, 6), 0);
}

Test(registers, window_layout)
{
  uint16_t words[REGISTERS_WINDOW_HEADER + 2];
  const uint16_t data[2] = { 0xAABB, 0xCCDD };
  cr_assert_eq(window_encode(0x00010002, data, 2, words), 6);
  const unsigned char covered[] = { 0, 1, 0, 2, 0, 2, 0xAA, 0xBB, 0xCC, 0xDD };
  cr_assert(words[0] == 1 && words[1] == 2 && words[2] == 2 && words[4] == 0xAABB && words[5] == 0xCCDD);
  cr_assert_eq(words[3], crc16_bytes(0xFFFF, covered, sizeof covered));
  cr_assert_eq(window_crc(words, 2), words[3]);
}

static const uint16_t sound_identity[REGISTERS_IDENTITY] = { 0xA5D1, 1, 6, 0x0001, 0x86A0, 119, 7, 0x4640, 0xE6B6, 42 };

Test(registers, identity)
{
  struct controller_identity id;
  struct armdyn_error error;
  cr_assert_eq(controller_identity_decode(sound_identity, &id, &error), ARMDYN_OK);
  cr_assert(id.axes == 6 && id.samples_most == 100000 && id.window_most == 119 && id.formats == 7 && id.instance == 42);
  cr_assert_not(id.simulated);

  const struct {
    size_t at;
    uint16_t value;
    const char *says;
  } wrong[] = { { 0, 0xA5D0, "magic" }, { 1, 2, "version 2" }, { 2, 0, "0 axes" },
                { 2, 11, "11 axes" },   { 5, 120, "120" },     { 7, 0x4641, "probe" } };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    uint16_t words[REGISTERS_IDENTITY];
    memcpy(words, sound_identity, sizeof words);
    words[wrong[i].at] = wrong[i].value;
    cr_assert_eq(controller_identity_decode(words, &id, &error), ARMDYN_EINPUT);
    cr_assert(strstr(error.message, wrong[i].says), "%s: %s", wrong[i].says, error.message);
  }
}

Test(registers, a_controller_that_swaps_words_is_told_so)
{
  uint16_t words[REGISTERS_IDENTITY];
  memcpy(words, sound_identity, sizeof words);
  words[7] = sound_identity[8];
  words[8] = sound_identity[7];
  struct controller_identity id;
  struct armdyn_error error;
  cr_assert_eq(controller_identity_decode(words, &id, &error), ARMDYN_EINPUT);
  cr_assert(strstr(error.message, "low word first"), "%s", error.message);
}

Test(registers, state)
{
  const uint16_t words[REGISTERS_STATE] = { 7, 4, 9, 1, 2, 3, 4, 5, 6, 77, 0xDEAD, 0xBEEF, 0xCAFE, 0xF00D, 2 };
  struct controller_state s;
  struct armdyn_error error;
  cr_assert_eq(controller_state_decode(words, &s, &error), ARMDYN_OK);
  cr_assert(s.acknowledged == 7 && s.phase == PHASE_PLAYING && s.error == 9 && s.next_offset == 0x10002);
  cr_assert(s.play_index == 0x30004 && s.free_samples == 0x50006 && s.heartbeat == 77 && s.crc == 0xDEADBEEF);
  cr_assert(s.profile == 0xCAFEF00D && s.loss_policy == 2);
  uint16_t beyond[REGISTERS_STATE] = { 0, 8 };
  cr_assert_eq(controller_state_decode(beyond, &s, &error), ARMDYN_EINPUT);
}
