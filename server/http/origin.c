#include "server/http/origin.h"

#include <ctype.h>
#include <stdio.h>
#include <strings.h>

/* -- "name", "name:port", "1.2.3.4:port", "[::1]:port" -- */

struct authority {
  const char *name, *port;
  size_t name_length, port_length; /* without a port: 0 */
};

static bool take_apart(const char *text, size_t length, struct authority *out)
{
  const char *end = text + length, *name_end;
  if (length && *text == '[') {
    const char *bracket = memchr(text, ']', length);
    if (!bracket) return false;
    name_end = bracket + 1;
  } else {
    const char *colon = memchr(text, ':', length);
    name_end = colon ? colon : end;
  }
  *out = (struct authority){ .name = text, .name_length = (size_t)(name_end - text) };
  if (name_end < end) {
    if (*name_end != ':') return false;
    out->port = name_end + 1;
    out->port_length = (size_t)(end - out->port);
  }
  for (size_t i = 0; i < out->port_length; i++)
    if (!isdigit((unsigned char)out->port[i])) return false;
  return out->name_length > 0;
}

static bool same(const char *a, size_t a_length, const char *b, size_t b_length)
{
  return a_length == b_length && (!a_length || !strncasecmp(a, b, a_length));
}

static bool same_authority(const struct authority *a, const struct authority *b)
{
  return same(a->name, a->name_length, b->name, b->name_length) &&
         same(a->port, a->port_length, b->port, b->port_length);
}

/* -- the names of the option -- */

static bool is_name(const char *text, size_t length)
{
  struct authority a;
  if (!length || length >= HOST_NAME_SIZE || !take_apart(text, length, &a) || a.port_length > 5) return false;
  const bool v6 = *a.name == '[';
  for (size_t i = v6; i + v6 < a.name_length; i++) {
    const unsigned char c = (unsigned char)a.name[i];
    if (v6 ? !isxdigit(c) && c != ':' && c != '.' : !isalnum(c) && c != '-' && c != '.' && c != '_') return false;
  }
  return true;
}

enum armdyn_status host_names_parse(const char *option, const char *text, struct host_names *names,
                                    struct armdyn_error *error)
{
  static const char between[] = ", ";
  names->count = 0;
  for (const char *p = text + strspn(text, between); *p; p += strspn(p, between)) {
    size_t length = strcspn(p, between);
    if (names->count == HOST_NAMES_MOST)
      return armdyn_refuse(error, ARMDYN_EINPUT, "", "%s: more than %d", option, HOST_NAMES_MOST);
    if (!is_name(p, length))
      return armdyn_refuse(error, ARMDYN_EINPUT, "",
                           "%s: '%.*s' is no name of a host such as robots.example or "
                           "robots.example:8443",
                           option, (int)(length < 64 ? length : 64), p);
    snprintf(names->names[names->count++], HOST_NAME_SIZE, "%.*s", (int)length, p);
    p += length;
  }
  return ARMDYN_OK;
}

/* -- Host -- */

bool host_is_known(const struct host_names *names, const char *host)
{
  const char *const always[] = { "localhost", "127.0.0.1", "[::1]", names->listened };
  struct authority asked, known;
  if (!take_apart(host, strlen(host), &asked)) return false;
  for (size_t i = 0; i < sizeof always / sizeof *always; i++)
    if (same(asked.name, asked.name_length, always[i], strlen(always[i]))) return true;
  for (size_t i = 0; i < names->count; i++)
    if (take_apart(names->names[i], strlen(names->names[i]), &known) &&
        same(asked.name, asked.name_length, known.name, known.name_length))
      return true;
  return false;
}

/* -- Origin -- */

/* "https://robots.example:8443"; a port that goes without saying is left out. "null" is none. */
static bool read_origin(const char *origin, struct authority *out, const char **usual_port)
{
  static const struct {
    const char *scheme, *port;
  } schemes[] = { { "http://", "80" }, { "https://", "443" } };
  for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
    size_t length = strlen(schemes[i].scheme);
    if (strncasecmp(origin, schemes[i].scheme, length)) continue;
    *usual_port = schemes[i].port;
    return take_apart(origin + length, strlen(origin + length), out);
  }
  return false;
}

static void forget_usual(struct authority *a, const char *usual_port)
{
  if (same(a->port, a->port_length, usual_port, strlen(usual_port))) a->port_length = 0;
}

static bool is_origin_of(const char *text, struct authority *origin, const char *usual_port)
{
  struct authority own;
  if (!text || !take_apart(text, strlen(text), &own)) return false;
  forget_usual(&own, usual_port);
  forget_usual(origin, usual_port);
  return same_authority(origin, &own);
}

static bool origin_is_own(const struct host_names *names, const struct page_origin *page)
{
  struct authority origin;
  const char *usual_port;
  if (!read_origin(page->origin, &origin, &usual_port)) return false;
  if (is_origin_of(page->host, &origin, usual_port) || is_origin_of(page->proxied_host, &origin, usual_port))
    return true;
  for (size_t i = 0; i < names->count; i++)
    if (is_origin_of(names->names[i], &origin, usual_port)) return true;
  return false;
}

/* Browsers say same-origin only where nobody can have led a name elsewhere (over HTTPS, or to loopback by its own name), and
 * know it better than we do where a proxy has changed Host. */
bool page_is_own(const struct host_names *names, const struct page_origin *page)
{
  if (page->site && !strcasecmp(page->site, "same-origin")) return true;
  if (page->site && strcasecmp(page->site, "none") != 0) return false;
  return !page->origin || origin_is_own(names, page);
}
