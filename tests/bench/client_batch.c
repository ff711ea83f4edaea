/* A client of bench_http that costs little: one request over a raw socket, REPEAT times, the best time in seconds.
 *
 *   client_batch HOST PORT PATH CONTENT-TYPE ACCEPT FILE REPEAT */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ANSWER_MOST = 64 << 20 };

static char *body;
static size_t body_length;
static char answer[ANSWER_MOST + 1];

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int read_file(const char *name)
{
  int fd = open(name, O_RDONLY);
  struct stat about;
  if (fd < 0 || fstat(fd, &about)) return -1;
  body_length = (size_t)about.st_size;
  body = malloc(body_length);
  for (size_t n = 0; body && n < body_length;) {
    ssize_t r = read(fd, body + n, body_length - n);
    if (r <= 0) return -1;
    n += (size_t)r;
  }
  close(fd);
  return body ? 0 : -1;
}

static int send_all(int fd, const char *bytes, size_t length)
{
  while (length) {
    ssize_t n = send(fd, bytes, length, MSG_NOSIGNAL);
    if (n <= 0) return -1;
    bytes += n;
    length -= (size_t)n;
  }
  return 0;
}

/* One answer with Content-Length; its length, or -1 when it is no 200. */
static long receive(int fd)
{
  size_t have = 0, whole = 0;
  while (!whole || have < whole) {
    ssize_t n = recv(fd, answer + have, ANSWER_MOST - have, 0);
    if (n <= 0) return -1;
    have += (size_t)n;
    if (whole) continue;
    answer[have] = '\0';
    const char *end = strstr(answer, "\r\n\r\n"), *length = strstr(answer, "Content-Length: ");
    if (end && length) whole = (size_t)(end - answer) + 4 + strtoul(length + 16, NULL, 10);
  }
  return strncmp(answer, "HTTP/1.1 200", 12) ? -1 : (long)whole;
}

int main(int argc, char **argv)
{
  if (argc != 8 || read_file(argv[6])) return 2;
  struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)strtoul(argv[2], NULL, 10)) };
  inet_pton(AF_INET, argv[1], &to.sin_addr);
  int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to)) return 1;
  char head[512];
  int head_length =
      snprintf(head, sizeof head,
               "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nAccept: %s\r\nContent-Length: %zu\r\n\r\n",
               argv[3], argv[4], argv[5], body_length);
  double best = 1e9;
  for (unsigned long i = 0; i < strtoul(argv[7], NULL, 10); i++) {
    double start = now();
    if (send_all(fd, head, (size_t)head_length) || send_all(fd, body, body_length)) return 1;
    if (receive(fd) < 0) {
      fprintf(stderr, "%.200s\n", answer);
      return 1;
    }
    double took = now() - start;
    if (took < best) best = took;
  }
  printf("%.6f\n", best);
  free(body);
  close(fd);
  return 0;
}
