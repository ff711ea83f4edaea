#include "api/codec/media.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <strings.h>

static const struct {
  const char *type;
  const char *range; /* the wildcard that takes it in */
} formats[] = {
  [MEDIA_JSON] = { "application/json", "application/*" },
  [MEDIA_NPY] = { "application/x-npy", "application/*" },
  [MEDIA_CSV] = { "text/csv", "text/*" },
  [MEDIA_XML] = { "application/xml", "application/*" },
  [MEDIA_HTML] = { "text/html", "text/*" },
  [MEDIA_MERGE_PATCH] = { "application/merge-patch+json", "application/*" },
  [MEDIA_JAVASCRIPT] = { "text/javascript", "text/*" },
  [MEDIA_CSS] = { "text/css", "text/*" },
  [MEDIA_SVG] = { "image/svg+xml", "image/*" },
  [MEDIA_EVENTS] = { "text/event-stream", "text/*" },
  [MEDIA_TEXT] = { "text/plain", "text/*" },
  [MEDIA_STL] = { "model/stl", "model/*" },
  [MEDIA_OBJ] = { "model/obj", "model/*" },
  [MEDIA_MARKDOWN] = { "text/markdown", "text/*" },
  [MEDIA_LATEX] = { "application/x-latex", "application/*" },
  [MEDIA_MATLAB] = { "text/x-matlab", "text/*" },
};
enum { FORMATS = MEDIA_NONE };
_Static_assert(sizeof formats / sizeof *formats == FORMATS, "a row for every format");

/* A piece of a header, without the white space around it. */
struct span {
  const char *at, *end;
};

static struct span trimmed(const char *at, const char *end)
{
  while (at < end && isspace((unsigned char)*at)) at++;
  while (at < end && isspace((unsigned char)end[-1])) end--;
  return (struct span){ at, end };
}

/* Cut off what stands before the next separator outside quotes; *rest moves behind it. False at the end. */
static bool cut(const char **rest, const char *end, char separator, struct span *piece)
{
  if (!*rest) return false;
  bool quoted = false;
  const char *at = *rest;
  for (; at < end && (quoted || *at != separator); at++) {
    if (*at == '"') quoted = !quoted;
    if (quoted && *at == '\\' && at + 1 < end) at++;
  }
  *piece = trimmed(*rest, at);
  *rest = at < end ? at + 1 : NULL;
  return true;
}

static bool is(struct span span, const char *text)
{
  size_t length = strlen(text);
  return (size_t)(span.end - span.at) == length && strncasecmp(span.at, text, length) == 0;
}

/* The value of a parameter `name=value`, without quotes; an empty span when the parameter is another. */
static bool parameter(struct span piece, const char *name, struct span *value)
{
  const char *equals = piece.at < piece.end ? memchr(piece.at, '=', (size_t)(piece.end - piece.at)) : NULL;
  if (!equals || !is(trimmed(piece.at, equals), name)) return false;
  *value = trimmed(equals + 1, piece.end);
  if (value->end - value->at >= 2 && value->at[0] == '"' && value->end[-1] == '"') value->at++, value->end--;
  return true;
}

const char *media_type(enum media media)
{
  return (unsigned)media < FORMATS ? formats[media].type : "application/octet-stream";
}

enum media media_of_content_type(const char *header)
{
  if (!header) return MEDIA_NONE;
  const char *rest = header, *end = header + strlen(header);
  struct span piece, value;
  cut(&rest, end, ';', &piece);
  enum media media = MEDIA_NONE;
  for (int m = 0; m < FORMATS; m++)
    if (is(piece, formats[m].type)) media = (enum media)m;
  while (cut(&rest, end, ';', &piece))
    if (parameter(piece, "charset", &value) && !is(value, "utf-8")) return MEDIA_NONE;
  return media;
}

/* A q-value in thousandths (RFC 9110, 12.4.2); a malformed one counts as 0, so that it chooses nothing by accident. */
static int quality(struct span text)
{
  int thousandths = 0, place = 1000;
  const char *at = text.at;
  if (at == text.end || (*at != '0' && *at != '1')) return 0;
  thousandths = *at++ == '1' ? 1000 : 0;
  if (at < text.end && *at++ != '.') return 0;
  for (; at < text.end && isdigit((unsigned char)*at) && place > 1; at++) thousandths += (*at - '0') * (place /= 10);
  return at == text.end && thousandths <= 1000 ? thousandths : 0;
}

/* How exactly a media range names a format: 0 not at all, then by a wildcard, then in full. */
static int precision(struct span range, int media)
{
  return is(range, formats[media].type) ? 3 : is(range, formats[media].range) ? 2 : is(range, "*/*") ? 1 : 0;
}

enum media media_of_accept(const char *header, unsigned offered)
{
  int best[FORMATS] = { 0 }, precise[FORMATS] = { 0 };
  const char *rest = header && *header ? header : "*/*", *end = rest + strlen(rest);
  struct span item, piece, value;

  /* the most precise range decides over a format's quality (RFC 9110, 12.5.1) */
  while (cut(&rest, end, ',', &item)) {
    const char *inner = item.at;
    if (!cut(&inner, item.end, ';', &piece)) continue;
    struct span range = piece;
    int q = 1000;
    while (cut(&inner, item.end, ';', &piece))
      if (parameter(piece, "q", &value)) q = quality(value);
    for (int m = 0; m < FORMATS; m++) {
      int p = precision(range, m);
      if (p > precise[m]) precise[m] = p, best[m] = q;
    }
  }
  enum media chosen = MEDIA_NONE;
  for (int m = 0, most = 0; m < FORMATS; m++)
    if ((offered >> m & 1) && best[m] > most) most = best[m], chosen = (enum media)m;
  return chosen;
}
