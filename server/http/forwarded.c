#include "server/http/forwarded.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <strings.h>

enum { WORD = 64 }; /* an address in text, with brackets and port */

/* -- addresses -- */

static bool bytes_of(const struct sockaddr_storage *address, unsigned char bytes[16])
{
  static const unsigned char mapped[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };
  if (address->ss_family == AF_INET6) {
    memcpy(bytes, &((const struct sockaddr_in6 *)address)->sin6_addr, 16);
    return true;
  }
  memcpy(bytes, mapped, sizeof mapped);
  memcpy(bytes + sizeof mapped, &((const struct sockaddr_in *)address)->sin_addr, 4);
  return address->ss_family == AF_INET;
}

static bool read_address(const char *text, struct sockaddr_storage *address)
{
  *address = (struct sockaddr_storage){ .ss_family = AF_INET };
  if (inet_pton(AF_INET, text, &((struct sockaddr_in *)address)->sin_addr) == 1) return true;
  address->ss_family = AF_INET6;
  if (inet_pton(AF_INET6, text, &((struct sockaddr_in6 *)address)->sin6_addr) == 1) return true;
  address->ss_family = AF_UNSPEC;
  return false;
}

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
  read_address(word, address);
}

/* -- who is trusted -- */

static bool read_range(char *word, struct trusted *trusted)
{
  struct sockaddr_storage address;
  char *slash = strchr(word, '/'), *end = NULL;
  if (slash) *slash = '\0';
  if (!read_address(word, &address)) return false;
  const long all = address.ss_family == AF_INET ? 32 : 128;
  long bits = all;
  if (slash) {
    bits = slash[1] >= '0' && slash[1] <= '9' ? strtol(slash + 1, &end, 10) : -1;
    if (bits < 0 || bits > all || *end) return false;
  }
  bytes_of(&address, trusted->of[trusted->count].address);
  trusted->of[trusted->count++].bits = (unsigned)(128 - all + bits);
  return true;
}

enum armdyn_status trusted_parse(const char *text, struct trusted *trusted, struct armdyn_error *error)
{
  static const char between[] = ", ";
  trusted->count = 0;
  for (const char *p = text + strspn(text, between); *p; p += strspn(p, between)) {
    char word[WORD];
    size_t length = strcspn(p, between);
    if (trusted->count == TRUSTED_MOST)
      return armdyn_refuse(error, ARMDYN_EINPUT, "", "--trusted-proxies: more than %d", TRUSTED_MOST);
    snprintf(word, sizeof word, "%.*s", (int)length, p);
    if (length >= sizeof word || !read_range(word, trusted))
      return armdyn_refuse(error, ARMDYN_EINPUT, "",
                           "--trusted-proxies: '%.*s' is no address and no range such as 10.1.0.0/16",
                           (int)(length < WORD ? length : WORD), p);
    p += length;
  }
  return ARMDYN_OK;
}

static bool same_bits(const unsigned char *a, const unsigned char *b, unsigned bits)
{
  if (memcmp(a, b, bits / 8) != 0) return false;
  return bits % 8 == 0 || (a[bits / 8] ^ b[bits / 8]) >> (8 - bits % 8) == 0;
}

bool trusted_has(const struct trusted *trusted, const struct sockaddr_storage *address)
{
  unsigned char bytes[16];
  if (!trusted->count || !bytes_of(address, bytes)) return false;
  for (size_t i = 0; i < trusted->count; i++)
    if (same_bits(trusted->of[i].address, bytes, trusted->of[i].bits)) return true;
  return false;
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

void forwarded_client(const struct forwarded *f, const struct trusted *trusted, struct sockaddr_storage *client)
{
  size_t kept = f->count < FORWARDED_MOST ? f->count : FORWARDED_MOST;
  for (size_t i = 1; i <= kept && trusted_has(trusted, client); i++) {
    const struct sockaddr_storage *before = &f->last[(f->count - i) % FORWARDED_MOST];
    if (before->ss_family == AF_UNSPEC) return;
    *client = *before;
  }
}
