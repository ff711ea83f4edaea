#include "server/http/auth.h"

#include <errno.h>
#include <pthread.h>
#include <sodium.h>
#include <strings.h>
#include <sys/stat.h>

#include "server/base/log.h"

enum { KEY_LEAST = 16, KEY_MOST = 256 };

struct auth {
  char file[1024];
  pthread_rwlock_t lock;
  unsigned char hash[crypto_generichash_BYTES];
};

/* Keys are compared as hashes, in constant time: neither length nor content of the key can be measured. */
static void hash_key(const char *key, size_t length, unsigned char hash[crypto_generichash_BYTES])
{
  crypto_generichash(hash, crypto_generichash_BYTES, (const unsigned char *)key, length, NULL, 0);
}

static enum armdyn_status read_key(const char *file, unsigned char hash[crypto_generichash_BYTES],
                                   struct armdyn_error *error)
{
  char line[KEY_MOST + 3] = "";
  struct stat about;
  FILE *f = fopen(file, "re");
  if (!f)
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "--admin-key-file: cannot read '%s': %s", file, strerror(errno));
  bool open_to_others = !fstat(fileno(f), &about) && (about.st_mode & S_IROTH);
  size_t length = fread(line, 1, sizeof line - 1, f);
  fclose(f);

  size_t key = strcspn(line, "\r\n");
  bool one_line = key + strspn(line + key, "\r\n") == length;
  enum armdyn_status status = ARMDYN_OK;
  if (key < KEY_LEAST || key > KEY_MOST || !one_line)
    status = armdyn_refuse(error, ARMDYN_EINPUT, "", "--admin-key-file: '%s' must hold one line of %d to %d characters",
                           file, KEY_LEAST, KEY_MOST);
  else
    hash_key(line, key, hash);
  sodium_memzero(line, sizeof line);
  if (!status && open_to_others)
    log_event(LOG_WARNING, "the admin key file can be read by everybody on this machine", "file", file, NULL);
  return status;
}

enum armdyn_status auth_new(const char *file, struct auth **out, struct armdyn_error *error)
{
  if (sodium_init() < 0) return armdyn_refuse(error, ARMDYN_EINTERNAL, "", "libsodium cannot start");
  struct auth *auth = calloc(1, sizeof *auth);
  if (!auth) return ARMDYN_EMEMORY;
  snprintf(auth->file, sizeof auth->file, "%s", file);
  pthread_rwlock_init(&auth->lock, NULL);
  enum armdyn_status status = auth_reload(auth, error);
  if (status) {
    auth_free(auth);
    return status;
  }
  *out = auth;
  return ARMDYN_OK;
}

void auth_free(struct auth *auth)
{
  if (!auth) return;
  pthread_rwlock_destroy(&auth->lock);
  free(auth);
}

enum armdyn_status auth_reload(struct auth *auth, struct armdyn_error *error)
{
  if (!*auth->file) return ARMDYN_OK;
  unsigned char hash[crypto_generichash_BYTES];
  enum armdyn_status status = read_key(auth->file, hash, error);
  if (status) return status;
  pthread_rwlock_wrlock(&auth->lock);
  memcpy(auth->hash, hash, sizeof hash);
  pthread_rwlock_unlock(&auth->lock);
  return ARMDYN_OK;
}

enum auth_verdict auth_check(struct auth *auth, const char *header, enum role role, const char **key_id)
{
  *key_id = "anonymous";
  if (!*auth->file || role == ROLE_ANYONE) return AUTH_GRANTED;
  if (!header) return AUTH_MISSING;
  if (strncasecmp(header, "Bearer ", 7)) return AUTH_WRONG;
  const char *key = header + 7 + strspn(header + 7, " ");
  unsigned char hash[crypto_generichash_BYTES];
  hash_key(key, strlen(key), hash);
  pthread_rwlock_rdlock(&auth->lock);
  bool same = !sodium_memcmp(hash, auth->hash, sizeof hash);
  pthread_rwlock_unlock(&auth->lock);
  if (!same) return AUTH_WRONG;
  *key_id = "admin";
  return AUTH_GRANTED;
}
