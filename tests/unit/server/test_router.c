#include <criterion/criterion.h>

#include "server/http/router.h"
#include "server/http/target.h"

static enum outcome handler(struct exchange *x)
{
  (void)x;
  return ANSWERED;
}

#define ROUTE(method, path)                                                                                            \
  {                                                                                                                    \
    method, path, ROLE_ANYONE, 0, 0, NULL, path, NULL, handler, ON_POOL, 0, NULL                                       \
  }
static const struct route table[] = {
  ROUTE(HTTP_GET, "/"),
  ROUTE(HTTP_GET, "/v1/robots"),
  ROUTE(HTTP_POST, "/v1/robots"),
  ROUTE(HTTP_GET, "/v1/robots/{robot}"),
  ROUTE(HTTP_DELETE, "/v1/robots/{robot}"),
  ROUTE(HTTP_GET, "/v1/robots/compare"),
  ROUTE(HTTP_POST, "/v1/robots/{robot}/inverse-dynamics"),
  ROUTE(HTTP_GET, "/v1/robots/{robot}/revisions/{revision}"),
  ROUTE(HTTP_GET, "/v1/{kind}/{id}/samples"),
};
enum { ROUTES = sizeof table / sizeof *table };

static struct router *router;

static void build(void)
{
  router = router_new(table, ROUTES);
  cr_assert(router);
}

static void release(void)
{
  router_free(router);
}

/* The path of the route that `path` leads to, or NULL; its values as "name=value,...". */
static const char *lead(enum http_method method, const char *path, char values[256])
{
  static char text[1024];
  struct target target;
  struct match match;
  snprintf(text, sizeof text, "%s", path);
  values[0] = '\0';
  if (target_parse(text, &target) != TARGET_OK) return NULL;
  if (!router_match(router, target.segments, target.segment_count, &match) || !match.by_method[method]) return NULL;
  size_t length = 0;
  for (size_t i = 0; i < match.count; i++)
    length += (size_t)snprintf(values + length, 256 - length, "%s=%s,", match.values[i].name, match.values[i].value);
  return match.by_method[method]->path;
}

Test(router, every_row_is_found_by_its_own_path, .init = build, .fini = release)
{
  char values[256];
  for (size_t i = 0; i < ROUTES; i++) {
    if (strchr(table[i].path, '{')) continue;
    cr_expect_str_eq(lead(table[i].method, table[i].path, values), table[i].path);
    cr_expect_str_empty(values);
  }
}

Test(router, names_take_whole_segments, .init = build, .fini = release)
{
  char values[256];
  cr_expect_str_eq(lead(HTTP_GET, "/v1/robots/scara-1", values), "/v1/robots/{robot}");
  cr_expect_str_eq(values, "robot=scara-1,");
  cr_expect_str_eq(lead(HTTP_GET, "/v1/robots/a/revisions/7", values), "/v1/robots/{robot}/revisions/{revision}");
  cr_expect_str_eq(values, "robot=a,revision=7,");
  cr_expect_str_eq(lead(HTTP_GET, "/v1/robots/%C3%A4%2Fb?x=1", values), "/v1/robots/{robot}");
  cr_expect_str_eq(values, "robot=\xC3\xA4/b,", "an escaped slash divides nothing");
}

Test(router, an_exact_segment_wins_and_hides_nothing, .init = build, .fini = release)
{
  char values[256];
  cr_expect_str_eq(lead(HTTP_GET, "/v1/robots/compare", values), "/v1/robots/compare");
  cr_expect_str_eq(lead(HTTP_GET, "/v1/robots/compared", values), "/v1/robots/{robot}");
  /* below "robots" nothing has samples: the search goes back and takes {kind} */
  cr_expect_str_eq(lead(HTTP_GET, "/v1/robots/a/samples", values), "/v1/{kind}/{id}/samples");
  cr_expect_str_eq(values, "kind=robots,id=a,");
  cr_expect_str_eq(lead(HTTP_GET, "/v1/robots/compare/samples", values), "/v1/{kind}/{id}/samples");
}

