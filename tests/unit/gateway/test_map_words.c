#include <criterion/criterion.h>
#include <math.h>

#include "server/gateway/map_words.h"

static struct map_form form_of(enum map_type type, enum map_order order)
{
  return (struct map_form){ .type = type, .order = order, .scale = 1, .min = -INFINITY, .max = INFINITY };
}

/* 0x12345678 = 305419896; IEEE 754: -2.5 = 0xC0200000, 1/3 = 0x3FD5555555555555. Bytes A B C D .. by the manual. */
Test(map_words, bytes_of_every_type_in_every_order)
{
  static const struct {
    enum map_type type;
    double value;
    uint16_t words[4][4]; /* ABCD, CDAB, BADC, DCBA */
  } rows[] = {
    { MAP_INT16, -2, { { 0xFFFE }, { 0xFFFE }, { 0xFEFF }, { 0xFEFF } } },
    { MAP_UINT16, 0x1234, { { 0x1234 }, { 0x1234 }, { 0x3412 }, { 0x3412 } } },
    { MAP_INT32, 305419896, { { 0x1234, 0x5678 }, { 0x5678, 0x1234 }, { 0x3412, 0x7856 }, { 0x7856, 0x3412 } } },
    { MAP_UINT32, 4294967294.0, { { 0xFFFF, 0xFFFE }, { 0xFFFE, 0xFFFF }, { 0xFFFF, 0xFEFF }, { 0xFEFF, 0xFFFF } } },
    { MAP_FLOAT32, -2.5, { { 0xC020, 0 }, { 0, 0xC020 }, { 0x20C0, 0 }, { 0, 0x20C0 } } },
    { MAP_FLOAT64,
      1.0 / 3,
      { { 0x3FD5, 0x5555, 0x5555, 0x5555 },
        { 0x5555, 0x5555, 0x5555, 0x3FD5 },
        { 0xD53F, 0x5555, 0x5555, 0x5555 },
        { 0x5555, 0x5555, 0x5555, 0xD53F } } },
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (int order = MAP_ABCD; order <= MAP_DCBA; order++) {
      struct map_form form = form_of(rows[i].type, (enum map_order)order);
      uint16_t words[MAP_WORDS_MOST] = { 0 };
      cr_assert(map_encode(&form, rows[i].value, words));
      for (int k = 0; k < map_type_words(rows[i].type); k++)
        cr_assert_eq(words[k], rows[i].words[order][k], "type %d order %d word %d: %04X", (int)rows[i].type, order, k,
                     words[k]);
      cr_assert_eq(map_decode(&form, words), rows[i].value);
    }
}

Test(map_words, scale_and_offset)
{
  struct map_form form = form_of(MAP_INT16, MAP_ABCD);
  uint16_t word;
  form.scale = -0.1, form.offset = 20;
  cr_assert(map_encode(&form, 17.5, &word));
  cr_assert_eq(word, 25); /* 20 - 0.1 * 25 */
  cr_assert_float_eq(map_decode(&form, &word), 17.5, 1e-12);
  cr_assert(map_encode(&form, 20.16, &word)); /* to the nearest */
  cr_assert_eq((int16_t)word, -2);
}

Test(map_words, what_does_not_fit_is_refused)
{
  static const struct {
    enum map_type type;
    double value;
    bool fits;
  } rows[] = {
    { MAP_INT16, 32767.4, true },        { MAP_INT16, 32768, false },         { MAP_INT16, -32768, true },
    { MAP_INT16, -32769, false },        { MAP_UINT16, -1, false },           { MAP_UINT16, 65535, true },
    { MAP_UINT16, 65536, false },        { MAP_INT32, 2147483648.0, false },  { MAP_INT32, -2147483648.0, true },
    { MAP_UINT32, 4294967295.0, true },  { MAP_UINT32, 4294967296.0, false }, { MAP_FLOAT32, 3.5e38, false },
    { MAP_FLOAT32, (double)NAN, false }, { MAP_FLOAT64, INFINITY, false },    { MAP_FLOAT64, 1e308, true }
  };
  uint16_t words[MAP_WORDS_MOST];
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct map_form form = form_of(rows[i].type, MAP_ABCD);
    cr_assert_eq(map_encode(&form, rows[i].value, words), rows[i].fits, "row %zu", i);
  }
  struct map_form bounded = form_of(MAP_FLOAT32, MAP_ABCD);
  bounded.min = -1, bounded.max = 2;
  cr_assert(map_encode(&bounded, 2, words) && map_encode(&bounded, -1, words));
  cr_assert(!map_encode(&bounded, 2.001, words) && !map_encode(&bounded, -1.001, words));
}

/* Some bits of a register are a number of their own; what goes beyond them is refused. */
Test(map_words, bits_of_a_register)
{
  struct map_field field = { .form = form_of(MAP_UINT16, MAP_ABCD), .mask = 0x70 };
  uint16_t word = 0;
  cr_assert(map_field_encode(&field, 5, &word));
  cr_assert_eq(word, 0x50);
  cr_assert_eq(map_field_decode(&field, (uint16_t[]){ 0xFFDF }), 5); /* 1111 1111 1101 1111: the mask has 101 there */
  cr_assert_not(map_field_encode(&field, 8, &word));
  field.mask = 0x8000;
  cr_assert(map_field_encode(&field, 1, &word));
  cr_assert_eq(word, 0x8000);
}

/* 64 bits: 2^53 + 2 is a double, 2^64 is none of them, -1 no unsigned one. */
Test(map_words, integers_of_64_bits)
{
  const struct map_form is_signed = form_of(MAP_INT64, MAP_ABCD), is_unsigned = form_of(MAP_UINT64, MAP_CDAB);
  uint16_t words[MAP_WORDS_MOST];
  cr_assert(map_encode(&is_signed, -2, words));
  cr_assert_arr_eq(words, ((uint16_t[]){ 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFE }), sizeof words);
  cr_assert_eq(map_decode(&is_signed, words), -2);
  cr_assert(map_encode(&is_unsigned, 9007199254740994.0, words));
  cr_assert_arr_eq(words, ((uint16_t[]){ 0x0002, 0x0000, 0x0000, 0x0020 }), sizeof words);
  cr_assert_eq(map_decode(&is_unsigned, words), 9007199254740994.0);
  cr_assert(map_encode(&is_unsigned, 18446744073709549568.0, words));
  cr_assert_not(map_encode(&is_unsigned, 18446744073709551616.0, words));
  cr_assert_not(map_encode(&is_unsigned, -1, words));
  cr_assert_not(map_encode(&is_signed, 9223372036854775808.0, words));
}
