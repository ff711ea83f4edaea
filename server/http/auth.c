#include "server/http/auth.h"

#include <errno.h>
#include <pthread.h>
#include <sodium.h>
#include <stdatomic.h>
#include <strings.h>
#include <sys/stat.h>

#include "api/codec/key.h"
#include "server/base/log.h"
#include "server/base/rehearsal.h"

enum { KEY_LEAST = 16, KEY_MOST = 256, HASH_SIZE = 32, SECRET_BYTES = 32 };
static const int64_t KEEP_USES_EVERY_MS = 60000, USE_EVERY_MS = 100;

/* A key of the store, in memory. */
struct entry {
  unsigned char hash[HASH_SIZE];
  struct caller caller;
  char *motion;
  int64_t expires_ms;           /* 0 = never */
  _Atomic int64_t last_used_ms; /* 0 = never */
  int64_t kept_ms;              /* of the last use that the store has */
};

struct ring {
  struct entry *entries; /* by hash */
  size_t count, room;
};

struct auth {
  char file[1024];
  struct store *store;
  pthread_mutex_t changing; /* of the store's keys, until the ring has them; taken before `lock` */
  pthread_rwlock_t lock;
  unsigned char file_hash[HASH_SIZE];
  int64_t file_changed_ns; /* the key of the file is this one since (monotonic) */
  struct ring ring;
  _Atomic bool required;       /* there is a key, or was since the start */
  _Atomic int64_t kept_ms;     /* when uses were last kept */
  _Atomic uint64_t generation; /* of the keys: what connections remember of another one is forgotten */
};

/* Keys are known by their hash. What a caller sends is hashed before it is compared, so the time of a comparison tells
 * nothing about a key that could be used to come nearer to it. */
static void hash_key(const char *key, size_t length, unsigned char hash[HASH_SIZE])
{
  crypto_generichash(hash, HASH_SIZE, (const unsigned char *)key, length, NULL, 0);
}

/* -- the key of the file -- */

static enum armdyn_status read_key(const char *file, unsigned char hash[HASH_SIZE], struct armdyn_error *error)
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

enum armdyn_status auth_reload(struct auth *auth, struct armdyn_error *error)
{
  if (!*auth->file) return ARMDYN_OK;
  unsigned char hash[HASH_SIZE];
  enum armdyn_status status = read_key(auth->file, hash, error);
  if (status) return status;
  pthread_rwlock_wrlock(&auth->lock);
  if (sodium_memcmp(auth->file_hash, hash, sizeof hash)) auth->file_changed_ns = clock_monotonic_ns();
  memcpy(auth->file_hash, hash, sizeof hash);
  atomic_fetch_add(&auth->generation, 1);
  pthread_rwlock_unlock(&auth->lock);
  return ARMDYN_OK;
}

/* -- the keys of the store -- */

static int by_hash(const void *a, const void *b)
{
  return memcmp(((const struct entry *)a)->hash, ((const struct entry *)b)->hash, HASH_SIZE);
}

static void ring_free(struct ring *ring)
{
  for (size_t i = 0; i < ring->count; i++) free(ring->entries[i].motion);
  free(ring->entries);
  *ring = (struct ring){ 0 };
}

static int64_t time_of(const char *text)
{
  int64_t ms = *text ? clock_parse(text) : 0;
  return ms < 0 ? 0 : ms;
}

struct loading {
  struct ring ring;
  enum armdyn_status status;
};

