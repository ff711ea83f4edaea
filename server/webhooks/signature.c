#include "server/webhooks/signature.h"

#include <sodium.h>

enum { KEY_MOST = 64 };

bool signature_make(const char *secret, const char *id, const char *timestamp, const char *body, size_t length,
                    char signature[SIGNATURE_SIZE])
{
  static const char prefix[] = "whsec_";
  unsigned char key[KEY_MOST], mac[crypto_auth_hmacsha256_BYTES];
  size_t key_length = 0;
  if (strncmp(secret, prefix, sizeof prefix - 1) != 0) return false;
  secret += sizeof prefix - 1;
  if (sodium_base642bin(key, sizeof key, secret, strlen(secret), NULL, &key_length, NULL,
                        sodium_base64_VARIANT_ORIGINAL))
    return false;
  crypto_auth_hmacsha256_state state;
  crypto_auth_hmacsha256_init(&state, key, key_length);
  const struct {
    const char *text;
    size_t length;
  } parts[] = { { id, strlen(id) }, { ".", 1 }, { timestamp, strlen(timestamp) }, { ".", 1 }, { body, length } };
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    crypto_auth_hmacsha256_update(&state, (const unsigned char *)parts[i].text, parts[i].length);
  crypto_auth_hmacsha256_final(&state, mac);
  sodium_memzero(key, sizeof key);
  memcpy(signature, "v1,", 3);
  sodium_bin2base64(signature + 3, SIGNATURE_SIZE - 3, mac, sizeof mac, sodium_base64_VARIANT_ORIGINAL);
  return true;
}
