#include "server/gateway/flight.h"

#include <string.h>

enum { HEADER = 7, EXCEPTION = 0x80, OWN = 0x8000 /* libmodbus counts from 1: an answer to it is never one of ours */ };

static void put(uint8_t *at, unsigned value)
{
  at[0] = (uint8_t)(value >> 8);
  at[1] = (uint8_t)value;
}

static unsigned get(const uint8_t *at)
{
  return (unsigned)at[0] << 8 | at[1];
}

size_t flight_take_off(struct flight *f, struct flying request, unsigned unit, const uint16_t *words, uint8_t *frame)
{
  size_t length = HEADER + 5;
  f->numbers = (uint16_t)((f->numbers + 1) % OWN);
  request.transaction = (uint16_t)(OWN | f->numbers);
  put(frame, request.transaction);
  put(frame + 2, 0); /* Modbus */
  frame[6] = (uint8_t)unit;
  frame[7] = (uint8_t)request.function;
  put(frame + 8, request.address);
  put(frame + 10, request.count);
  if (request.function == FLIGHT_WRITE) {
    frame[length++] = (uint8_t)(2 * request.count);
    for (unsigned k = 0; k < request.count; k++, length += 2) put(frame + length, words[k]);
  }
  put(frame + 4, (unsigned)length - 6);
  f->flying[f->count++] = request;
  return length;
}

size_t flight_frame_length(const uint8_t *bytes, size_t count)
{
  enum { LENGTH_ENDS = 6 }; /* from there on it counts */
  return count < LENGTH_ENDS ? 0 : LENGTH_ENDS + (size_t)get(bytes + 4);
}

/* The exception number; 0: carried out; -1: no answer to this request. */
static int read_answer(const struct flying *r, const uint8_t *frame, size_t length, uint16_t *words)
{
  const uint8_t *data = frame + HEADER + 1;
  size_t rest = length - HEADER - 1;
  if (frame[HEADER] == ((unsigned)r->function | EXCEPTION)) return rest == 1 && data[0] ? data[0] : -1;
  if (frame[HEADER] != (unsigned)r->function) return -1;
  if (r->function == FLIGHT_WRITE) return rest == 4 && get(data) == r->address && get(data + 2) == r->count ? 0 : -1;
  if (rest != 1 + 2u * r->count || data[0] != 2 * r->count) return -1;
  for (unsigned k = 0; k < r->count; k++) words[k] = (uint16_t)get(data + 1 + 2 * k);
  return 0;
}

enum armdyn_status flight_land(struct flight *f, const uint8_t *frame, size_t length, struct landed *out,
                               struct armdyn_error *error)
{
  if (length < HEADER + 2 || get(frame + 2) != 0 || get(frame + 4) != length - 6)
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "an answer of %zu bytes is no Modbus frame", length);
  unsigned k = 0, transaction = get(frame);
  while (k < f->count && f->flying[k].transaction != transaction) k++;
  if (k == f->count)
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "an answer has transaction number %u, which nobody waits for",
                         transaction);
  int exception = read_answer(&f->flying[k], frame, length, out->words);
  if (exception < 0)
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "the answer %u is not one to its request at register %u",
                         transaction, f->flying[k].address);
  out->request = f->flying[k];
  out->exception = (unsigned)exception;
  f->count--;
  memmove(&f->flying[k], &f->flying[k + 1], (f->count - k) * sizeof *f->flying);
  return ARMDYN_OK;
}
