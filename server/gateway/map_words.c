#include <math.h>

#include "server/gateway/map_words.h"

/* Bytes of the value as numbers are written, the most significant first, <-> registers in the order of the map. Each
 * order is its own inverse. */
static void reorder(enum map_order order, int count, const uint16_t *from, uint16_t *to)
{
  bool words = order == MAP_CDAB || order == MAP_DCBA, bytes = order == MAP_BADC || order == MAP_DCBA;
  for (int i = 0; i < count; i++) {
    uint16_t word = from[words ? count - 1 - i : i];
    to[i] = (uint16_t)(bytes ? word << 8 | word >> 8 : word);
  }
}

static void split(uint64_t bits, int count, uint16_t *words)
{
  for (int i = 0; i < count; i++) words[i] = (uint16_t)(bits >> (16 * (count - 1 - i)));
}

static uint64_t join(const uint16_t *words, int count)
{
  uint64_t bits = 0;
  for (int i = 0; i < count; i++) bits = bits << 16 | words[i];
  return bits;
}

static const struct {
  double least, most;
} ranges[] = { [MAP_INT16] = { INT16_MIN, INT16_MAX },
               [MAP_UINT16] = { 0, UINT16_MAX },
               [MAP_INT32] = { INT32_MIN, INT32_MAX },
               [MAP_UINT32] = { 0, UINT32_MAX },
               /* the outermost that a double has within */
               [MAP_INT64] = { -9223372036854775808.0, 9223372036854774784.0 },
               [MAP_UINT64] = { 0, 18446744073709549568.0 } };

bool map_encode(const struct map_form *form, double value, uint16_t *words)
{
  double raw = (value - form->offset) / form->scale;
  int count = map_type_words(form->type);
  uint64_t bits = 0;
  if (!isfinite(raw) || !(value >= form->min && value <= form->max)) return false;
  if (form->type == MAP_FLOAT32) {
    float single = (float)raw;
    uint32_t half;
    if (!isfinite(single)) return false;
    memcpy(&half, &single, sizeof half);
    bits = half;
  } else if (form->type == MAP_FLOAT64) {
    memcpy(&bits, &raw, sizeof bits);
  } else {
    raw = nearbyint(raw);
    if (!(raw >= ranges[form->type].least && raw <= ranges[form->type].most)) return false;
    bits = form->type == MAP_UINT64 ? (uint64_t)raw : (uint64_t)(int64_t)raw;
  }
  uint16_t straight[MAP_WORDS_MOST];
  split(bits, count, straight);
  reorder(form->order, count, straight, words);
  return true;
}

double map_decode(const struct map_form *form, const uint16_t *words)
{
  int count = map_type_words(form->type);
  uint16_t straight[MAP_WORDS_MOST];
  reorder(form->order, count, words, straight);
  uint64_t bits = join(straight, count);
  double raw = 0;
  switch (form->type) {
  case MAP_INT16: raw = (int16_t)bits; break;
  case MAP_UINT16:
  case MAP_UINT32:
  case MAP_UINT64: raw = (double)bits; break;
  case MAP_INT64: raw = (double)(int64_t)bits; break;
  case MAP_INT32: raw = (int32_t)bits; break;
  case MAP_FLOAT64: memcpy(&raw, &bits, sizeof raw); break;
  case MAP_FLOAT32: {
    uint32_t half = (uint32_t)bits;
    float single;
    memcpy(&single, &half, sizeof single);
    raw = (double)single;
  }
  }
  return form->scale * raw + form->offset;
}

/* Of a field without a mask 0. */
static int shift_of(const struct map_field *field)
{
  int shift = 0;
  while (field->mask && !(field->mask >> shift & 1)) shift++;
  return shift;
}

bool map_field_encode(const struct map_field *field, double value, uint16_t *words)
{
  const unsigned most = field->mask ? (unsigned)field->mask : UINT16_MAX;
  if (!map_encode(&field->form, value, words)) return false;
  if (!field->mask) return true;
  const unsigned bits = (unsigned)words[0] << shift_of(field);
  words[0] = (uint16_t)bits;
  return (bits & ~most) == 0;
}

double map_field_decode(const struct map_field *field, const uint16_t *words)
{
  if (!field->mask) return map_decode(&field->form, words);
  const uint16_t bits = (uint16_t)((words[0] & (unsigned)field->mask) >> shift_of(field));
  return map_decode(&field->form, &bits);
}