static void load(void *context, const struct store_api_key *key)
{
  struct loading *l = context;
  if (l->status) return;
  if (l->ring.count == l->ring.room) {
    size_t room = 2 * l->ring.room + 16;
    struct entry *entries = realloc(l->ring.entries, room * sizeof *entries);
    if (!entries) {
      l->status = ARMDYN_EMEMORY;
      return;
    }
    l->ring.entries = entries;
    l->ring.room = room;
  }
  struct entry *entry = &l->ring.entries[l->ring.count];
  *entry = (struct entry){ .expires_ms = time_of(key->expires_at),
                           .last_used_ms = time_of(key->last_used_at),
                           .kept_ms = time_of(key->last_used_at),
                           .caller.role = (enum role)(ROLE_VIEWER + (int)key->role) };
  memcpy(entry->caller.id, key->id, sizeof entry->caller.id);
  memcpy(entry->caller.name, key->name, sizeof entry->caller.name);
  size_t length;
  if (sodium_hex2bin(entry->hash, HASH_SIZE, key->hash, strlen(key->hash), NULL, &length, NULL) || length != HASH_SIZE)
    l->status = ARMDYN_EINTERNAL;
  else if (key->motion && !(entry->motion = strdup(key->motion)))
    l->status = ARMDYN_EMEMORY;
  else
    l->ring.count++;
}

/* The entry of this id, or NULL; under the lock. */
static struct entry *find(const struct ring *ring, const char *id)
{
  for (size_t i = 0; i < ring->count; i++)
    if (!strcmp(ring->entries[i].caller.id, id)) return &ring->entries[i];
  return NULL;
}

enum armdyn_status auth_learn(struct auth *auth, struct store *store)
{
  struct loading l = { .status = ARMDYN_OK };
  enum armdyn_status status = store_api_key_list(store, &(struct store_query){ .limit = 0 }, load, &l);
  if (!status) status = l.status;
  if (status) {
    ring_free(&l.ring);
    return status;
  }
  if (l.ring.count) qsort(l.ring.entries, l.ring.count, sizeof *l.ring.entries, by_hash);
  pthread_rwlock_wrlock(&auth->lock);
  for (size_t i = 0; i < l.ring.count; i++) {
    struct entry *old = find(&auth->ring, l.ring.entries[i].caller.id);
    if (old) atomic_store(&l.ring.entries[i].last_used_ms, atomic_load(&old->last_used_ms));
  }
  struct ring former = auth->ring;
  auth->ring = l.ring;
  if (l.ring.count > 0) auth->required = true;
  atomic_fetch_add(&auth->generation, 1);
  pthread_rwlock_unlock(&auth->lock);
  ring_free(&former);
  return ARMDYN_OK;
}

static enum armdyn_status load_keys(struct auth *auth)
{
  return auth_learn(auth, auth->store);
}

bool auth_has_keys(const struct auth *auth)
{
  return atomic_load_explicit(&auth->required, memory_order_relaxed);
}

enum armdyn_status auth_new(const char *file, struct store *store, struct auth **out, struct armdyn_error *error)
{
  struct auth *auth = calloc(1, sizeof *auth);
  if (!auth) return ARMDYN_EMEMORY;
  snprintf(auth->file, sizeof auth->file, "%s", file);
  auth->store = store;
  auth->required = *file;
  pthread_mutex_init(&auth->changing, NULL);
  pthread_rwlock_init(&auth->lock, NULL);
  enum armdyn_status status = auth_reload(auth, error);
  if (!status && store && (status = load_keys(auth)))
    armdyn_refuse(error, status, "", "the API keys cannot be read: %s", armdyn_status_text(status));
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
  auth_keep_uses(auth);
  ring_free(&auth->ring);
  pthread_rwlock_destroy(&auth->lock);
  pthread_mutex_destroy(&auth->changing);
  free(auth);
}

/* -- making and revoking: one at a time, or two last admins could revoke each other, and keys that were read before a
 * revocation come into the ring after it -- */

/* Is there an administrator beside the one with this key? */
static bool has_other_admin(struct auth *auth, const char *id)
{
  int64_t now = clock_wall_ms();
  pthread_rwlock_rdlock(&auth->lock);
  bool has = *auth->file;
  for (size_t i = 0; i < auth->ring.count && !has; i++) {
    const struct entry *entry = &auth->ring.entries[i];
    bool lives = !entry->expires_ms || now < entry->expires_ms;
    has = lives && entry->caller.role == ROLE_ADMIN && strcmp(entry->caller.id, id) != 0;
  }
  pthread_rwlock_unlock(&auth->lock);
  return has;
}

