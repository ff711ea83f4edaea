/* The pages: /, the reference of the API at /docs, and the files that they name. What a page shows stands behind the # of
 * its address, which browsers keep to themselves, so that no path but / is needed, whatever the base path of a proxy. */
#include "server/web/pages.h"

#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

#include "server/http/preconditions.h"
#include "server/routes/handlers.h"

/* Scripts, styles and calls of this origin and of no other, nothing inline, in nobody's frame. */
static const char POLICY[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

static int by_name(const void *name, const void *page)
{
  return strcmp(name, ((const struct page *)page)->name);
}

static const struct page *find(const char *name)
{
  return page_count ? bsearch(name, pages, page_count, sizeof *pages, by_name) : NULL;
}

/* Does the client take gzip? A q-value of 0 says no (RFC 9110, 12.5.3). */
static bool takes_gzip(struct exchange *x)
{
  const char *header = exchange_header(x, "Accept-Encoding");
  for (const char *p = header ? header : ""; *p; p += *p == ',') {
    p += strspn(p, " \t");
    size_t item = strcspn(p, ",");
    if (!strncasecmp(p, "gzip", 4) && (item == 4 || strchr(" \t;", p[4]))) {
      const char *q = memchr(p, '=', item);
      return !q || strtod(q + 1, NULL) > 0;
    }
    p += item;
  }
  return false;
}

/* The tag is of the bytes that are sent: compressed ones are another representation. */
static enum outcome answer_page(struct exchange *x, const struct page *page, const char *caching)
{
  bool packed = takes_gzip(x);
  const char *bytes = packed ? page->packed : page->plain;
  size_t length = packed ? page->packed_length : page->plain_length;
  int64_t version = version_of_content(bytes, length);
  exchange_set_header(x, "Cache-Control", "%s", caching);
  exchange_set_header(x, "Vary", "Accept-Encoding");
  if (answered_not_modified(x, version)) return ANSWERED;
  struct buffer body = BUFFER(MB(8));
  buffer_append(&body, bytes, length);
  if (packed) exchange_set_header(x, "Content-Encoding", "gzip");
  exchange_set_header(x, "Content-Security-Policy", "%s", POLICY);
  exchange_set_header(x, "Referrer-Policy", "no-referrer");
  answer_etag(x, version);
  answer_bytes(x, 200, page->type, &body);
  return ANSWERED;
}

static enum outcome answer_html(struct exchange *x, const char *name)
{
  const struct page *page = find(name);
  if (page) return answer_page(x, page, "no-cache");
  answer_problem(x, PROBLEM_NOT_FOUND,
                 "this server was built without its pages: %s. Everything else is there, see /v1/openapi.json",
                 pages_missing);
  return ANSWERED;
}

enum outcome page_index(struct exchange *x)
{
  return answer_html(x, "index.html");
}

enum outcome page_docs(struct exchange *x)
{
  return answer_html(x, "docs.html");
}

/* The name of such a file holds a hash of what is in it: what it names never changes. */
enum outcome page_asset(struct exchange *x)
{
  const struct page *page = find(exchange_segment(x, "asset"));
  if (page && strncmp(page->type, "text/html", 9)) return answer_page(x, page, "public, max-age=31536000, immutable");
  answer_problem(x, PROBLEM_NOT_FOUND, NULL);
  return ANSWERED;
}
