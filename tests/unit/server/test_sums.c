/* Sums of bundles: what sha256sum writes is read, what leads elsewhere is refused; the key of RFC 8410's own example. */
#include <criterion/criterion.h>

#include "server/release/sums.h"

/* Of "abc" and of nothing (FIPS 180-4's examples). */
#define ABC   "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define EMPTY "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

static enum armdyn_status parse(const char *text, struct sums *sums, struct armdyn_error *error)
{
  return sums_parse(text, strlen(text), sums, error);
}

Test(sums, are_found_by_name)
{
  struct sums sums;
  cr_assert_eq(parse(ABC "  packages/b.deb\n" EMPTY " *a\n", &sums, NULL), ARMDYN_OK);
  cr_assert_eq(sums.count, 2);
  cr_expect_eq(sums_find(&sums, "packages/b.deb")->hash[0], 0xba);
  cr_expect_eq(sums_find(&sums, "a")->hash[31], 0x55);
  cr_expect_null(sums_find(&sums, "packages"));
  sums_release(&sums);
}

Test(sums, that_are_none_are_told_by_line)
{
  static const char *const wrong[] = {
    ABC "  ../out\n", ABC "  /etc/passwd\n",
    ABC "  a/../b\n", ABC "  a//b\n",
    ABC "  ./a\n",    ABC "  a/\n",
    ABC "  \n",       ABC " a\n",
    "abc  a\n",       "\n",
    ABC "x  a\n",     ABC "  a\tb\n",
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct sums sums;
    struct armdyn_error error = { "", "" };
    char text[512];
    snprintf(text, sizeof text, "%s  good\n%s", EMPTY, wrong[i]);
    cr_expect_eq(parse(text, &sums, &error), ARMDYN_EINPUT, "%s", wrong[i]);
    cr_expect(strstr(error.message, "line 2 "), "%s: %s", wrong[i], error.message);
    sums_release(&sums);
  }
}

Test(sums, name_no_file_twice_and_are_not_cut_off)
{
  struct sums sums;
  struct armdyn_error error = { "", "" };
  cr_expect_eq(parse(ABC "  a\n" EMPTY "  b\n" EMPTY "  a\n", &sums, &error), ARMDYN_EINPUT);
  cr_expect(strstr(error.message, "'a' twice"), "%s", error.message);
  sums_release(&sums);
  cr_expect_eq(parse(ABC "  a\n" EMPTY "  b", &sums, &error), ARMDYN_EINPUT);
  cr_expect(strstr(error.message, "cut off"), "%s", error.message);
  sums_release(&sums);
  cr_expect_eq(parse("", &sums, &error), ARMDYN_EINPUT);
  sums_release(&sums);
}

/* RFC 8410, section 10.1, and the key as section 10.3 prints it. */
Test(sums, key_of_rfc_8410)
{
  static const char pem[] =
      "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC "
      "KEY-----\n";
  unsigned char key[SIGNING_KEY_SIZE];
  struct armdyn_error error = { "", "" };
  cr_assert_eq(signing_key_parse(pem, sizeof pem - 1, key, &error), ARMDYN_OK, "%s", error.message);
  cr_expect(key[0] == 0x19 && key[1] == 0xbf && key[2] == 0x44 && key[30] == 0x66 && key[31] == 0xe1);
  cr_expect_eq(signing_key_parse(pem, sizeof pem - 20, key, &error), ARMDYN_EINPUT);
  cr_expect_eq(signing_key_parse("", 0, key, &error), ARMDYN_EINPUT);
}
