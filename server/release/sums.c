#include "server/release/sums.h"

#include <sodium.h>

enum { HEX = 2 * SUM_SIZE, SEPARATOR = 2, SHOWN = 100 };

/* A path that stays in the bundle: parts between '/', none empty, '.' or '..', no characters of control. */
static bool stays_inside(const char *name, size_t length)
{
  size_t part = 0;
  for (size_t i = 0; i <= length; i++) {
    if (i < length && name[i] != '/') {
      if ((unsigned char)name[i] < ' ' || name[i] == '\\') return false;
      continue;
    }
    const size_t letters = i - part;
    if (!letters || (letters <= 2 && !memcmp(name + part, "..", letters))) return false;
    part = i + 1;
  }
  return true;
}

static bool parse_line(const char *line, size_t length, struct sum *sum)
{
  size_t bytes = 0;
  if (length <= HEX + SEPARATOR || length - HEX - SEPARATOR >= sizeof sum->name) return false;
  if (sodium_hex2bin(sum->hash, sizeof sum->hash, line, HEX, NULL, &bytes, NULL) || bytes != SUM_SIZE) return false;
  if (line[HEX] != ' ' || (line[HEX + 1] != ' ' && line[HEX + 1] != '*')) return false; /* '*': read as binary */
  const char *name = line + HEX + SEPARATOR;
  length -= HEX + SEPARATOR;
  if (!stays_inside(name, length)) return false;
  memcpy(sum->name, name, length);
  sum->name[length] = '\0';
  sum->found = false;
  return true;
}

static int by_name(const void *a, const void *b)
{
  return strcmp(((const struct sum *)a)->name, ((const struct sum *)b)->name);
}

enum armdyn_status sums_parse(const char *text, size_t length, struct sums *sums, struct armdyn_error *error)
{
  size_t lines = 0;
  for (size_t i = 0; i < length; i++) lines += text[i] == '\n';
  *sums = (struct sums){ .items = calloc(lines ? lines : 1, sizeof *sums->items) };
  if (!sums->items) return armdyn_refuse(error, ARMDYN_EMEMORY, "", "out of memory");
  const char *end = text + length;
  for (const char *line = text, *next; line < end; line = next + 1) {
    next = memchr(line, '\n', (size_t)(end - line));
    if (!next) return armdyn_refuse(error, ARMDYN_EINPUT, "", "its last line is cut off");
    const size_t letters = (size_t)(next - line);
    if (!parse_line(line, letters, &sums->items[sums->count++]))
      return armdyn_refuse(error, ARMDYN_EINPUT, "", "line %zu is no SHA-256 sum and name of a file in it: '%.*s'",
                           sums->count, letters < SHOWN ? (int)letters : SHOWN, line);
  }
  if (!sums->count) return armdyn_refuse(error, ARMDYN_EINPUT, "", "it is empty");
  qsort(sums->items, sums->count, sizeof *sums->items, by_name);
  for (size_t i = 1; i < sums->count; i++)
    if (!strcmp(sums->items[i - 1].name, sums->items[i].name))
      return armdyn_refuse(error, ARMDYN_EINPUT, "", "it names '%.128s' twice", sums->items[i].name);
  return ARMDYN_OK;
}

void sums_release(struct sums *sums)
{
  free(sums->items);
  *sums = (struct sums){ 0 };
}

struct sum *sums_find(const struct sums *sums, const char *name)
{
  struct sum wanted = { .found = false };
  if (strlen(name) >= sizeof wanted.name) return NULL;
  snprintf(wanted.name, sizeof wanted.name, "%s", name);
  return bsearch(&wanted, sums->items, sums->count, sizeof *sums->items, by_name);
}

/* SubjectPublicKeyInfo of Ed25519 (RFC 8410): always these bytes, then the key. */
static const unsigned char prefix[] = { 0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00 };
static const char begin[] = "-----BEGIN PUBLIC KEY-----", end_mark[] = "-----END PUBLIC KEY-----";

enum armdyn_status signing_key_parse(const char *text, size_t length, unsigned char key[SIGNING_KEY_SIZE],
                                     struct armdyn_error *error)
{
  unsigned char bytes[sizeof prefix + SIGNING_KEY_SIZE];
  size_t decoded = 0;
  const char *stop = NULL;
  if (memmem(text, length, "PRIVATE KEY-----", strlen("PRIVATE KEY-----")))
    return armdyn_refuse(error, ARMDYN_EINPUT, "",
                         "it is a private key, which stays with who builds; the public one of it is made by "
                         "`openssl pkey -in FILE -pubout`");
  const char *at = memmem(text, length, begin, strlen(begin));
  if (!at) return armdyn_refuse(error, ARMDYN_EINPUT, "", "it is no public key in PEM: there is no line %s", begin);
  at += strlen(begin);
  const size_t rest = (size_t)(text + length - at);
  if (sodium_base642bin(bytes, sizeof bytes, at, rest, "\r\n", &decoded, &stop, sodium_base64_VARIANT_ORIGINAL) ||
      decoded != sizeof bytes || memcmp(bytes, prefix, sizeof prefix) != 0 ||
      (size_t)(text + length - stop) < strlen(end_mark) || memcmp(stop, end_mark, strlen(end_mark)) != 0)
    return armdyn_refuse(error, ARMDYN_EINPUT, "",
                         "it is no Ed25519 key: `openssl genpkey -algorithm ed25519` makes one");
  memcpy(key, bytes + sizeof prefix, SIGNING_KEY_SIZE);
  return ARMDYN_OK;
}
