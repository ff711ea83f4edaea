/* Whom a proxy names: nobody can put himself in another's place. */
#include <criterion/criterion.h>

#include "server/http/address.h"
#include "server/http/forwarded.h"

static struct sockaddr_storage peer(const char *address)
{
  struct forwarded one = { 0 };
  forwarded_add(&one, "x-forwarded-for", address);
  cr_assert_neq(one.last[0].ss_family, AF_UNSPEC, "%s", address);
  return one.last[0];
}

struct sample {
  const char *trusted, *peer, *name, *lines[3], *client;
};

static const char list[] = "x-forwarded-for", elements[] = "forwarded";

static const struct sample samples[] = {
  { "10.0.0.7", "10.0.0.7", list, { "192.0.2.1" }, "192.0.2.1" },
  /* what the client itself wrote stands before what the proxy added */
  { "10.0.0.7", "10.0.0.7", list, { "203.0.113.9, 192.0.2.1" }, "192.0.2.1" },
  { "10.0.0.7", "10.0.0.7", list, { "203.0.113.9", "192.0.2.1" }, "192.0.2.1" },
  /* who is no proxy names nobody */
  { "10.0.0.7", "192.0.2.5", list, { "203.0.113.9" }, "192.0.2.5" },
  { "", "10.0.0.7", list, { "203.0.113.9" }, "10.0.0.7" },
  /* two proxies in a row, and the one in front of an unknown third */
  { "10.0.0.0/8", "10.0.0.7", list, { "192.0.2.1, 10.1.1.1" }, "192.0.2.1" },
  { "10.0.0.7, 10.0.0.8", "10.0.0.7", list, { "192.0.2.1", "192.0.2.2", "10.0.0.8" }, "192.0.2.2" },
  { "10.0.0.0/9", "10.0.0.7", list, { "192.0.2.1, 10.128.0.1" }, "10.128.0.1" },
  { "10.0.0.0/8", "10.0.0.7", list, { "10.0.0.9" }, "10.0.0.9" },
  /* ports and brackets */
  { "::1", "::1", list, { "192.0.2.1:4711" }, "192.0.2.1" },
  { "fd00::/8", "fd12::1", list, { "[2001:db8::1]:4711" }, "2001:db8::1" },
  { "::1", "::1", list, { " 2001:db8::2 " }, "2001:db8::2" },
  { "10.0.0.7", "::ffff:10.0.0.7", list, { "192.0.2.1" }, "192.0.2.1" },
  /* no address: the last one that is known */
  { "10.0.0.7", "10.0.0.7", list, { "192.0.2.1, unknown" }, "10.0.0.7" },
  { "10.0.0.7", "10.0.0.7", list, { "" }, "10.0.0.7" },
  { "10.0.0.7", "10.0.0.7", list, { "192.0.2.1," }, "10.0.0.7" },
  { "10.0.0.7", "10.0.0.7", list, { "192.0.2.256" }, "10.0.0.7" },
  /* RFC 7239, section 4 */
  { "10.0.0.7", "10.0.0.7", elements, { "for=192.0.2.60;proto=http;by=203.0.113.43" }, "192.0.2.60" },
  { "10.0.0.7", "10.0.0.7", elements, { "by=203.0.113.43; For=\"[2001:db8:cafe::17]:4711\"" }, "2001:db8:cafe::17" },
  { "10.0.0.7", "10.0.0.7", elements, { "for=192.0.2.43, for=198.51.100.17" }, "198.51.100.17" },
  { "10.0.0.7", "10.0.0.7", elements, { "for=\"_gazonk\"" }, "10.0.0.7" },
  { "10.0.0.7", "10.0.0.7", elements, { "by=203.0.113.43" }, "10.0.0.7" },
  { "10.0.0.7", "10.0.0.7", elements, { "for=203.0.113.9;host=\"a, for=192.0.2.2\"" }, "203.0.113.9" },
};

Test(forwarded, client)
{
  for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
    const struct sample *s = &samples[i];
    struct armdyn_error error = { "", "" };
    struct ranges trusted;
    struct forwarded forwarded = { 0 };
    char text[ADDRESS_TEXT_SIZE];
    cr_assert_eq(ranges_parse("--trusted-proxies", s->trusted, &trusted, &error), ARMDYN_OK, "%s", error.message);
    for (size_t k = 0; k < 3 && s->lines[k]; k++) forwarded_add(&forwarded, s->name, s->lines[k]);
    struct sockaddr_storage client = peer(s->peer);
    forwarded_client(&forwarded, &trusted, &client);
    address_text(&client, text);
    cr_expect_str_eq(text, s->client, "sample %zu: %s", i, s->lines[0]);
  }
}

/* Of a chain longer than what is kept the end counts. */
Test(forwarded, long_chain)
{
  struct ranges trusted;
  struct forwarded forwarded = { 0 };
  struct sockaddr_storage client = peer("10.0.0.7");
  char text[ADDRESS_TEXT_SIZE], line[32];
  cr_assert_eq(ranges_parse("--trusted-proxies", "10.0.0.0/8", &trusted, NULL), ARMDYN_OK);
  for (int i = 0; i < 40; i++) {
    snprintf(line, sizeof line, i == 37 ? "192.0.2.%d" : "10.0.1.%d", i);
    forwarded_add(&forwarded, list, line);
  }
  forwarded_client(&forwarded, &trusted, &client);
  address_text(&client, text);
  cr_expect_str_eq(text, "192.0.2.37");
}

Test(forwarded, ranges_that_are_none)
{
  static const char *const bad[] = { "proxy",     "10.0.0",      "10.0.0.0/33", "::/129",
                                     "10.0.0.0/", "10.0.0.0/8x", "10.0.0.0/-1", "10.0.0.1;::1" };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct armdyn_error error = { "", "" };
    struct ranges trusted;
    cr_expect_eq(ranges_parse("--trusted-proxies", bad[i], &trusted, &error), ARMDYN_EINPUT, "%s", bad[i]);
    cr_expect(strstr(error.message, bad[i]) && strstr(error.message, "--trusted-proxies"), "%s", error.message);
  }
}
