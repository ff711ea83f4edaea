#include "server/gateway/peer.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <strings.h>
#include <sys/socket.h>

/* The IPv4 address in network order of an IPv4 or mapped address; false: it has none. */
static bool ipv4_of(const struct sockaddr *address, struct in_addr *out)
{
  if (address->sa_family == AF_INET) {
    *out = ((const struct sockaddr_in *)(const void *)address)->sin_addr;
    return true;
  }
  const struct in6_addr *six = &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
  if (IN6_IS_ADDR_LOOPBACK(six)) {
    out->s_addr = htonl(INADDR_LOOPBACK);
    return true;
  }
  if (!IN6_IS_ADDR_V4MAPPED(six)) return false;
  memcpy(&out->s_addr, six->s6_addr + 12, sizeof out->s_addr);
  return true;
}

/* Text that sorts as the address does not, but is the same for the same address; that is all a choice needs. */
static void text_of(const struct sockaddr *address, char text[PEER_SIZE])
{
  struct in_addr four;
  if (!ipv4_of(address, &four)) {
    inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr, text, PEER_SIZE);
    return;
  }
  if (ntohl(four.s_addr) >> 24 == IN_LOOPBACKNET) four.s_addr = htonl(INADDR_LOOPBACK);
  inet_ntop(AF_INET, &four, text, PEER_SIZE);
}

/* IPv4 before IPv6, then by text. */
static bool before(const char *a, const char *b)
{
  bool six_a = strchr(a, ':'), six_b = strchr(b, ':');
  return six_a == six_b ? strcmp(a, b) < 0 : !six_a;
}

void peer_find(const char *host, bool ask, char peer[PEER_SIZE])
{
  struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *found = NULL;
  if (!ask && strcasecmp(host, "localhost") != 0) hints.ai_flags = AI_NUMERICHOST;
  *peer = '\0';
  if (getaddrinfo(host, NULL, &hints, &found)) return;
  for (const struct addrinfo *at = found; at; at = at->ai_next) {
    char text[PEER_SIZE] = "";
    if (at->ai_family != AF_INET && at->ai_family != AF_INET6) continue;
    text_of(at->ai_addr, text);
    if (!*peer || before(text, peer)) memcpy(peer, text, PEER_SIZE);
  }
  freeaddrinfo(found);
}

void address_of(const struct controller_description *controller, struct controller_address *address)
{
  memset(address, 0, sizeof *address); /* it travels between processes as it is */
  memcpy(address->host, controller->host, sizeof address->host);
  peer_find(controller->host, false, address->peer);
  address->port = (uint16_t)controller->port;
  address->unit = (uint16_t)controller->unit;
  address->base = (uint16_t)controller->profile.base;
  address->mapped = controller->profile.protocol == PROTOCOL_REGISTER_MAP;
  address->map = controller->profile.map;
}

bool address_same(const struct controller_address *a, const struct controller_address *b)
{
  if (a->port != b->port || a->unit != b->unit) return false;
  return *a->peer && *b->peer ? !strcmp(a->peer, b->peer) : !strcasecmp(a->host, b->host);
}

bool address_same_block(const struct controller_address *a, const struct controller_address *b)
{
  return !a->mapped && !b->mapped && a->base == b->base && address_same(a, b);
}

bool address_one_endpoint(const struct controller_address *a, const struct controller_address *b)
{
  return a->mapped && b->mapped ? address_same(a, b) : address_same_block(a, b);
}
