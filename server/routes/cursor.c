#include "server/routes/cursor.h"

#include <sodium.h>

#include "api/json/fields.h"

void cursor_digest(const struct exchange *x, char digest[CURSOR_DIGEST_SIZE])
{
  unsigned char hash[crypto_generichash_BYTES_MIN];
  crypto_generichash_state state;
  const char *name, *value, *path = exchange_path(x);
  crypto_generichash_init(&state, NULL, 0, sizeof hash);
  crypto_generichash_update(&state, (const unsigned char *)path, strlen(path) + 1);
  for (size_t i = 0; exchange_query_item(x, i, &name, &value); i++) {
    if (!strcmp(name, "limit") || !strcmp(name, "cursor") || !strcmp(name, "fields")) continue;
    crypto_generichash_update(&state, (const unsigned char *)name, strlen(name) + 1);
    crypto_generichash_update(&state, (const unsigned char *)value, strlen(value) + 1);
  }
  crypto_generichash_final(&state, hash, sizeof hash);
  sodium_bin2hex(digest, CURSOR_DIGEST_SIZE, hash, (CURSOR_DIGEST_SIZE - 1) / 2);
}

/* The value as bytes in hexadecimal: exact, and no sign that a URL minds; nor has an id, name or number any. */
const char *cursor_write(const struct store_key *key, const char *digest, char cursor[CURSOR_SIZE])
{
  static const char letters[] = { [STORE_KEY_NULL] = 'z', [STORE_KEY_NUMBER] = 'n', [STORE_KEY_TEXT] = 't' };
  const bool text = key->type == STORE_KEY_TEXT, number = key->type == STORE_KEY_NUMBER;
  const void *bytes = text ? (const void *)key->text : (const void *)&key->number;
  size_t size = text ? strlen(key->text) : number ? sizeof key->number : 0;
  int length = snprintf(cursor, CURSOR_SIZE, "%s.%s.%c", digest, key->id, letters[key->type]);
  sodium_bin2hex(cursor + length, CURSOR_SIZE - (size_t)length, bytes, size);
  return cursor;
}

/* Ids, names and numbers of revisions consist of these. */
static bool read_id(const char *text, size_t length, struct store_key *key)
{
  static const char taken[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  if (!length || length >= sizeof key->id || strspn(text, taken) < length) return false;
  memcpy(key->id, text, length);
  return true;
}

bool cursor_read(const char *cursor, const char *digest, struct store_key *key)
{
  size_t length = strlen(digest), size = 0;
  *key = (struct store_key){ 0 };
  if (strncmp(cursor, digest, length) != 0 || cursor[length] != '.') return false;
  const char *id = cursor + length + 1, *end = strrchr(id, '.'); /* names have dots, too */
  if (!end || !end[1] || !read_id(id, (size_t)(end - id), key)) return false;
  const char type = end[1], *hex = end + 2;
  key->type = type == 'z' ? STORE_KEY_NULL : type == 'n' ? STORE_KEY_NUMBER : STORE_KEY_TEXT;
  if (type == 'z') return !*hex;
  bool number = type == 'n';
  void *to = number ? (void *)&key->number : (void *)key->text;
  size_t room = number ? sizeof key->number : sizeof key->text - 1;
  if ((!number && type != 't') || sodium_hex2bin(to, room, hex, strlen(hex), NULL, &size, NULL)) return false;
  return !number || (size == sizeof key->number && isfinite(key->number));
}
