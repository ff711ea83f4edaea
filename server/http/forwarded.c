#include "server/http/forwarded.h"

#include <strings.h>

enum { WORD = 64 }; /* an address in text, with brackets and port */

/* "1.2.3.4", "1.2.3.4:5", "::1", "[::1]", "[::1]:5" */
static void read_node(const char *text, size_t length, struct sockaddr_storage *address)
{
  char word[WORD] = "";
  const char *colon = memchr(text, ':', length);
  address->ss_family = AF_UNSPEC;
  if (length && *text == '[') {
    const char *end = memchr(text, ']', length);
    if (!end) return;
    length = (size_t)(end - ++text);
  } else if (colon && !memchr(colon + 1, ':', length - (size_t)(colon + 1 - text))) {
    length = (size_t)(colon - text);
  }
  if (length >= sizeof word) return;
  memcpy(word, text, length);
  address_read(word, address);
}

/* -- the headers -- */

static size_t trim(const char **text, size_t length)
{
  while (length && (**text == ' ' || **text == '\t')) (*text)++, length--;
  while (length && ((*text)[length - 1] == ' ' || (*text)[length - 1] == '\t')) length--;
  return length;
}

static void add(struct forwarded *f, const char *text, size_t length)
{
  length = trim(&text, length);
  read_node(text, length, &f->last[f->count++ % FORWARDED_MOST]);
}

static void add_list(struct forwarded *f, const char *line)
{
  for (;;) {
    size_t length = strcspn(line, ",");
    add(f, line, length);
    if (!line[length]) return;
    line += length + 1;
  }
}

/* To the first of these characters outside of quotes. */
static size_t span(const char *text, const char *stops)
{
  bool quoted = false;
  size_t i = 0;
  for (; text[i] && (quoted || !strchr(stops, text[i])); i++) {
    if (text[i] == '"') quoted = !quoted;
    if (quoted && text[i] == '\\' && text[i + 1]) i++;
  }
  return i;
}

/* The value of `for` in one element; "" when it has none. */
static const char *find_for(const char *element, size_t size, size_t *length)
{
  for (const char *p = element, *end = element + size; p < end;) {
    const char *pair = p;
    size_t pair_size = span(p, ";,");
    p += pair_size + 1;
    pair_size = trim(&pair, pair_size);
    if (pair_size < 4 || strncasecmp(pair, "for=", 4)) continue;
    pair += 4, pair_size -= 4;
    if (pair_size >= 2 && *pair == '"' && pair[pair_size - 1] == '"') pair++, pair_size -= 2;
    *length = pair_size;
    return pair;
  }
  *length = 0;
  return "";
}

static void add_elements(struct forwarded *f, const char *line)
{
  for (;;) {
    size_t size = span(line, ","), length;
    const char *node = find_for(line, size, &length);
    add(f, node, length);
    if (!line[size]) return;
    line += size + 1;
  }
}

void forwarded_add(struct forwarded *f, const char *name, const char *line)
{
  (strcmp(name, "forwarded") ? add_list : add_elements)(f, line);
}

void forwarded_client(const struct forwarded *f, const struct ranges *trusted, struct sockaddr_storage *client)
{
  size_t kept = f->count < FORWARDED_MOST ? f->count : FORWARDED_MOST;
  for (size_t i = 1; i <= kept && ranges_have(trusted, client); i++) {
    const struct sockaddr_storage *before = &f->last[(f->count - i) % FORWARDED_MOST];
    if (before->ss_family == AF_UNSPEC) return;
    *client = *before;
  }
}