static void make_secret(struct new_key *made)
{
  unsigned char bytes[SECRET_BYTES], digest[HASH_SIZE];
  char text[sodium_base64_ENCODED_LEN(SECRET_BYTES, sodium_base64_VARIANT_URLSAFE_NO_PADDING)];
  randombytes_buf(bytes, sizeof bytes);
  sodium_bin2base64(text, sizeof text, bytes, sizeof bytes, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
  int length = snprintf(made->secret, sizeof made->secret, "armdyn_%s", text);
  hash_key(made->secret, (size_t)length, digest);
  sodium_bin2hex(made->key.hash, sizeof made->key.hash, digest, sizeof digest);
  sodium_memzero(bytes, sizeof bytes);
  sodium_memzero(text, sizeof text);
}

static bool join_names(const struct key_motion *motion, char **joined)
{
  char text[LIMIT_KEY_CONTROLLERS * ARMDYN_NAME_SIZE + 1] = "";
  size_t used = 0;
  for (size_t i = 0; i < motion->count; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i ? "," : "", motion->names[i]);
  *joined = used ? strdup(text) : NULL;
  return *joined || !used;
}

static enum armdyn_status keep_key(struct auth *auth, struct store_api_key *key, const struct store_idempotency *once,
                                   struct faults *faults)
{
  /* Whoever makes the first key closes the door: he must not be left outside. */
  if (key->role != STORE_ADMIN && !has_other_admin(auth, "")) {
    fault_add(faults, FAULT_AT_POINTER, "/role", FAULT_INCONSISTENT, "the first key must be an admin's");
    return ARMDYN_EINPUT;
  }
  enum armdyn_status status = store_api_key_create(auth->store, key, once);
  return status || rehearsing() ? status : load_keys(auth);
}

enum armdyn_status auth_make_key(struct auth *auth, const struct key_request *request,
                                 const struct store_idempotency *once, struct new_key *made, struct faults *faults)
{
  memset(made, 0, sizeof *made);
  struct store_api_key *key = &made->key;
  int64_t expires = *request->expires_at ? clock_parse(request->expires_at) : 0;
  if (*request->expires_at && expires <= clock_wall_ms()) {
    fault_add(faults, FAULT_AT_POINTER, "/expires_at", FAULT_MINIMUM, "must be in the future");
    return ARMDYN_EINPUT;
  }
  id_make(key->id);
  memcpy(key->name, request->name, sizeof key->name);
  key->role = (enum store_role)request->role;
  if (expires) clock_format(expires, key->expires_at);
  if (!join_names(&request->motion, &key->motion)) return ARMDYN_EMEMORY;
  make_secret(made);
  pthread_mutex_lock(&auth->changing);
  made->first = !auth_has_keys(auth);
  enum armdyn_status status = keep_key(auth, key, once, faults);
  pthread_mutex_unlock(&auth->changing);
  if (status) {
    store_api_key_release(key);
    sodium_memzero(made->secret, sizeof made->secret);
  }
  return status;
}

/* Of no use from now on, whether or not the store can be read again. */
static void strike(struct auth *auth, const char *id)
{
  pthread_rwlock_wrlock(&auth->lock);
  struct entry *entry = find(&auth->ring, id);
  if (entry) entry->expires_ms = 1;
  atomic_fetch_add(&auth->generation, 1);
  pthread_rwlock_unlock(&auth->lock);
}

static enum armdyn_status revoke_key(struct auth *auth, const char *id)
{
  struct store_api_key key;
  enum armdyn_status status = store_api_key_get(auth->store, id, &key);
  if (status) return status;
  bool last = key.role == STORE_ADMIN && !has_other_admin(auth, id);
  store_api_key_release(&key);
  if (last) return ARMDYN_ECONFLICT;
  status = store_api_key_delete(auth->store, id);
  if (status || rehearsing()) return status;
  strike(auth, id);
  (void)load_keys(auth); /* only forgets it */
  return ARMDYN_OK;
}

enum armdyn_status auth_revoke_key(struct auth *auth, const char *id)
{
  pthread_mutex_lock(&auth->changing);
  enum armdyn_status status = revoke_key(auth, id);
  pthread_mutex_unlock(&auth->changing);
  return status;
}

/* -- asking -- */

static enum auth_verdict recognise(const struct auth *auth, const unsigned char hash[HASH_SIZE], struct caller *caller,
                                   int64_t *lives_ms)
{
  if (*auth->file && !sodium_memcmp(hash, auth->file_hash, HASH_SIZE)) {
    *caller = (struct caller){ "admin", "admin key file", ROLE_ADMIN };
    return AUTH_GRANTED;
  }
  struct entry wanted = { 0 };
  memcpy(wanted.hash, hash, HASH_SIZE);
  const struct ring *ring = &auth->ring;
  struct entry *entry =
      ring->count ? bsearch(&wanted, ring->entries, ring->count, sizeof *ring->entries, by_hash) : NULL;
  if (!entry) return AUTH_WRONG;
  int64_t now = clock_wall_ms();
  if (entry->expires_ms && now >= entry->expires_ms) return AUTH_WRONG;
  if (now - atomic_load_explicit(&entry->last_used_ms, memory_order_relaxed) >=
      USE_EVERY_MS) /* cores share this line */
    atomic_store_explicit(&entry->last_used_ms, now, memory_order_relaxed);
  *caller = entry->caller;
  if (entry->expires_ms) *lives_ms = entry->expires_ms - now;
  return AUTH_GRANTED;
}

/* -- what a connection remembers -- */

/* In a time that does not depend on where they differ: others may speak over the same connection, behind a proxy. */
static bool same_bytes(const char *a, const char *b, size_t length)
{
  unsigned char difference = 0;
  for (size_t i = 0; i < length; i++) difference |= (unsigned char)(a[i] ^ b[i]);
  return !difference;
}

static bool remembers(struct auth *auth, const struct auth_memory *memory, const char *header)
{
  return memory->length && clock_monotonic_ns() < memory->until_ns &&
         memory->generation == atomic_load(&auth->generation) && strlen(header) == memory->length &&
         same_bytes(memory->header, header, memory->length);
}

/* No longer than its use need not be noted again, or the key lives. */
static void remember(struct auth_memory *memory, uint64_t generation, const char *header, int64_t lives_ms,
                     const struct caller *caller)
{
  size_t length = strlen(header);
  memory->length = 0;
  if (length > sizeof memory->header) return;
  memcpy(memory->header, header, length);
  memory->length = length;
  memory->caller = *caller;
  memory->generation = generation;
  memory->until_ns = clock_monotonic_ns() + (lives_ms < USE_EVERY_MS ? lives_ms : USE_EVERY_MS) * 1000000;
}

static enum auth_verdict look_up(struct auth *auth, const char *header, struct auth_memory *memory,
                                 struct caller *caller)
{
  if (!header) return AUTH_MISSING;
  if (strncasecmp(header, "Bearer ", 7)) return AUTH_WRONG;
  unsigned char hash[HASH_SIZE];
  const char *key = header + 7 + strspn(header + 7, " ");
  int64_t lives_ms = USE_EVERY_MS;
  hash_key(key, strlen(key), hash);
  enum auth_verdict verdict = recognise(auth, hash, caller, &lives_ms);
  if (verdict == AUTH_GRANTED) remember(memory, atomic_load(&auth->generation), header, lives_ms, caller);
  return verdict;
}

enum auth_verdict auth_check(struct auth *auth, const char *header, enum role role, struct auth_memory *memory,
                             struct caller *caller)
{
  *caller = (struct caller){ "anonymous", "", ROLE_ADMIN };
  if (role == ROLE_ANYONE) return AUTH_GRANTED;
  enum auth_verdict verdict = AUTH_GRANTED;
  if (header && remembers(auth, memory, header)) {
    *caller = memory->caller;
  } else {
    pthread_rwlock_rdlock(&auth->lock); /* under which the generation stays */
    if (auth->required) verdict = look_up(auth, header, memory, caller);
    pthread_rwlock_unlock(&auth->lock);
  }
  return verdict == AUTH_GRANTED && caller->role < role ? AUTH_FORBIDDEN : verdict;
}

static bool names(const char *list, const char *name)
{
  size_t length = strlen(name);
  for (const char *p = list; *p; p += strspn(p, ",")) {
    size_t word = strcspn(p, ",");
    if ((word == length && !memcmp(p, name, length)) || (word == 1 && *p == '*')) return true;
    p += word;
  }
  return false;
}

bool auth_may_move(struct auth *auth, const struct caller *caller, const char *controller)
{
  bool of_store = id_valid(caller->id); /* without keys, and with that of the file, everything may be moved */
  if (!of_store) return true;
  pthread_rwlock_rdlock(&auth->lock);
  const struct entry *entry = find(&auth->ring, caller->id);
  bool may = entry && entry->motion && names(entry->motion, controller);
  pthread_rwlock_unlock(&auth->lock);
  return may;
}

uint64_t auth_generation(const struct auth *auth)
{
  return atomic_load_explicit(&auth->generation, memory_order_relaxed);
}

bool auth_still_good(struct auth *auth, const struct caller *caller, int64_t since_ns)
{
  bool good = true;
  pthread_rwlock_rdlock(&auth->lock);
  if (id_valid(caller->id)) {
    const struct entry *entry = find(&auth->ring, caller->id);
    good = entry && (!entry->expires_ms || clock_wall_ms() < entry->expires_ms);
  } else if (!strcmp(caller->id, "admin")) {
    good = since_ns >= auth->file_changed_ns;
  } else if (!strcmp(caller->id, "anonymous")) {
    good = !auth->required;
  }
  pthread_rwlock_unlock(&auth->lock);
  return good;
}

/* -- last uses -- */

void auth_last_used(struct auth *auth, const char *id, char time[TIME_SIZE])
{
  pthread_rwlock_rdlock(&auth->lock);
  const struct entry *entry = find(&auth->ring, id);
  int64_t ms = entry ? atomic_load(&entry->last_used_ms) : 0;
  pthread_rwlock_unlock(&auth->lock);
  *time = '\0';
  if (ms) clock_format(ms, time);
}

bool auth_uses_due(struct auth *auth)
{
  return clock_wall_ms() - atomic_load(&auth->kept_ms) >= KEEP_USES_EVERY_MS;
}

/* The next use that the store lacks. */
static bool next_use(struct auth *auth, struct store_api_key_use *use)
{
  bool found = false;
  pthread_rwlock_wrlock(&auth->lock);
  for (size_t i = 0; i < auth->ring.count && !found; i++) {
    struct entry *entry = &auth->ring.entries[i];
    int64_t ms = atomic_load(&entry->last_used_ms);
    if (ms == entry->kept_ms) continue;
    entry->kept_ms = ms;
    memcpy(use->id, entry->caller.id, sizeof use->id);
    clock_format(ms, use->last_used_at);
    found = true;
  }
  pthread_rwlock_unlock(&auth->lock);
  return found;
}

void auth_keep_uses(struct auth *auth)
{
  struct store_api_key_use use;
  if (!auth->store) return;
  atomic_store(&auth->kept_ms, clock_wall_ms());
  while (next_use(auth, &use))
    if (store_api_key_used(auth->store, &use)) return; /* told by the store; the next use is kept again */
}
