/* Who may call. One admin key so far, from a file; without it everything is allowed (and only loopback is served). */
#ifndef SERVER_HTTP_AUTH_H
#define SERVER_HTTP_AUTH_H

#include "server/routes/route.h"

struct auth;

/* file "": no keys. EINPUT when the file cannot be read or its key is shorter than 16 characters. */
enum armdyn_status auth_new(const char *file, struct auth **auth, struct armdyn_error *error);
void auth_free(struct auth *auth);
/* Read the file again; after a refusal the key stays as it was. */
enum armdyn_status auth_reload(struct auth *auth, struct armdyn_error *error);

enum auth_verdict { AUTH_GRANTED, AUTH_MISSING, AUTH_WRONG, AUTH_FORBIDDEN };
/* header: the value of Authorization, or NULL. key_id: out, whose key it is. */
enum auth_verdict auth_check(struct auth *auth, const char *header, enum role role, const char **key_id);

#endif
