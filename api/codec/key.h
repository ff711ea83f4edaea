/* API keys in JSON. */
#ifndef API_CODEC_KEY_H
#define API_CODEC_KEY_H

#include "api/json/fields.h"
#include "api/wire/faults.h"
#include "armdyn/robot.h"

enum key_role { KEY_VIEWER, KEY_OPERATOR, KEY_ENGINEER, KEY_ADMIN };

/* Names of controllers, or "*" for all. */
struct key_motion {
  size_t count;
  char names[LIMIT_KEY_CONTROLLERS][ARMDYN_NAME_SIZE];
};

struct key_request {
  char name[ARMDYN_NAME_SIZE];
  enum key_role role;
  struct key_motion motion;
  char expires_at[40]; /* RFC 3339; "" = never */
};
/* OK, ESYNTAX, EINPUT, EMEMORY. */
enum armdyn_status key_request_decode(const char *text, size_t length, struct key_request *request,
                                      struct faults *faults);

/* What GET answers. Times "" = null. */
struct key_resource {
  const char *id, *name, *role;
  const char *motion; /* separated by commas; NULL: none */
  const char *created_at, *expires_at, *last_used_at;
  const char *secret; /* NULL: left out; only who makes a key sees it, once */
  bool first;         /* of the key just made: tell that from now on every call needs one */
};
void key_resource_encode(const struct key_resource *key, struct json_writer *w);

#endif
