#include <arpa/inet.h>
#include <criterion/criterion.h>

#include "server/http/address.h"

static void key_of(const char *text, unsigned char key[ADDRESS_KEY_SIZE])
{
  struct sockaddr_in four = { .sin_family = AF_INET };
  struct sockaddr_in6 six = { .sin6_family = AF_INET6 };
  if (inet_pton(AF_INET, text, &four.sin_addr) == 1)
    address_key((const struct sockaddr *)&four, key);
  else {
    cr_assert_eq(inet_pton(AF_INET6, text, &six.sin6_addr), 1, "%s", text);
    address_key((const struct sockaddr *)&six, key);
  }
}

Test(address, is_counted_as_one_where_one_customer_has_it)
{
  static const struct {
    const char *a, *b;
    bool one;
  } rows[] = {
    { "10.0.0.7", "10.0.0.7", true },
    { "10.0.0.7", "10.0.0.8", false },
    { "10.0.0.7", "::ffff:10.0.0.7", true },
    { "2001:db8:1:2::1", "2001:db8:1:2:ffff::9", true },
    { "2001:db8:1:2::1", "2001:db8:1:3::1", false },
    { "::ffff:10.0.0.7", "::ffff:10.0.0.8", false },
    { "a00:7::", "10.0.0.7", false }, /* the same bytes */
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    unsigned char a[ADDRESS_KEY_SIZE], b[ADDRESS_KEY_SIZE];
    key_of(rows[i].a, a);
    key_of(rows[i].b, b);
    cr_expect_eq(!memcmp(a, b, sizeof a), rows[i].one, "%s and %s", rows[i].a, rows[i].b);
  }
}
