#include <criterion/criterion.h>

#include "server/protocol/words.h"

/* A bit-by-bit CRC-32 (IEEE 802.3, reflected), as the catalogue of CRC algorithms defines it. */
static uint32_t crc_of(const unsigned char *bytes, size_t count)
{
  uint32_t crc = 0xFFFFFFFF;
  for (size_t i = 0; i < count; i++) {
    crc ^= bytes[i];
    for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >> 1 ^ 0xEDB88320 : crc >> 1;
  }
  return ~crc;
}

static uint32_t crc_of_words(const uint16_t *words, size_t count)
{
  unsigned char bytes[512];
  for (size_t i = 0; i < count; i++) {
    bytes[2 * i] = (unsigned char)(words[i] >> 8);
    bytes[2 * i + 1] = (unsigned char)words[i];
  }
  return crc_of(bytes, 2 * count);
}

Test(protocol, crc_is_that_of_the_catalogue_and_can_be_continued)
{
  const uint16_t words[4] = { 0x3132, 0x3334, 0x3536, 0x3738 };
  cr_assert_eq(crc_of((const unsigned char *)"123456789", 9), 0xCBF43926);
  cr_assert_eq(protocol_crc32(0, words, 4), crc_of((const unsigned char *)"12345678", 8));
  cr_assert_eq(protocol_crc32(protocol_crc32(0, words, 1), words + 1, 3), protocol_crc32(0, words, 4));
  uint16_t many[1000], odd = 1;
  for (size_t i = 0; i < 1000; i++) many[i] = odd = (uint16_t)(odd * 40503u + 7u);
  uint32_t pieces = 0;
  for (size_t i = 0; i < 1000; i += 125) pieces = protocol_crc32(pieces, many + i, 125);
  cr_assert_eq(protocol_crc32(0, many, 1000), pieces);
}

/* IEEE 754: 1.0f = 0x3F800000, -2.5f = 0xC0200000; 12345.678f = 0x4640E6B6. */
Test(protocol, words_are_high_word_first)
{
  uint16_t w[2];
  protocol_put_u32(w, 0x12345678);
  cr_assert(w[0] == 0x1234 && w[1] == 0x5678);
  cr_assert_eq(protocol_get_u32(w), 0x12345678);
  protocol_put_float(w, 1.0f);
  cr_assert(w[0] == 0x3F80 && w[1] == 0);
  protocol_put_float(w, -2.5f);
  cr_assert(w[0] == 0xC020 && w[1] == 0);
  cr_assert_eq(protocol_get_float(w), -2.5f);
  protocol_put_float(w, PROTOCOL_PROBE);
  cr_assert(w[0] == 0x4640 && w[1] == 0xE6B6);
}

Test(protocol, rows_do_not_overlap)
{
  static const size_t ends[] = {
    [BLOCK_FIXED] = PROTOCOL_PLACES, [BLOCK_PLACE] = 123, [BLOCK_MEASURED] = PROTOCOL_MEASURED
  };
  size_t end[3] = { 0 };
  for (size_t i = 0; i < protocol_register_count; i++) {
    const struct register_row *row = &protocol_registers[i];
    cr_assert_geq(row->offset, end[row->block], "%s", row->title);
    end[row->block] = row->offset + row->count;
  }
  for (int block = BLOCK_FIXED; block <= BLOCK_MEASURED; block++) cr_assert_eq(end[block], ends[block]);
  cr_assert_eq(REGISTER_INSTANCE + PROTOCOL_LOOK, PROTOCOL_PLACES);
  cr_assert_eq(REGISTER_COMMAND + PROTOCOL_COMMAND, REGISTER_ACKNOWLEDGED);
  for (unsigned n = 1; n <= PROTOCOL_PLACES_MOST; n++) cr_assert_eq(65536 - protocol_span(n), 65394 - 128 * n);
}

Test(protocol, samples_in_a_window)
{
  cr_assert_eq(PROTOCOL_WINDOW_MOST / protocol_sample_words(FORMAT_TORQUE_PERMILLE, 6), 19);
  cr_assert_eq(protocol_sample_words(FORMAT_TORQUE, 6), 12);
  cr_assert_eq(protocol_sample_words(FORMAT_POSITION_TORQUE, 6), 24);
  cr_assert_eq(protocol_sample_words(0, 6), 0);
  cr_assert_eq(protocol_sample_words(4, 6), 0);
}

