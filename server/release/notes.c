#include "server/release/notes.h"

#include <stdbool.h>
#include <string.h>

#include "server/base/embed.h"

EMBED(changelog, "CHANGELOG.md");

static const char section[] = "\n## ", changed[] = "\n### Changed\n", part[] = "\n### ";

/* The heading of the next version, or the end. */
static const char *next_version(const char *text)
{
  const char *next = strstr(text, section);
  return next ? next : text + strlen(text);
}

/* NULL: there is none. */
static const char *find_version(const char *version)
{
  const size_t length = strlen(version);
  const char *at = strstr(changelog, section);
  for (; at; at = strstr(at + 1, section)) {
    const char *name = at + strlen(section);
    if (!strncmp(name, version, length) && (!name[length] || strchr(" \n", name[length]))) return at;
  }
  return NULL;
}

const char *release_notes(size_t *length)
{
  const char *from = strstr(changelog, section);
  from = from ? strchr(from + 1, '\n') : changelog;
  if (!from) from = changelog;
  from += strspn(from, "\n");
  const char *to = next_version(from);
  while (to > from && to[-1] == '\n') to--;
  *length = (size_t)(to - from);
  return from;
}

static void add_items(const char *from, const char *to, struct buffer *out)
{
  for (const char *line = from; line < to; line = strchr(line, '\n') + 1) {
    const char *end = memchr(line, '\n', (size_t)(to - line));
    if (!end) end = to;
    if (!strncmp(line, "- ", 2)) buffer_append(out, line + 2, (size_t)(end - line - 2)), buffer_text(out, "\n");
    if (end == to) return;
  }
}

void release_notes_changed(const char *since, struct buffer *out)
{
  const char *at = strstr(changelog, section), *end = since ? find_version(since) : NULL;
  if (!at) return;
  if (!end) end = next_version(at + 1);
  while ((at = strstr(at, changed)) && at < end) {
    const char *items = at + strlen(changed), *stop = strstr(items, part), *version = next_version(items);
    add_items(items, stop && stop < version ? stop : version, out);
    at = items;
  }
}
