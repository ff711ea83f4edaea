/* ETags and what requests demand of them (RFC 9110, section 13). Tags are strong: a version number in quotes. */
#ifndef SERVER_HTTP_PRECONDITIONS_H
#define SERVER_HTTP_PRECONDITIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "server/http/exchange.h"

/* The version of what nobody counts the versions of: 56 bits of a hash of its bytes. */
int64_t version_of_content(const char *bytes, size_t length);

/* Put `ETag: "<version>"` on the answer. */
void answer_etag(struct exchange *x, int64_t version);

/* For GET, when the resource's version is known: true if If-None-Match names it; 304 has been answered then. */
bool answered_not_modified(struct exchange *x, int64_t version);

/* 200 with a JSON document and the ETag of its bytes, or 304. Takes the body. */
void answer_document(struct exchange *x, struct buffer *body);

/* What a PUT or DELETE demands. */
enum precondition {
  EXPECT_VERSION, /* If-Match: *version is what it must be */
  EXPECT_ANY,     /* If-Match: *: it must exist */
  EXPECT_NONE,    /* If-None-Match: *: it must not exist */
  EXPECT_REFUSED  /* 428 (neither header) or 412 (a tag that no version has) or 400 has been answered */
};
/* *version: in, the present one, which a list of tags may name; out, the one that is demanded. */
enum precondition exchange_precondition(struct exchange *x, bool may_create, int64_t *version);

#endif
