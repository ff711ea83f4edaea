#include <pthread.h>

#include "api/codec/key.h"
#include "server/http/auth.h"
#include "store_fixture.h"

static struct auth *keys;

static void start(void)
{
  setup();
  OK(auth_new("", store, &keys, &(struct armdyn_error){ "", "" }));
}

static void end(void)
{
  auth_free(keys);
  teardown();
}

TestSuite(auth, .init = start, .fini = end);

static void make_admin(const char *name, char id[ID_SIZE])
{
  struct key_request request = { .role = KEY_ADMIN };
  struct new_key made;
  snprintf(request.name, sizeof request.name, "%s", name);
  OK(auth_make_key(keys, &request, NULL, &made, NULL));
  memcpy(id, made.key.id, ID_SIZE);
  store_api_key_release(&made.key);
}

struct revocation {
  char id[ID_SIZE];
  pthread_barrier_t *both;
  enum armdyn_status status;
};

static void *revoke_at_once(void *context)
{
  struct revocation *r = context;
  pthread_barrier_wait(r->both);
  r->status = auth_revoke_key(keys, r->id);
  return NULL;
}

/* Each finds the other one there when it asks whether another admin is left. */
Test(auth, two_admins_who_are_revoked_at_once_leave_one)
{
  enum { ROUNDS = 10 };
  pthread_barrier_t both;
  pthread_barrier_init(&both, NULL, 2);
  struct revocation r[2] = { { .both = &both }, { .both = &both } };
  make_admin("admin", r[0].id);
  for (int round = 0; round < ROUNDS; round++) {
    pthread_t threads[2];
    make_admin("another", r[1].id);
    for (int i = 0; i < 2; i++) cr_assert_eq(pthread_create(&threads[i], NULL, revoke_at_once, &r[i]), 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    const int left = r[0].status != ARMDYN_ECONFLICT;
    IS(r[left].status, ECONFLICT);
    OK(r[!left].status);
    struct store_api_key key;
    OK(store_api_key_get(store, r[left].id, &key));
    store_api_key_release(&key);
    memcpy(r[0].id, r[left].id, sizeof r[0].id);
  }
  pthread_barrier_destroy(&both);
}