/* The table of states, written down a second time. */
Test(protocol, where_commands_lead)
{
  enum { E, L, R, A, P, H, D, F, no = -1, stream = 16, rest = 32 };
  static const int table[COMMAND_COUNT][PHASE_COUNT] = {
    [0] = { no, no, no, no, no, no, no, no },
    [COMMAND_BEGIN] = { L, L, L, no, no, no, L, no },
    [COMMAND_COMMIT] = { no, R, no, A | stream, P | stream, H | stream, no, no },
    [COMMAND_ARM] = { no, A | stream, A, no, no, no, no, no },
    [COMMAND_START] = { no, no, no, P, no, no, no, no },
    [COMMAND_HOLD] = { no, no, no, no, H, no, no, no },
    [COMMAND_RESUME] = { no, no, no, no, no, P, no, no },
    [COMMAND_STOP] = { E, E, E, E, E | rest, E | rest, E, F },
    [COMMAND_CLEAR] = { E, E, E, no, no, no, E, E },
    [COMMAND_STREAM] = { L, L, L, no, no, no, L, no },
  };
  for (unsigned c = 0; c < COMMAND_COUNT; c++)
    for (unsigned s = 0; s < PHASE_COUNT; s++) {
      struct protocol_transition t = protocol_transition(c, (enum controller_phase)s);
      int seen = (int)t.to | (t.in_streams ? stream : 0) | (t.at_rest ? rest : 0);
      cr_assert_eq(t.allowed ? seen : no, table[c][s], "%s in %s", protocol_command_name(c), protocol_phase_name(s));
    }
  cr_assert_not(protocol_transition(COMMAND_COUNT, PHASE_EMPTY).allowed);
  cr_assert_not(protocol_transition(70000, PHASE_EMPTY).allowed);
}

Test(protocol, a_command_and_its_check_word)
{
  const struct protocol_command begin = { .command = COMMAND_BEGIN,
                                          .number = 0x7777,
                                          .epoch = 3,
                                          .profile = 0xCAFEF00D,
                                          .total = 0x10002,
                                          .period_us = 4000,
                                          .crc = 0xDEADBEEF,
                                          .format = 3,
                                          .axis_mask = 0x3F,
                                          .end_policy = 1,
                                          .loss_policy = 2,
                                          .latest_ms = 0xFFFFFFF0,
                                          .start = { 1.0f, -2.5f } };
  uint16_t w[PROTOCOL_COMMAND], covered[1 + 16 + 22] = { 42 };
  protocol_command_encode(&begin, 42, w);
  const uint16_t head[] = { 1, 0, 0xCAFE, 0xF00D, 1, 2, 0, 4000, 3, 0x3F, 1, 2, 0xDEAD, 0xBEEF, 0xFFFF, 0xFFF0 };
  cr_assert_arr_eq(w, head, sizeof head);
  cr_assert(w[18] == 3 && w[19] == 0x7777 && w[20] == 0x3F80 && w[22] == 0xC020);
  memcpy(covered + 1, w, 16 * sizeof *w);
  memcpy(covered + 17, w + 18, 22 * sizeof *w);
  cr_assert_eq(protocol_get_u32(w + 16), crc_of_words(covered, 39));
  cr_assert_eq(protocol_check_word(42, w), crc_of_words(covered, 39));
  cr_assert_neq(protocol_check_word(43, w), crc_of_words(covered, 39));
  struct protocol_command back;
  protocol_command_decode(w, &back);
  cr_assert_eq(memcmp(&back, &begin, sizeof back), 0);
}

Test(protocol, time_wraps)
{
  cr_assert(protocol_in_time(1000, 1000) && protocol_in_time(61000, 1000));
  cr_assert_not(protocol_in_time(999, 1000) || protocol_in_time(61001, 1000));
  cr_assert(protocol_in_time(500, 0xFFFFFF00) && !protocol_in_time(0xFFFFFF00, 500));
}

Test(protocol, window_layout)
{
  uint16_t words[PROTOCOL_WINDOW_HEADER + 2];
  const uint16_t data[2] = { 0xAABB, 0xCCDD }, covered[] = { 0xCAFE, 0xF00D, 1, 2, 2, 0xAABB, 0xCCDD };
  cr_assert_eq(protocol_window_encode(0xCAFEF00D, 0x00010002, data, 2, words), 7);
  cr_assert(words[0] == 1 && words[1] == 2 && words[2] == 2 && words[5] == 0xAABB && words[6] == 0xCCDD);
  cr_assert_eq(protocol_get_u32(words + 3), crc_of_words(covered, 7));
  cr_assert_eq(protocol_window_crc(0xCAFEF00D, words, 2), crc_of_words(covered, 7));
}

