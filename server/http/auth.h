/* Who may call, by the key that a request carries: one of the store's, or the administrator's from a file. As long as
 * there is no key at all, everything is allowed (and only loopback is served). */
#ifndef SERVER_HTTP_AUTH_H
#define SERVER_HTTP_AUTH_H

#include "server/http/route.h"
#include "server/store/store.h"

struct auth;
struct key_request; /* api/codec/key.h */

/* file "": no key from a file; store NULL: none of a store yet. EINPUT when the file cannot be read or its key is shorter
 * than 16 characters. */
enum armdyn_status auth_new(const char *file, struct store *store, struct auth **auth, struct armdyn_error *error);
/* Its keys are those of this store from now on. When it cannot be read, they stay. */
enum armdyn_status auth_learn(struct auth *auth, struct store *store);
/* Keeps what keys were last used. */
void auth_free(struct auth *auth);
/* Read the file again; after a refusal the key stays as it was. */
enum armdyn_status auth_reload(struct auth *auth, struct armdyn_error *error);
/* Is there any key? Once there was one, callers must have one until the service ends, even if the last one is revoked. */
bool auth_has_keys(const struct auth *auth);

/* Make a key: 256 random bits, of which only a hash is stored. It works at once.
 *   once  in   for the store; NULL = none
 *   made  out  release made->key with store_api_key_release, and wipe the secret
 * OK; EINPUT with faults (it would have expired; the first key is no admin's); ELIMIT; what the store says. */
struct new_key {
  struct store_api_key key;
  bool first; /* until now none was needed */
  char secret[64];
};
enum armdyn_status auth_make_key(struct auth *auth, const struct key_request *request,
                                 const struct store_idempotency *once, struct new_key *made, struct faults *faults);
/* It ends to work at once. ENOTFOUND; ECONFLICT: the last key of an admin. */
enum armdyn_status auth_revoke_key(struct auth *auth, const char *id);

/* Who calls. */
struct caller {
  char id[ID_SIZE];            /* of the key; "admin": of the file; "anonymous": without keys */
  char name[ARMDYN_NAME_SIZE]; /* of the key, for people */
  enum role role;
};

/* What a connection remembers of the last key that came over it: the same header again needs a comparison, no lock and no
 * hash. Not for longer than a moment, and not across any change of keys. All zero: nothing. */
enum { AUTH_HEADER_MOST = 120 };
struct auth_memory {
  uint64_t generation;
  int64_t until_ns; /* monotonic */
  size_t length;
  char header[AUTH_HEADER_MOST];
  struct caller caller;
};

enum auth_verdict { AUTH_GRANTED, AUTH_MISSING, AUTH_WRONG, AUTH_FORBIDDEN };
/* The caller is filled in when a key was recognised, though it may be forbidden.
 *   header  in      the value of Authorization, or NULL
 *   memory  in out  of its connection, on whose thread this is called */
enum auth_verdict auth_check(struct auth *auth, const char *header, enum role role, struct auth_memory *memory,
                             struct caller *caller);
/* May this caller set the arm of this controller in motion? That is a right of its own, beside the role. */
bool auth_may_move(struct auth *auth, const struct caller *caller, const char *controller);
/* Another number after every change of the keys. */
uint64_t auth_generation(const struct auth *auth);
/* Would this caller be recognised still? Its request began at since_ns (monotonic). */
bool auth_still_good(struct auth *auth, const struct caller *caller, int64_t since_ns);
/* When the key was last used, "" = never: fresher than the store. */
void auth_last_used(struct auth *auth, const char *id, char time[TIME_SIZE]);
/* Keep in the store when keys were last used, if that is due; touches the disk. */
void auth_keep_uses(struct auth *auth);
bool auth_uses_due(struct auth *auth);

#endif
