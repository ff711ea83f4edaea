/* Whether a request was made by a web page of somebody else.
 *
 * A page in an operator's browser can send requests to whatever that browser reaches: to another name that it lets lead
 * here (DNS rebinding: Host tells), or straight here, without reading the answer (Origin and Sec-Fetch-Site tell, Fetch
 * Metadata and RFC 6454). Programs that are no browsers send neither, and are not meant. */
#ifndef SERVER_HTTP_ORIGIN_H
#define SERVER_HTTP_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>

#include "armdyn/status.h"

enum { HOST_NAMES_MOST = 32, HOST_NAME_SIZE = 256 };

/* The names by which people call this service, beside localhost, 127.0.0.1 and [::1]. */
struct host_names {
  size_t count;
  char names[HOST_NAMES_MOST][HOST_NAME_SIZE]; /* "robots.example", "robots.example:8443"; IPv6 in brackets */
  char listened[HOST_NAME_SIZE];               /* the address that is listened to, "" = any: a Host, but no Origin */
};

/* text: names with commas. EINPUT names the one that is no name of a host. */
enum armdyn_status host_names_parse(const char *option, const char *text, struct host_names *names,
                                    struct armdyn_error *error);

/* The value of Host: is it localhost, 127.0.0.1, [::1], what is listened to or one of the names, with whatever port? */
bool host_is_known(const struct host_names *names, const char *host);

/* What a request says of the page that made it; NULL = says nothing. */
struct page_origin {
  const char *origin, *site; /* Origin, Sec-Fetch-Site */
  const char *host;          /* as the client wrote it: Host */
  const char *proxied_host;  /* the same before a trusted proxy */
};
/* Is it a page of this service, or none? */
bool page_is_own(const struct host_names *names, const struct page_origin *page);

#endif
