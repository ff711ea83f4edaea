#include "server/http/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 4096 };

bool address_parse(const char *text, struct address *address)
{
  address->v6 = text[0] == '[';
  const char *host = address->v6 ? text + 1 : text;
  size_t length = strcspn(host, address->v6 ? "]" : ":");
  const char *colon = host + length + (address->v6 && host[length] == ']');
  const char *port = colon + 1;
  if (*colon != ':' || length >= sizeof address->host) return false;
  size_t digits = strspn(port, "0123456789");
  if (!digits || digits > 5 || port[digits] || strtol(port, NULL, 10) > 65535) return false;
  snprintf(address->host, sizeof address->host, "%.*s", (int)length, host);
  snprintf(address->port, sizeof address->port, "%s", port);
  return true;
}

static bool is_loopback(const struct sockaddr *a)
{
  if (a->sa_family == AF_INET) {
    struct sockaddr_in v4;
    memcpy(&v4, a, sizeof v4);
    return ntohl(v4.sin_addr.s_addr) >> 24 == 127;
  }
  struct sockaddr_in6 v6;
  memcpy(&v6, a, sizeof v6);
  return IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr) ||
         (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr) && v6.sin6_addr.s6_addr[12] == 127);
}

/* -1 with errno after a failure. */
static int open_socket(const struct addrinfo *a)
{
  int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on); /* what is accepted inherits it */
  if (!bind(fd, a->ai_addr, a->ai_addrlen) && !listen(fd, BACKLOG)) return fd;
  int why = errno;
  close(fd);
  errno = why;
  return -1;
}

static void name_socket(int fd, const struct address *address, const char *scheme, char name[192])
{
  struct sockaddr_in6 bound = { 0 }; /* large enough for both families; the port stands at the same place */
  socklen_t size = sizeof bound;
  unsigned port = 0;
  if (!getsockname(fd, (struct sockaddr *)&bound, &size)) port = ntohs(bound.sin6_port);
  snprintf(name, 192, address->v6 ? "%s://[%s]:%u" : "%s://%s:%u", scheme, *address->host ? address->host : "0.0.0.0",
           port);
}

void address_text(const struct sockaddr_storage *address, char text[ADDRESS_TEXT_SIZE])
{
  snprintf(text, ADDRESS_TEXT_SIZE, address->ss_family == AF_UNIX ? "local" : "unknown");
  if (address->ss_family == AF_INET)
    inet_ntop(AF_INET, &((const struct sockaddr_in *)address)->sin_addr, text, ADDRESS_TEXT_SIZE);
  if (address->ss_family == AF_INET6)
    inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)address)->sin6_addr, text, ADDRESS_TEXT_SIZE);
}

bool address_is_own(const struct sockaddr_storage *address)
{
  return (address->ss_family == AF_INET || address->ss_family == AF_INET6) &&
         is_loopback((const struct sockaddr *)address);
}

bool address_is_loopback(int fd)
{
  struct sockaddr_storage bound = { 0 };
  socklen_t size = sizeof bound;
  return !getsockname(fd, (struct sockaddr *)&bound, &size) && is_loopback((const struct sockaddr *)&bound);
}

enum armdyn_status address_listen(const char *text, const char *scheme, int *fd, char name[192],
                                  struct armdyn_error *error)
{
  struct address address;
  if (!address_parse(text, &address))
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "--listen: '%s' is no HOST:PORT", text);
  struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE }, *found = NULL;
  hints.ai_family = *address.host ? AF_UNSPEC : AF_INET;
  int trouble = getaddrinfo(*address.host ? address.host : NULL, address.port, &hints, &found);
  if (trouble) return armdyn_refuse(error, ARMDYN_EINPUT, "", "--listen: '%s': %s", text, gai_strerror(trouble));

  enum armdyn_status status = ARMDYN_OK;
  *fd = open_socket(found);
  if (*fd < 0) {
    status = armdyn_refuse(error, ARMDYN_EIO, "", "--listen: cannot listen on '%s': %s", text, strerror(errno));
  } else {
    name_socket(*fd, &address, scheme, name);
  }
  freeaddrinfo(found);
  return status;
}

/* A path of a UNIX socket has room for 107 characters; the way through an open directory is always short. */
int address_local(const char *dir, char path[ADDRESS_LOCAL_SIZE])
{
  int directory = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
  snprintf(path, ADDRESS_LOCAL_SIZE, "/proc/self/fd/%d/control.sock", directory);
  return directory;
}

/* -1 with errno after a failure. */
static int open_local(const char *path)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  /* nobody else can connect before it listens */
  if (!bind(fd, (const struct sockaddr *)&address, sizeof address) && !chmod(path, 0600) && !listen(fd, BACKLOG))
    return fd;
  int why = errno;
  close(fd);
  errno = why;
  return -1;
}

enum armdyn_status address_listen_local(const char *dir, int *fd, struct armdyn_error *error)
{
  char path[ADDRESS_LOCAL_SIZE];
  int directory = address_local(dir, path);
  *fd = directory < 0 || (unlink(path) && errno != ENOENT) ? -1 : open_local(path);
  int why = errno;
  if (directory >= 0) close(directory);
  if (*fd >= 0) return ARMDYN_OK;
  return armdyn_refuse(error, ARMDYN_EIO, "", "cannot listen on '%s/control.sock': %s", dir, strerror(why));
}

void address_key(const struct sockaddr *address, unsigned char key[ADDRESS_KEY_SIZE])
{
  const struct in6_addr *six = &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
  memset(key, 0, ADDRESS_KEY_SIZE);
  key[ADDRESS_KEY_SIZE - 1] = 4;
  if (address->sa_family == AF_INET) {
    memcpy(key, &((const struct sockaddr_in *)(const void *)address)->sin_addr, 4);
  } else if (address->sa_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(six)) {
    memcpy(key, six->s6_addr + 12, 4);
  } else if (address->sa_family == AF_INET6) {
    memcpy(key, six, 8);
    key[ADDRESS_KEY_SIZE - 1] = 6;
  }
}