Test(router, what_leads_nowhere, .init = build, .fini = release)
{
  char values[256];
  static const char *const paths[] = { "/v1",           "/v1/robots/", "/v1/robots//inverse-dynamics",   "/v1/robot",
                                       "/v1/robotsx",   "/V1/robots",  "/v1/robots/a/inverse-dynamics/", "//v1/robots",
                                       "/v1/robots/a/b" };
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
    for (int m = 0; m < HTTP_METHOD_COUNT; m++)
      cr_expect_null(lead((enum http_method)m, paths[i], values), "%s", paths[i]);
  cr_expect_null(lead(HTTP_PUT, "/v1/robots", values));
}

Test(router, the_order_of_rows_does_not_matter)
{
  struct route reversed[ROUTES];
  for (size_t i = 0; i < ROUTES; i++) reversed[i] = table[ROUTES - 1 - i];
  router = router_new(reversed, ROUTES);
  char values[256];
  cr_expect_str_eq(lead(HTTP_GET, "/v1/robots/compare", values), "/v1/robots/compare");
  cr_expect_str_eq(lead(HTTP_GET, "/v1/robots/a/samples", values), "/v1/{kind}/{id}/samples");
  cr_expect_str_eq(lead(HTTP_GET, "/v1/robots/a", values), "/v1/robots/{robot}");
  router_free(router);
}

Test(router, two_rows_of_one_call_are_refused)
{
  const struct route twice[] = { ROUTE(HTTP_GET, "/v1/a/{x}"), ROUTE(HTTP_GET, "/v1/a/{x}") };
  cr_expect_null(router_new(twice, 2));
}

Test(router, allow_names_the_methods, .init = build, .fini = release)
{
  struct match match;
  char allow[ALLOW_SIZE];
  cr_assert(router_match(router, (const char *[]){ "v1", "robots" }, 2, &match));
  router_allow(&match, allow);
  cr_expect_str_eq(allow, "GET, HEAD, POST, OPTIONS");
}

/* -- targets -- */

Test(target, is_taken_apart)
{
  char text[] = "/a/b%20c?x=1&y=a+b%26&empty=&bare&&z=%C3%A4";
  struct target target;
  cr_assert_eq(target_parse(text, &target), TARGET_OK);
  cr_assert_eq(target.segment_count, 2);
  cr_expect_str_eq(target.segments[1], "b c");
  cr_assert_eq(target.parameter_count, 5);
  cr_expect_str_eq(target_parameter(&target, "y"), "a b&");
  cr_expect_str_eq(target_parameter(&target, "empty"), "");
  cr_expect_str_eq(target_parameter(&target, "bare"), "");
  cr_expect_str_eq(target_parameter(&target, "z"), "\xC3\xA4");
  cr_expect_null(target_parameter(&target, "q"));
}

Test(target, malformed_ones)
{
  static const char *const bad[] = { "/%", "/%4", "/%4g", "/%00", "/a?x=%", "/a?%zz=1", "/a?x=%00", "a", "*", "" };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char text[32];
    struct target target;
    snprintf(text, sizeof text, "%s", bad[i]);
    cr_expect_eq(target_parse(text, &target), TARGET_MALFORMED, "%s", bad[i]);
  }
}

Test(target, bounds)
{
  char text[1024] = "";
  struct target target;
  for (int i = 0; i <= SEGMENTS_MOST; i++) snprintf(text + 2 * i, sizeof text - 2 * (size_t)i, "/a");
  cr_expect_eq(target_parse(text, &target), TARGET_UNKNOWN);
  size_t length = (size_t)snprintf(text, sizeof text, "/a?");
  for (int i = 0; i <= PARAMETERS_MOST; i++) length += (size_t)snprintf(text + length, sizeof text - length, "p%d&", i);
  cr_expect_eq(target_parse(text, &target), TARGET_CROWDED);
}

Test(target, unknown_and_repeated_parameters_are_faults)
{
  char text[] = "/a?limit=1&limits=2&limit=3&cursor=4&lim=5";
  struct target target;
  static struct faults faults;
  cr_assert_eq(target_parse(text, &target), TARGET_OK);
  target_check(&target, "limit cursor", &faults);
  cr_assert_eq(faults.count, 3);
  cr_expect_str_eq(faults.items[0].where, "limits");
  cr_expect_eq(faults.items[0].code, FAULT_UNKNOWN);
  cr_expect_str_eq(faults.items[1].where, "limit");
  cr_expect_eq(faults.items[1].code, FAULT_DUPLICATE);
  cr_expect_str_eq(faults.items[2].where, "lim");
}
