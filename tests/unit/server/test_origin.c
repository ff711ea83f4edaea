/* Names of this service, and pages that are its own. */
#include <criterion/criterion.h>

#include "server/http/origin.h"

static struct host_names names_of(const char *text)
{
  struct host_names names = { 0 };
  struct armdyn_error error = { "", "" };
  cr_assert_eq(host_names_parse("--host-names", text, &names, &error), ARMDYN_OK, "%s", error.message);
  return names;
}

Test(origin, hosts)
{
  static const struct {
    const char *host;
    bool known;
  } samples[] = {
    { "localhost", true },   { "LocalHost:80", true },   { "127.0.0.1:8080", true },
    { "[::1]:8080", true },  { "robots.example", true }, { "ROBOTS.example:9999", true },
    { "[fd00::7]", true },   { "10.0.0.5:1", true },     { "10.1.2.3", true },
    { "", false },           { "localhost.", false },    { "evil.example", false },
    { "[::1", false },       { "[::1]x", false },        { "localhost:x", false },
    { "xlocalhost", false }, { "127.0.0.10", false },    { "robots.example.evil", false },
  };
  struct host_names names = names_of("robots.example:8443, [fd00::7],10.0.0.5");
  snprintf(names.listened, sizeof names.listened, "10.1.2.3");
  for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
    cr_expect_eq(host_is_known(&names, samples[i].host), samples[i].known, "%s", samples[i].host);
}

Test(origin, without_an_address_an_empty_host_is_unknown)
{
  const struct host_names names = { 0 };
  cr_expect(!host_is_known(&names, ""));
  cr_expect(!host_is_known(&names, ":80"));
}

Test(origin, pages)
{
  static const struct {
    struct page_origin page;
    bool own;
  } samples[] = {
    { { .host = "a:1" }, true }, /* no browser */
    { { .origin = "http://a:1", .host = "a:1" }, true },
    { { .origin = "http://A:1", .host = "a:1" }, true },
    { { .origin = "https://a", .host = "a:443" }, true },
    { { .origin = "http://a", .host = "a:80" }, true },
    { { .origin = "http://a:80", .host = "a" }, true },
    { { .origin = "http://a", .host = "a:443" }, false },
    { { .origin = "http://a:1", .host = "a:2" }, false },
    { { .origin = "http://a:1", .host = "a" }, false },
    { { .origin = "null", .host = "null" }, false },
    { { .origin = "", .host = "" }, false },
    { { .origin = "http://", .host = "" }, false },
    { { .origin = "http://a", .host = NULL }, false },
    { { .origin = "http://x", .host = "a", .proxied_host = "x" }, true },
    { { .origin = "http://x", .host = "a", .proxied_host = "x:1" }, false },
    { { .origin = "https://robots.example:8443", .host = "a" }, true },
    { { .origin = "https://robots.example", .host = "a" }, false },
    { { .origin = "http://[fd00::7]", .host = "a" }, true },
    { { .origin = "http://a", .site = "cross-site", .host = "a" }, false },
    { { .origin = "http://a", .site = "same-site", .host = "a" }, false },
    { { .origin = "http://b", .site = "none", .host = "a" }, false },
    { { .origin = "http://b", .site = "same-origin", .host = "a" }, true },
    { { .site = "none", .host = "a" }, true },
  };
  const struct host_names names = names_of("robots.example:8443,[fd00::7]");
  for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
    cr_expect_eq(page_is_own(&names, &samples[i].page), samples[i].own, "sample %zu", i);
}

Test(origin, names_that_are_none)
{
  static const char *const bad[] = {
    "a/b", "http://a", "[::1", "[g::]", "a:b", "a:123456", "@", "a b:c", ":80", "[]x"
  };
  struct host_names names;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct armdyn_error error = { "", "" };
    cr_expect_eq(host_names_parse("--host-names", bad[i], &names, &error), ARMDYN_EINPUT, "%s", bad[i]);
  }
}
