#include "server/base/id.h"

#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

#include "server/base/clock.h"

enum { RANDOM_SIZE = 10, ULID_SIZE = 16 };

static const char alphabet[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/* Add one to a big-endian number; false when it overflowed. */
static bool increment(unsigned char *bytes, int size)
{
  for (int i = size - 1; i >= 0; i--)
    if (++bytes[i] != 0) return true;
  return false;
}

/* Ids that a stranger can guess or that collide are worse than none: a system without entropy cannot serve. */
static void draw(unsigned char *bytes, size_t size)
{
  if (getentropy(bytes, size) != 0) abort();
}

/* 48 bits of time, 80 random bits; in the same millisecond the random part counts up. */
static void next_ulid(unsigned char ulid[ULID_SIZE])
{
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static int64_t last_ms = -1;
  static unsigned char random[RANDOM_SIZE];

  pthread_mutex_lock(&mutex);
  int64_t now = clock_wall_ms();
  if (now > last_ms) {
    last_ms = now;
    draw(random, sizeof random);
  } else if (!increment(random, RANDOM_SIZE)) {
    last_ms++;
  }
  for (int i = 0; i < 6; i++) ulid[i] = (unsigned char)((uint64_t)last_ms >> (40 - 8 * i));
  memcpy(ulid + 6, random, RANDOM_SIZE);
  pthread_mutex_unlock(&mutex);
}

void id_make(char id[ID_SIZE])
{
  unsigned char ulid[ULID_SIZE];
  next_ulid(ulid);
  /* 26 digits of 5 bits are 130 bits: two zero bits stand before the 128. */
  for (int digit = 0; digit < ID_SIZE - 1; digit++) {
    unsigned value = 0;
    for (int bit = digit * 5 - 2; bit < digit * 5 + 3; bit++)
      value = value << 1 | (bit < 0 ? 0u : (unsigned)ulid[bit / 8] >> (7 - bit % 8) & 1u);
    id[digit] = alphabet[value];
  }
  id[ID_SIZE - 1] = '\0';
}

bool id_valid(const char *text)
{
  if (!text || strlen(text) != ID_SIZE - 1) return false;
  if (text[0] > '7') return false; /* beyond 128 bits */
  return strspn(text, alphabet) == ID_SIZE - 1;
}
