/* The signature of a message (Standard Webhooks, symmetric): "v1,<base64 of HMAC-SHA256(secret, id.timestamp.body)>". */
#ifndef SERVER_WEBHOOKS_SIGNATURE_H
#define SERVER_WEBHOOKS_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>

enum { SIGNATURE_SIZE = 64 };

/* secret: "whsec_<base64>". false: it is none. */
bool signature_make(const char *secret, const char *id, const char *timestamp, const char *body, size_t length,
                    char signature[SIGNATURE_SIZE]);

#endif
