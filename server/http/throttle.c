#include "server/http/throttle.h"

#include <netinet/in.h>
#include <pthread.h>
#include <stdint.h>

#include "server/base/clock.h"

enum { PLACES = 1024, ATTEMPTS_MOST = 20, ADDRESS_BYTES = 16 };
static const int64_t WINDOW = INT64_C(60) * 1000000000;

struct place {
  unsigned char address[ADDRESS_BYTES];
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

/* An IPv6 customer has a whole /64; IPv4 addresses come as such of IPv6 where that is listened to. */
static void key_of(const struct sockaddr *address, unsigned char key[ADDRESS_BYTES])
{
  const struct in6_addr *six = &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
  memset(key, 0, ADDRESS_BYTES);
  key[ADDRESS_BYTES - 1] = 4;
  if (address->sa_family == AF_INET) {
    memcpy(key, &((const struct sockaddr_in *)(const void *)address)->sin_addr, 4);
  } else if (address->sa_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(six)) {
    memcpy(key, six->s6_addr + 12, 4);
  } else if (address->sa_family == AF_INET6) {
    memcpy(key, six, 8);
    key[ADDRESS_BYTES - 1] = 6;
  }
}

static size_t hash_of(const unsigned char key[ADDRESS_BYTES])
{
  uint32_t hash = 2166136261u; /* FNV-1a */
  for (int i = 0; i < ADDRESS_BYTES; i++) hash = (hash ^ key[i]) * 16777619u;
  return hash % PLACES;
}

bool throttle_count(struct throttle *throttle, const struct sockaddr *address, int *seconds)
{
  unsigned char key[ADDRESS_BYTES];
  key_of(address, key);
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
