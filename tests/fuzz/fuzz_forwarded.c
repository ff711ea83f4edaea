/* Headers of proxies: whatever they hold, an untrusted peer stays who it is, and a client that is found is an address that
 * stands in them. */
#include "server/http/address.h"
#include "server/http/forwarded.h"
#include "tests/fuzz/fuzz.h"

static struct sockaddr_storage peer(const char *address)
{
  struct forwarded one = { 0 };
  forwarded_add(&one, "x-forwarded-for", address);
  return one.last[0];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char *const names[] = { "x-forwarded-for", "forwarded" };
  struct ranges trusted;
  REQUIRE(ranges_parse("--trusted-proxies", "127.0.0.0/8,fd00::/8", &trusted, NULL) == ARMDYN_OK);
  if (memchr(data, 0, size)) return 0;
  char *line = strndup((const char *)data, size);
  REQUIRE(line);
  for (int i = 0; i < 2; i++) {
    struct forwarded forwarded = { 0 };
    forwarded_add(&forwarded, names[i], line);
    forwarded_add(&forwarded, names[i], line);
    REQUIRE(forwarded.count >= 2 && forwarded.count % 2 == 0);
    struct sockaddr_storage stranger = peer("192.0.2.1"), same = stranger, client = peer("127.0.0.1");
    forwarded_client(&forwarded, &trusted, &same);
    REQUIRE(!memcmp(&same, &stranger, sizeof same));
    forwarded_client(&forwarded, &trusted, &client);
    REQUIRE(client.ss_family == AF_INET || client.ss_family == AF_INET6);
    char text[ADDRESS_TEXT_SIZE];
    address_text(&client, text);
    REQUIRE(strcmp(text, "unknown") != 0);
  }
  free(line);
  return 0;
}
