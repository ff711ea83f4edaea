#include "server/http/throttle.h"

#include <pthread.h>
#include <stdint.h>

#include "server/base/clock.h"
#include "server/http/address.h"

enum { PLACES = 1024, ATTEMPTS_MOST = 20 };
static const int64_t WINDOW = INT64_C(60) * 1000000000;

struct place {
  unsigned char address[ADDRESS_KEY_SIZE];
  int64_t since; /* monotonic ns; 0 = free */
  unsigned attempts;
};

struct throttle {
  pthread_mutex_t lock;
  struct place places[PLACES]; /* by a hash of the address; whoever comes to a place that another has takes it over */
};

struct throttle *throttle_new(void)
{
  struct throttle *throttle = calloc(1, sizeof *throttle);
  if (throttle) pthread_mutex_init(&throttle->lock, NULL);
  return throttle;
}

void throttle_free(struct throttle *throttle)
{
  if (!throttle) return;
  pthread_mutex_destroy(&throttle->lock);
  free(throttle);
}

static size_t hash_of(const unsigned char key[ADDRESS_KEY_SIZE])
{
  uint32_t hash = 2166136261u; /* FNV-1a */
  for (int i = 0; i < ADDRESS_KEY_SIZE; i++) hash = (hash ^ key[i]) * 16777619u;
  return hash % PLACES;
}

bool throttle_count(struct throttle *throttle, const struct sockaddr *address, int *seconds)
{
  unsigned char key[ADDRESS_KEY_SIZE];
  address_key(address, key);
  int64_t now = clock_monotonic_ns();
  pthread_mutex_lock(&throttle->lock);
  struct place *place = &throttle->places[hash_of(key)];
  if (memcmp(place->address, key, sizeof key) != 0 || !place->since || now - place->since > WINDOW) {
    memcpy(place->address, key, sizeof key);
    place->since = now;
    place->attempts = 0;
  }
  bool many = place->attempts >= ATTEMPTS_MOST;
  if (!many) place->attempts++;
  *seconds = (int)((place->since + WINDOW - now) / 1000000000) + 1;
  pthread_mutex_unlock(&throttle->lock);
  return many;
}
