#include "server/cmd/control.h"

#include <curl/curl.h>
#include <math.h>
#include <unistd.h>

#include "api/json/document.h"
#include "server/http/address.h"

enum { PATIENCE_S = 60 };

static size_t take(char *bytes, size_t size, size_t count, void *answer)
{
  buffer_append(answer, bytes, size * count);
  return buffer_ok(answer) ? size * count : 0;
}

enum armdyn_status control_call(const char *dir, const char *method, const char *path, const char *body,
                                long *http_status, struct buffer *answer, struct armdyn_error *error)
{
  char url[512], socket[ADDRESS_LOCAL_SIZE];
  int directory = address_local(dir, socket);
  CURL *curl = curl_easy_init();
  struct curl_slist *headers = body ? curl_slist_append(NULL, "Content-Type: application/json") : NULL;
  CURLcode code = CURLE_OUT_OF_MEMORY;
  snprintf(url, sizeof url, "http://localhost%s", path);
  if (!curl || (body && !headers)) goto out;
  curl_easy_setopt(curl, CURLOPT_URL, url);
  curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L); /* "../" in what somebody typed leads to no other call */
  curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method);
  curl_easy_setopt(curl, CURLOPT_PROXY, "");
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)PATIENCE_S);
  curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, socket);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, answer);
  if (body) curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
  if (headers) curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
  code = curl_easy_perform(curl);
  if (!code) curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, http_status);
out:
  curl_slist_free_all(headers);
  curl_easy_cleanup(curl);
  if (directory >= 0) close(directory);
  if (!code) return ARMDYN_OK;
  if (code == CURLE_COULDNT_CONNECT)
    return armdyn_refuse(error, ARMDYN_EUNAVAILABLE, "", "no service runs on '%s'", dir);
  return armdyn_refuse(error, ARMDYN_EIO, "", "the service did not answer: %s", curl_easy_strerror(code));
}

/* -- what an answer says -- */

static cJSON *read_answer(const struct buffer *answer)
{
  cJSON *document;
  document_parse(answer->data, answer->length, NULL, &document);
  return document;
}

void control_text(const struct buffer *answer, const char *path, char *text, size_t size)
{
  cJSON *document = read_answer(answer);
  document_copy_text(document, path, text, size);
  document_close(document);
}

double control_number(const struct buffer *answer, const char *path)
{
  cJSON *document = read_answer(answer);
  const double number = document_number(document, path);
  document_close(document);
  return isnan(number) ? -1 : number;
}

bool control_truth(const struct buffer *answer, const char *path)
{
  cJSON *document = read_answer(answer);
  const bool truth = document_truth(document, path);
  document_close(document);
  return truth;
}
