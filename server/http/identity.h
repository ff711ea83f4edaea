/* Who this service is to its TLS clients: a certificate with its chain, and its key. Counted, because connections keep the
 * one that they began with when another is read. */
#ifndef SERVER_HTTP_IDENTITY_H
#define SERVER_HTTP_IDENTITY_H

#include <gnutls/gnutls.h>
#include <stdint.h>

#include "armdyn/status.h"

struct identity;

/* Both files are PEM; the certificate's file goes on with those that signed it. EINPUT: the message names the option, the
 * file and what is wrong with it. */
enum armdyn_status identity_read(const char *certificate, const char *key, struct identity **identity,
                                 struct armdyn_error *error);
struct identity *identity_hold(struct identity *identity);
void identity_release(struct identity *identity); /* NULL is fine */

/* One connection's, of a server that does not block: TLS 1.2 or 1.3 with forward secrecy, HTTP/1.1. It must end before the
 * identity is released. NULL: no memory. */
gnutls_session_t identity_session(struct identity *identity);
/* Unix time from which no client takes the certificate any more. */
int64_t identity_expires(const struct identity *identity);

#endif
