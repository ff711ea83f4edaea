#include "server/gateway/map_perform.h"

#include <time.h>

#include "server/base/clock.h"

enum { POLL_MS = 5, HOLD_PART_MS = 20 };

static void pause_ms(int ms)
{
  struct timespec t = { ms / 1000, ms % 1000 * 1000000L };
  while (ms > 0 && clock_nanosleep(CLOCK_MONOTONIC, 0, &t, &t)) continue;
}

/* -- one request -- */

enum armdyn_status map_read(struct client *c, unsigned unit, enum map_register space, unsigned address, unsigned count,
                            uint16_t *words, struct armdyn_error *error)
{
  pause_ms(c->address.map.pause_ms);
  link_unit(&c->link, unit);
  switch (space) {
  case MAP_HOLDING: return link_read(&c->link, address, count, words, error);
  case MAP_INPUT: return link_read_other(&c->link, LINK_INPUT, address, count, words, error);
  case MAP_COIL: return link_read_other(&c->link, LINK_COILS, address, count, words, error);
  default: return link_read_other(&c->link, LINK_DISCRETE, address, count, words, error);
  }
}

static enum armdyn_status write_words(struct client *c, const struct map_request *r, const uint16_t *words,
                                      struct armdyn_error *error)
{
  pause_ms(c->address.map.pause_ms);
  link_unit(&c->link, r->unit);
  switch (r->function) {
  case 5: return link_write_coil(&c->link, r->address, words[0] != 0, error);
  case 6: return link_write_one(&c->link, r->address, words[0], error);
  default: return link_write(&c->link, r->address, r->count, words, error);
  }
}

/* The bits that it is about. */
static uint16_t bits_of(const struct map_request *r)
{
  return r->space == MAP_COIL || r->space == MAP_DISCRETE ? 1 : r->mask;
}

/* Its bits; the others of the register stay as they are. */
static enum armdyn_status write_bits(struct client *c, const struct map_request *r, uint16_t bits,
                                     struct armdyn_error *error)
{
  uint16_t word = 0;
  enum armdyn_status rc = ARMDYN_OK;
  if (r->mask != UINT16_MAX) rc = map_read(c, r->unit, r->space, r->address, 1, &word, error);
  word = (uint16_t)((word & ~bits_of(r)) | (bits & bits_of(r)));
  return rc ? rc : write_words(c, r, &word, error);
}

static enum armdyn_status write_it(struct client *c, const struct map_request *r, struct armdyn_error *error)
{
  const uint16_t toggled = c->mapped.toggled ? bits_of(r) : 0;
  if (r->count == 1) return write_bits(c, r, r->toggled ? toggled : r->words[0], error);
  return write_words(c, r, r->words, error);
}

/* -- comparing -- */

/* The first register that is something else, and what it is. *same: none. */
struct difference {
  bool same;
  unsigned address;
  uint16_t found, wanted;
};

static enum armdyn_status look_for(struct client *c, const struct map_request *r, struct difference *d,
                                   struct armdyn_error *error)
{
  uint16_t words[LINK_READ_MOST];
  const unsigned most = (unsigned)c->address.map.read_most;
  const uint16_t bits = bits_of(r), toggled = c->mapped.toggled ? bits : 0;
  enum armdyn_status rc = ARMDYN_OK;
  *d = (struct difference){ .same = true };
  for (unsigned at = 0; !rc && at < r->count; at += most) {
    unsigned count = r->count - at < most ? r->count - at : most;
    rc = map_read(c, r->unit, r->space, r->address + at, count, words, error);
    for (unsigned i = 0; !rc && d->same && i < count; i++) {
      const uint16_t found = words[i] & bits, wanted = (r->toggled ? toggled : r->words[at + i]) & bits;
      if (found != wanted) *d = (struct difference){ false, r->address + at + i, found, wanted };
    }
  }
  return rc;
}

enum armdyn_status map_compare(struct client *c, const struct map_request *r, struct armdyn_error *error)
{
  struct difference d;
  enum armdyn_status rc = look_for(c, r, &d, error);
  if (rc || d.same) return rc;
  return armdyn_refuse(error, ARMDYN_ECONFLICT, "", "%s: register %u reads back as 0x%04X, not 0x%04X", r->what,
                       d.address, d.found, d.wanted);
}

/* Until it is there; of NOT_YET until it is not. */
static enum armdyn_status wait_for(struct client *c, const struct map_request *r, const struct meanwhile *meanwhile,
                                   struct armdyn_error *error)
{
  const int64_t deadline_ns = clock_monotonic_ns() + r->timeout_ms * 1000000LL;
  const bool gone = r->kind == MAP_STEP_NOT_YET;
  for (;;) {
    struct difference d;
    const bool last = clock_monotonic_ns() > deadline_ns; /* one look after it */
    enum armdyn_status rc = look_for(c, r, &d, error);
    if (rc || d.same != gone) return rc;
    if (!meanwhile->go_on(meanwhile->context)) return ARMDYN_ECANCELLED;
    if (last && gone)
      return armdyn_refuse(error, ARMDYN_ECONFLICT, "",
                           "%s: it is there before it was asked for, so it acknowledges nothing; the map must take it "
                           "back before, or wait for a number that changes",
                           r->what);
    if (last)
      return armdyn_refuse(error, ARMDYN_ECONFLICT, "", "%s: register %u is still 0x%04X, not 0x%04X, after %d ms",
                           r->what, d.address, d.found, d.wanted, r->timeout_ms);
    pause_ms(POLL_MS);
  }
}

/* -- steps -- */

static enum armdyn_status pulse(struct client *c, const struct map_request *r, const struct meanwhile *meanwhile,
                                struct armdyn_error *error)
{
  const int64_t end_ns = clock_monotonic_ns() + r->hold_ms * 1000000LL;
  bool goes_on = true;
  enum armdyn_status rc = write_it(c, r, error);
  if (rc) return rc;
  for (int64_t left; goes_on && (left = (end_ns - clock_monotonic_ns()) / 1000000 + 1) > 0;) {
    pause_ms(left < HOLD_PART_MS ? (int)left : HOLD_PART_MS);
    goes_on = meanwhile->go_on(meanwhile->context);
  }
  const struct map_request zero = { .unit = r->unit,
                                    .address = r->address,
                                    .count = r->count,
                                    .space = r->space,
                                    .mask = r->mask,
                                    .function = r->function };
  rc = write_it(c, &zero, error); /* in any case: it must not stay */
  return rc || goes_on ? rc : ARMDYN_ECANCELLED;
}

static enum armdyn_status toggle(struct client *c, const struct map_request *r, struct armdyn_error *error)
{
  uint16_t word;
  enum armdyn_status rc = map_read(c, r->unit, r->space, r->address, 1, &word, error);
  if (rc) return rc;
  c->mapped.toggled = !(word & bits_of(r));
  return write_bits(c, r, c->mapped.toggled ? bits_of(r) : 0, error);
}

enum armdyn_status map_perform(struct client *c, const struct map_request *r, const struct meanwhile *meanwhile,
                               struct armdyn_error *error)
{
  enum armdyn_status rc;
  switch (r->kind) {
  case MAP_STEP_PULSE: return pulse(c, r, meanwhile, error);
  case MAP_STEP_TOGGLE: return toggle(c, r, error);
  case MAP_STEP_WAIT:
  case MAP_STEP_NOT_YET: return wait_for(c, r, meanwhile, error);
  case MAP_STEP_CHECK: return map_compare(c, r, error);
  default: rc = write_it(c, r, error); return rc || !r->read_back ? rc : map_compare(c, r, error);
  }
}
