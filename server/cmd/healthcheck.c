/* A plain GET of /healthz over a socket, so that an image needs neither shell nor curl for its HEALTHCHECK. */
#include <netdb.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "server/cmd/command.h"
#include "server/config/options.h"
#include "server/http/address.h"

enum { PATIENCE_S = 3 };

static const char usage[] = "usage: armdyn healthcheck [--url http://HOST:PORT]\n\n"
                            "Asks /healthz of the service at URL (default: the address in ARMDYN_LISTEN, or\n"
                            "127.0.0.1:8080). Exit status 0 when it answers 200, else 1.\n";

/* A service that listens on every address is asked on loopback. */
static const char *reachable(const char *host)
{
  if (!strcmp(host, "0.0.0.0") || !*host) return "127.0.0.1";
  return strcmp(host, "::") ? host : "::1";
}

static int connect_to(const struct address *address)
{
  struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *found = NULL;
  if (getaddrinfo(reachable(address->host), address->port, &hints, &found)) return -1;
  int fd = -1;
  for (struct addrinfo *a = found; a && fd < 0; a = a->ai_next) {
    fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol);
    if (fd < 0) continue;
    const struct timeval patience = { .tv_sec = PATIENCE_S };
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (!connect(fd, a->ai_addr, a->ai_addrlen)) break;
    close(fd);
    fd = -1;
  }
  freeaddrinfo(found);
  return fd;
}

/* Does the answer begin with "HTTP/1.1 200"? */
static bool answers_200(int fd)
{
  static const char request[] = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  char answer[64] = "";
  size_t length = 0;
  if (send(fd, request, sizeof request - 1, MSG_NOSIGNAL) != (ssize_t)(sizeof request - 1)) return false;
  while (length < 12) {
    ssize_t n = recv(fd, answer + length, sizeof answer - 1 - length, 0);
    if (n <= 0) return false;
    length += (size_t)n;
  }
  return !strncmp(answer, "HTTP/1.", 7) && !strncmp(answer + 8, " 200", 4);
}

int command_healthcheck(int argc, char **argv)
{
  const char *listen = getenv("ARMDYN_LISTEN");
  char text[256];
  snprintf(text, sizeof text, "%s", listen ? listen : "127.0.0.1:8080");
  for (int i = 1; i < argc; i++) {
    bool url = !strcmp(argv[i], "--url") && i + 1 < argc && !strncmp(argv[i + 1], "http://", 7);
    if (!url) {
      bool help = !strcmp(argv[i], "--help");
      fputs(usage, help ? stdout : stderr);
      return help ? 0 : 2;
    }
    const char *authority = argv[++i] + 7;
    snprintf(text, sizeof text, "%.*s", (int)strcspn(authority, "/"), authority);
  }
  struct address address;
  if (!address_parse(text, &address)) {
    fprintf(stderr, "armdyn healthcheck: '%s' is no HOST:PORT\n", text);
    return 2;
  }
  int fd = connect_to(&address);
  bool healthy = fd >= 0 && answers_200(fd);
  if (fd >= 0) close(fd);
  if (!healthy) fprintf(stderr, "armdyn healthcheck: no answer 200 from %s\n", text);
  return healthy ? 0 : 1;
}
