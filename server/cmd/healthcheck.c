/* A GET of /healthz, so that an image needs neither shell nor curl for its HEALTHCHECK. */
#include <curl/curl.h>

#include "server/cmd/command.h"
#include "server/http/address.h"

enum { PATIENCE_S = 3, URL_SIZE = 256 };

static const char usage[] =
    "usage: armdyn healthcheck [--url http[s]://HOST:PORT]\n\n"
    "Asks /healthz of the service at URL (default: the address in ARMDYN_LISTEN, or 127.0.0.1:8080; https when\n"
    "ARMDYN_TLS_CERTIFICATE is set). Whether the process lives is asked, not who it is: certificates are not checked.\n"
    "Exit status 0 when it answers 200, else 1.\n";

/* A service that listens on every address is asked on loopback. */
static const char *reachable(const char *host)
{
  if (!strcmp(host, "0.0.0.0") || !*host) return "127.0.0.1";
  return strcmp(host, "::") ? host : "::1";
}

static size_t drop(char *bytes, size_t size, size_t count, void *nothing)
{
  (void)bytes, (void)nothing;
  return size * count;
}

static bool answers_200(const char *url)
{
  long status = 0;
  CURL *curl = curl_easy_init();
  if (!curl) return false;
  curl_easy_setopt(curl, CURLOPT_URL, url);
  curl_easy_setopt(curl, CURLOPT_PROXY, "");
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)PATIENCE_S);
  curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 0L);
  curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 0L);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, drop);
  if (!curl_easy_perform(curl)) curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_cleanup(curl);
  return status == 200;
}

/* "http://HOST:PORT/..." or "https://HOST:PORT/...": to the text behind the scheme; NULL: it is neither. */
static const char *authority_of(const char *url, bool *https)
{
  *https = !strncmp(url, "https://", 8);
  if (*https) return url + 8;
  return strncmp(url, "http://", 7) ? NULL : url + 7;
}

int command_healthcheck(int argc, char **argv)
{
  const char *listen = getenv("ARMDYN_LISTEN"), *certificate = getenv("ARMDYN_TLS_CERTIFICATE");
  const char *authority = listen ? listen : "127.0.0.1:8080";
  bool https = certificate && *certificate;
  for (int i = 1; i < argc; i++) {
    bool url = !strcmp(argv[i], "--url") && i + 1 < argc && (authority = authority_of(argv[++i], &https));
    if (!url) {
      bool help = !strcmp(argv[i], "--help");
      fputs(usage, help ? stdout : stderr);
      return help ? 0 : 2;
    }
  }
  char text[URL_SIZE], url[URL_SIZE];
  snprintf(text, sizeof text, "%.*s", (int)strcspn(authority, "/"), authority);
  struct address address;
  if (!address_parse(text, &address)) {
    fprintf(stderr, "armdyn healthcheck: '%s' is no HOST:PORT\n", text);
    return 2;
  }
  snprintf(url, sizeof url, address.v6 ? "%s://[%s]:%s/healthz" : "%s://%s:%s/healthz", https ? "https" : "http",
           reachable(address.host), address.port);
  if (answers_200(url)) return 0;
  fprintf(stderr, "armdyn healthcheck: no answer 200 from %s\n", text);
  return 1;
}
