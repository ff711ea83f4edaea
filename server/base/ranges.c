#include "server/base/ranges.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>

enum { WORD = 64 }; /* a range in text */

static bool bytes_of(const struct sockaddr_storage *address, unsigned char bytes[16])
{
  static const unsigned char mapped[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };
  if (address->ss_family == AF_INET6) {
    memcpy(bytes, &((const struct sockaddr_in6 *)address)->sin6_addr, 16);
    return true;
  }
  memcpy(bytes, mapped, sizeof mapped);
  memcpy(bytes + sizeof mapped, &((const struct sockaddr_in *)address)->sin_addr, 4);
  return address->ss_family == AF_INET;
}

bool address_read(const char *text, struct sockaddr_storage *address)
{
  *address = (struct sockaddr_storage){ .ss_family = AF_INET };
  if (inet_pton(AF_INET, text, &((struct sockaddr_in *)address)->sin_addr) == 1) return true;
  address->ss_family = AF_INET6;
  if (inet_pton(AF_INET6, text, &((struct sockaddr_in6 *)address)->sin6_addr) == 1) return true;
  address->ss_family = AF_UNSPEC;
  return false;
}

static bool read_range(char *word, struct ranges *ranges)
{
  struct sockaddr_storage address;
  char *slash = strchr(word, '/'), *end = NULL;
  if (slash) *slash = '\0';
  if (!address_read(word, &address)) return false;
  const long all = address.ss_family == AF_INET ? 32 : 128;
  long bits = all;
  if (slash) {
    bits = slash[1] >= '0' && slash[1] <= '9' ? strtol(slash + 1, &end, 10) : -1;
    if (bits < 0 || bits > all || *end) return false;
  }
  bytes_of(&address, ranges->of[ranges->count].address);
  ranges->of[ranges->count++].bits = (unsigned)(128 - all + bits);
  return true;
}

enum armdyn_status ranges_parse(const char *option, const char *text, struct ranges *ranges, struct armdyn_error *error)
{
  static const char between[] = ", ";
  ranges->count = 0;
  for (const char *p = text + strspn(text, between); *p; p += strspn(p, between)) {
    char word[WORD];
    size_t length = strcspn(p, between);
    if (ranges->count == RANGES_MOST)
      return armdyn_refuse(error, ARMDYN_EINPUT, "", "%s: more than %d", option, RANGES_MOST);
    snprintf(word, sizeof word, "%.*s", (int)length, p);
    if (length >= sizeof word || !read_range(word, ranges))
      return armdyn_refuse(error, ARMDYN_EINPUT, "", "%s: '%.*s' is no address and no range such as 10.1.0.0/16",
                           option, (int)(length < WORD ? length : WORD), p);
    p += length;
  }
  return ARMDYN_OK;
}

static bool same_bits(const unsigned char *a, const unsigned char *b, unsigned bits)
{
  if (memcmp(a, b, bits / 8) != 0) return false;
  return bits % 8 == 0 || (a[bits / 8] ^ b[bits / 8]) >> (8 - bits % 8) == 0;
}

bool ranges_have(const struct ranges *ranges, const struct sockaddr_storage *address)
{
  unsigned char bytes[16];
  if (!ranges->count || !bytes_of(address, bytes)) return false;
  for (size_t i = 0; i < ranges->count; i++)
    if (same_bits(ranges->of[i].address, bytes, ranges->of[i].bits)) return true;
  return false;
}