static const uint16_t sound_identity[PROTOCOL_IDENTITY] = { 0xA5D1, 2,      6,      0x0001, 0x86A0, 118,
                                                            0xC707, 0x4640, 0xE6B6, 42,     8 };

Test(protocol, identity)
{
  struct controller_identity id;
  struct armdyn_error error;
  cr_assert_eq(protocol_identity_decode(sound_identity, 1000, &id, &error), ARMDYN_OK);
  cr_assert(id.axes == 6 && id.samples_most == 100000 && id.window_most == 118 && id.instance == 42 && id.places == 8);
  cr_assert(controller_can(&id, ABILITY_AT_ONCE) && controller_can(&id, ABILITY_MEASURES) &&
            !controller_can(&id, ABILITY_EPOCHS));
  cr_assert_eq(protocol_identity_decode(sound_identity, 65394 - 8 * 128, &id, &error), ARMDYN_OK);

  const struct {
    size_t at;
    uint16_t value;
    const char *says;
  } wrong[] = { { 0, 0xA5D0, "magic" },  { 1, 1, "version 1" },  { 2, 0, "0 axes" },           { 2, 11, "11 axes" },
                { 5, 119, "119 words" }, { 7, 0x4641, "probe" }, { 10, 0, "0 window places" }, { 10, 17, "17" } };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    uint16_t words[PROTOCOL_IDENTITY];
    memcpy(words, sound_identity, sizeof words);
    words[wrong[i].at] = wrong[i].value;
    cr_assert_eq(protocol_identity_decode(words, 1000, &id, &error), ARMDYN_EINPUT);
    cr_assert(strstr(error.message, wrong[i].says), "%s: %s", wrong[i].says, error.message);
  }
  cr_assert_eq(protocol_identity_decode(sound_identity, 65394 - 8 * 128 + 1, &id, &error), ARMDYN_EINPUT);
  cr_assert(strstr(error.message, "no room for 8 window places"), "%s", error.message);
}

Test(protocol, a_controller_that_swaps_words_is_told_so)
{
  uint16_t words[PROTOCOL_IDENTITY];
  memcpy(words, sound_identity, sizeof words);
  words[7] = sound_identity[8];
  words[8] = sound_identity[7];
  struct controller_identity id;
  struct armdyn_error error;
  cr_assert_eq(protocol_identity_decode(words, 1000, &id, &error), ARMDYN_EINPUT);
  cr_assert(strstr(error.message, "low word first"), "%s", error.message);
}

Test(protocol, a_look)
{
  uint16_t words[PROTOCOL_LOOK] = { 42, 8, 5 }; /* from +9 on */
  const uint16_t state[] = { 7,      4,      9,      1, 2, 3, 4,  5,  6,  77,     0xDEAD,
                             0xBEEF, 0xCAFE, 0xF00D, 2, 8, 9, 10, 11, 12, 0x3F80, 0 };
  memcpy(words + 60 - 9, state, sizeof state);
  words[20 - 9] = COMMAND_START;
  words[59 - 9] = 0xAAAA;
  struct controller_state s;
  struct armdyn_error error;
  cr_assert_eq(protocol_look_decode(words, &s, &error), ARMDYN_OK);
  cr_assert(s.instance == 42 && s.acknowledged == 7 && s.phase == PHASE_PLAYING && s.error == 9);
  cr_assert(s.next_offset == 0x10002 && s.play_index == 0x30004 && s.free_samples == 0x50006 && s.heartbeat == 77);
  cr_assert(s.crc == 0xDEADBEEF && s.profile == 0xCAFEF00D && s.loss_policy == 2 && s.uptime_ms == 0x80009);
  cr_assert(s.own_error == 10 && s.check == 0xB000C && s.position[0] == 1.0f && s.position[9] == 0);
  cr_assert(s.command[0] == COMMAND_START && s.command[39] == 0xAAAA);
  words[61 - 9] = 8;
  cr_assert_eq(protocol_look_decode(words, &s, &error), ARMDYN_EINPUT);
}
