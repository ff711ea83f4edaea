/* The peer of bench_http: the least that a JSON service on libmicrohttpd can do. Every POST is parsed by cJSON, printed
 * by cJSON, and answered; nothing is checked, routed, logged or timed.
 *
 *   peer_echo THREADS      prints "listening on http://127.0.0.1:PORT", ends with its standard input */
#include <arpa/inet.h>
#include <cjson/cJSON.h>
#include <microhttpd.h>
#include <unistd.h>

enum { BODY_MOST = 1 << 16 };

struct request {
  size_t length;
  char body[BODY_MOST];
};

static enum MHD_Result answer(struct MHD_Connection *connection, struct request *request)
{
  cJSON *document = cJSON_ParseWithLength(request->body, request->length);
  char *text = document ? cJSON_PrintUnformatted(document) : NULL;
  cJSON_Delete(document);
  if (!text) return MHD_NO;
  struct MHD_Response *response = MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_MUST_FREE);
  if (!response) return MHD_NO;
  MHD_add_response_header(response, "Content-Type", "application/json");
  enum MHD_Result queued = MHD_queue_response(connection, 200, response);
  MHD_destroy_response(response);
  return queued;
}

static enum MHD_Result serve(void *context, struct MHD_Connection *connection, const char *url, const char *method,
                             const char *version, const char *upload, size_t *upload_size, void **place)
{
  (void)context, (void)url, (void)method, (void)version;
  struct request *request = *place;
  if (!request) {
    request = *place = malloc(sizeof *request);
    if (!request) return MHD_NO;
    request->length = 0;
    return MHD_YES;
  }
  if (!*upload_size) return answer(connection, request);
  if (*upload_size > BODY_MOST - request->length) return MHD_NO;
  memcpy(request->body + request->length, upload, *upload_size);
  request->length += *upload_size;
  *upload_size = 0;
  return MHD_YES;
}

static void ended(void *context, struct MHD_Connection *connection, void **place, enum MHD_RequestTerminationCode how)
{
  (void)context, (void)connection, (void)how;
  free(*place);
}

int main(int argc, char **argv)
{
  unsigned threads = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 2;
  struct sockaddr_in loopback = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
  struct MHD_Daemon *daemon =
      MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_TURBO, 0, NULL, NULL, serve, NULL, MHD_OPTION_SOCK_ADDR,
                       (struct sockaddr *)&loopback, MHD_OPTION_THREAD_POOL_SIZE, threads, MHD_OPTION_CONNECTION_LIMIT,
                       120 * threads, MHD_OPTION_NOTIFY_COMPLETED, ended, NULL, MHD_OPTION_END);
  if (!daemon) return 1;
  printf("listening on http://127.0.0.1:%u\n", MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
  fflush(stdout);
  char byte;
  while (read(STDIN_FILENO, &byte, 1) > 0) continue;
  MHD_stop_daemon(daemon);
  return 0;
}
