#include <criterion/criterion.h>

#include "server/base/ranges.h"
#include "server/http/throttle.h"

enum { MOST = 20 };

static struct throttle *throttle;

static void setup(void)
{
  throttle = throttle_new();
  cr_assert(throttle);
}

static void teardown(void)
{
  throttle_free(throttle);
}

TestSuite(throttle, .init = setup, .fini = teardown);

static bool count(const char *text)
{
  struct sockaddr_storage address;
  int seconds;
  cr_assert(address_read(text, &address), "%s", text);
  bool many = throttle_count(throttle, (const struct sockaddr *)&address, &seconds);
  cr_assert(seconds >= 1 && seconds <= 61, "%d", seconds);
  return many;
}

static void use_up(const char *text)
{
  for (int i = 0; i < MOST; i++) cr_assert_not(count(text), "%s: %d", text, i);
  cr_assert(count(text), "%s", text);
}

Test(throttle, neighbours_are_not_counted_together)
{
  use_up("192.0.2.1");
  cr_assert_not(count("192.0.2.2"));
  use_up("2001:db8::1");
  cr_assert_not(count("2001:db8:0:1::1"));
  use_up("::ffff:198.51.100.1");
  cr_assert_not(count("::ffff:198.51.100.2"));
}

Test(throttle, one_who_comes_by_another_address_of_his_is_known)
{
  use_up("192.0.2.1");
  cr_assert(count("::ffff:192.0.2.1"));
  use_up("2001:db8::1");
  cr_assert(count("2001:db8::ffff:1"));
}
