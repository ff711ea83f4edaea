#include <criterion/criterion.h>
#include <stdint.h>

#include "server/config/options.h"

static struct options parse(int count, const char *const *arguments)
{
  char *argv[16] = { (char *)(uintptr_t) "serve" };
  for (int i = 0; i < count; i++) argv[1 + i] = (char *)(uintptr_t)arguments[i];
  struct options options;
  struct armdyn_error error = { "", "" };
  cr_assert_eq(options_parse(1 + count, argv, &options, &error), ARMDYN_OK, "%s", error.message);
  return options;
}
#define PARSE(...) parse(sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *), (const char *[]){ __VA_ARGS__ })

static void clear(void *context, const char *flag, const char *variable, const char *standard)
{
  (void)flag, (void)standard;
  ++*(size_t *)context;
  unsetenv(variable);
}

static void clear_environment(void)
{
  size_t count = 0;
  options_list(clear, &count);
  cr_assert_geq(count, 12);
}

Test(options, defaults, .init = clear_environment)
{
  struct options o = parse(0, NULL);
  cr_expect_str_eq(o.listen, "127.0.0.1:8080");
  cr_expect_str_eq(o.admin_key_file, "");
  cr_expect_str_eq(o.log_level, "info");
  cr_expect_str_eq(o.on_server_loss, "stop");
  cr_expect_eq(o.stop_timeout, 8, "before Docker's own 10 s");
  cr_expect_eq(o.http_threads, 0);
  cr_expect_eq(o.child_silence, 3);
}

Test(options, flags_win_over_variables_win_over_defaults, .init = clear_environment)
{
  setenv("ARMDYN_WORKERS", "3", 1);
  setenv("ARMDYN_DATA", "/var/lib/a", 1);
  struct options o = PARSE("--workers", "5", "--listen=[::1]:0");
  cr_expect_eq(o.workers, 5);
  cr_expect_str_eq(o.data, "/var/lib/a");
  cr_expect_str_eq(o.listen, "[::1]:0");
}

/* Every option takes its own default back, by flag and by variable, and nothing else changes. */
static void give_back(void *context, const char *flag, const char *variable, const char *standard)
{
  const struct options *expected = context;
  struct options by_flag = PARSE(flag, standard);
  setenv(variable, standard, 1);
  struct options by_variable = parse(0, NULL);
  unsetenv(variable);
  cr_expect_eq(memcmp(&by_flag, expected, sizeof by_flag), 0, "%s", flag);
  cr_expect_eq(memcmp(&by_variable, expected, sizeof by_variable), 0, "%s", variable);
}

Test(options, every_default_can_be_given, .init = clear_environment)
{
  struct options standard = parse(0, NULL);
  options_list(give_back, &standard);
}

Test(options, refusals_name_source_and_value, .init = clear_environment)
{
  static const struct {
    const char *argument, *message;
  } cases[] = {
    { "--workers=many", "--workers: 'many' is no whole number from 0 to 256" },
    { "--workers=257", "--workers: '257' is no whole number from 0 to 256" },
    { "--workers=1 ", "--workers: '1 ' is no whole number from 0 to 256" },
    { "--stop-timeout=0", "--stop-timeout: '0' is no whole number from 1 to 600" },
    { "--log-level=inf", "--log-level: 'inf' is none of: debug info warning error" },
    { "--log-level=info warning", "--log-level: 'info warning' is none of: debug info warning error" },
    { "--log-level=", "--log-level: '' is none of: debug info warning error" },
    { "--lissen=x", "unknown option '--lissen=x'; did you mean --listen?" },
    { "--wibble", "unknown option '--wibble'; --help lists all" },
    { "--data", "--data needs a value (DIR)" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *argv[] = { (char *)(uintptr_t) "serve", (char *)(uintptr_t)cases[i].argument };
    struct options options;
    struct armdyn_error error;
    cr_expect_eq(options_parse(2, argv, &options, &error), ARMDYN_EINPUT);
    cr_expect_str_eq(error.message, cases[i].message);
  }
}

Test(options, a_text_that_is_too_long_is_not_cut, .init = clear_environment)
{
  char text[400];
  memset(text, 'x', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  memcpy(text, "--listen=", 9);
  char *argv[] = { (char *)(uintptr_t) "serve", text };
  struct options options;
  struct armdyn_error error;
  cr_expect_eq(options_parse(2, argv, &options, &error), ARMDYN_EINPUT);
  cr_expect(strstr(error.message, "longer than 127 characters"));
}

Test(options, numbers_left_open_become_what_holds, .init = clear_environment)
{
  char *given[] = { "serve", "--streams-per-key", "7", NULL };
  for (int loopback = 0; loopback < 2; loopback++) {
    struct options o;
    cr_assert_eq(options_parse(3, given, &o, NULL), ARMDYN_OK);
    options_settle(&o, loopback, 4);
    cr_assert_eq(o.streams_per_key, 7);
    cr_assert_eq(o.waiting_jobs_per_key, loopback ? 0 : 400);
    cr_assert_eq(o.running_jobs_per_key, loopback ? 0 : 3);
    cr_assert_eq(o.connections_per_address, loopback ? 0 : 200);
    cr_assert(o.own_address_is_free);
    cr_assert(o.workers == 4 && o.compute_threads == 4 && o.http_threads == 10);
  }
}

Test(options, numbers_given_stay, .init = clear_environment)
{
  struct options o = PARSE("--connections-per-address", "3", "--running-jobs-per-key=9", "--workers", "1");
  options_settle(&o, false, 64);
  cr_assert(o.connections_per_address == 3 && !o.own_address_is_free);
  cr_assert(o.running_jobs_per_key == 9 && o.workers == 1);
  cr_assert(o.compute_threads == 64 && o.http_threads == 64);
}

static void note_none(void *context, const char *flag, long value, bool none)
{
  if (none) cr_expect_eq(value, 0, "%s", flag);
  if (!strcmp(flag, "--job-cpu-time") || !strcmp(flag, "--job-stall")) *(int *)context += none ? 1 : 10;
}

Test(options, of_some_numbers_0_is_no_limit, .init = clear_environment)
{
  struct options o = PARSE("--job-cpu-time", "0", "--job-stall", "0");
  int seen = 0;
  options_numbers(&o, note_none, &seen);
  cr_assert_eq(seen, 11); /* one of them is none, and 0 s of the other is a number */
}
