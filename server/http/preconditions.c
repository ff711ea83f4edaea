#include "server/http/preconditions.h"

#include <errno.h>
#include <sodium.h>

/* Does a list of tags, "1", W/"2", hold `tag`? Weakly, W/"2" is "2" too; strongly it is no tag of ours. */
static bool lists_tag(const char *list, const char *tag, bool weakly)
{
  size_t length = strlen(tag);
  for (const char *p = list; *p;) {
    p += strspn(p, " \t,");
    if (weakly && !strncmp(p, "W/", 2)) p += 2;
    size_t item = *p == '"' ? 1 + strcspn(p + 1, "\"") : strcspn(p, ",");
    if (*p == '"' && p[item] == '"') item++;
    if (item == length && !memcmp(p, tag, length)) return true;
    p += item;
  }
  return false;
}

int64_t version_of_content(const char *bytes, size_t length)
{
  unsigned char hash[crypto_generichash_BYTES_MIN];
  crypto_generichash(hash, sizeof hash, (const unsigned char *)bytes, length, NULL, 0);
  int64_t version = 0;
  for (size_t i = 0; i < 7; i++) version = version << 8 | hash[i];
  return version;
}

void answer_etag(struct exchange *x, int64_t version)
{
  exchange_set_header(x, "ETag", "\"%lld\"", (long long)version);
}

bool answered_not_modified(struct exchange *x, int64_t version)
{
  const char *header = exchange_header(x, "If-None-Match");
  if (!header) return false;
  char tag[32];
  snprintf(tag, sizeof tag, "\"%lld\"", (long long)version);
  if (header[strspn(header, " \t")] != '*' && !lists_tag(header, tag, true)) return false;
  answer_etag(x, version);
  answer_empty(x, 304);
  return true;
}

void answer_document(struct exchange *x, struct buffer *body)
{
  int64_t version = buffer_ok(body) ? version_of_content(body->data, body->length) : 0;
  if (version && answered_not_modified(x, version)) {
    buffer_release(body);
    return;
  }
  if (version) answer_etag(x, version);
  answer_json(x, 200, body);
}

/* One strong tag that we may have given. */
static bool version_of_tag(const char *tag, int64_t *version)
{
  size_t digits = *tag == '"' ? strspn(tag + 1, "0123456789") : 0;
  if (!digits || digits > 18 || strcmp(tag + 1 + digits, "\"")) return false;
  *version = strtoll(tag + 1, NULL, 10);
  return true;
}

enum precondition exchange_precondition(struct exchange *x, bool may_create, int64_t *version)
{
  const char *match = exchange_header(x, "If-Match"), *none = exchange_header(x, "If-None-Match");
  if (match && none) {
    answer_problem(x, PROBLEM_BAD_REQUEST, "If-Match together with If-None-Match");
    return EXPECT_REFUSED;
  }
  if (none && may_create) {
    if (!strcmp(none, "*")) return EXPECT_NONE;
    answer_problem(x, PROBLEM_BAD_REQUEST, "If-None-Match takes only * here, got '%.64s'", none);
    return EXPECT_REFUSED;
  }
  if (!match) {
    answer_problem(x, PROBLEM_PRECONDITION_REQUIRED, NULL);
    return EXPECT_REFUSED;
  }
  if (!strcmp(match, "*")) return EXPECT_ANY;
  char present[32];
  snprintf(present, sizeof present, "\"%lld\"", (long long)*version);
  if (version_of_tag(match, version) || lists_tag(match, present, false)) return EXPECT_VERSION;
  answer_problem(x, PROBLEM_STALE, "If-Match is '%.64s', which is no ETag of this resource", match);
  return EXPECT_REFUSED;
}
