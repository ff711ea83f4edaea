#include "server/webhooks/webhooks.h"

#include <curl/curl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "api/limits.h"
#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/base/metric.h"
#include "server/base/ranges.h"
#include "server/config/options.h"
#include "server/webhooks/authority.h"
#include "server/webhooks/signature.h"

enum {
  LOOK_MS = 250,           /* how often the outbox is looked into */
  CONNECT_S = 5,           /* for a peer to take the connection, TLS included */
  PATIENCE_S = 15,         /* and to answer */
  ANSWER_MOST = 64 * 1024, /* bytes of an answer, which nobody reads */
  SECRET_BYTES = 32,
  PAUSE_MOST_S = 6 * 3600,
  HTTP_GONE = 410
};
static const size_t MESSAGE_MOST = MB(8);

/* Of every machine or network its own: a name that leads there could make this service call what only it can reach. The
 * last of IPv6 carry an address of IPv4 in them (NAT64, Teredo, 6to4). */
static const char private_networks[] =
    "0.0.0.0/8,10.0.0.0/8,100.64.0.0/10,127.0.0.0/8,169.254.0.0/16,172.16.0.0/12,192.0.0.0/24,192.168.0.0/16,"
    "198.18.0.0/15,224.0.0.0/4,240.0.0.0/4,::/96,fc00::/7,fe80::/10,ff00::/8,64:ff9b::/96,64:ff9b:1::/48,2001::/32,"
    "2002::/16";

/* One message on its way. */
struct sending {
  struct webhooks *webhooks;
  struct store_webhook webhook;
  struct store_delivery delivery;
  CURL *curl; /* NULL: the place is free */
  struct curl_slist *headers;
  struct buffer message;
  size_t answered; /* bytes */
  bool refused;    /* the address may not be called */
  char error[CURL_ERROR_SIZE];
};

struct webhooks {
  struct webhooks_setup setup;
  struct ranges allowed; /* none: all but `closed` */
  struct ranges closed;
  CURLM *multi;
  pthread_t thread;
  bool running;
  int64_t look_ns; /* when the outbox is looked into again */
  _Atomic bool stopping;
  _Atomic uint64_t attempts[DELIVERY_STATE_COUNT]; /* by what the delivery was after it */
  struct sending sendings[LIMIT_WEBHOOKS];
};

/* -- where messages may go -- */

static bool may_call(const struct webhooks *w, const struct sockaddr_storage *address)
{
  return w->allowed.count ? ranges_have(&w->allowed, address) : !ranges_have(&w->closed, address);
}

/* The address that the name of a URL led to now: a name cannot be allowed, for it may lead elsewhere next time. */
static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *to)
{
  (void)purpose;
  struct sending *s = context;
  struct sockaddr_storage address = { 0 };
  memcpy(&address, &to->addr, to->addrlen < sizeof address ? to->addrlen : sizeof address);
  s->refused = !may_call(s->webhooks, &address);
  return s->refused ? CURL_SOCKET_BAD : socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
}

static bool part_is(CURLU *url, CURLUPart part, char *value, size_t size)
{
  char *text = NULL;
  bool there = !curl_url_get(url, part, &text, 0);
  snprintf(value, size, "%s", there ? text : "");
  curl_free(text);
  return there;
}

bool webhooks_take_url(const struct webhooks *w, const char *text, char why[160])
{
  char scheme[16] = "", host[256] = "", rest[8];
  struct sockaddr_storage address;
  CURLU *url = curl_url();
  *why = '\0';
  if (!url || curl_url_set(url, CURLUPART_URL, text, 0) || !part_is(url, CURLUPART_HOST, host, sizeof host))
    snprintf(why, 160, "must be a URL, such as https://mes.example/armdyn");
  else if (!part_is(url, CURLUPART_SCHEME, scheme, sizeof scheme) ||
           (strcmp(scheme, "https") && strcmp(scheme, "http")))
    snprintf(why, 160, "must begin with https:// or http://");
  else if (part_is(url, CURLUPART_USER, rest, sizeof rest) || part_is(url, CURLUPART_PASSWORD, rest, sizeof rest))
    snprintf(why, 160, "must have no user and no password in it: messages are signed");
  curl_url_cleanup(url);
  if (*why) return false;
  size_t length = strlen(host);
  if (*host == '[' && length > 2) { /* IPv6 */
    memmove(host, host + 1, length);
    host[length - 2] = '\0';
  }
  if (!address_read(host, &address) || may_call(w, &address)) return true;
  snprintf(why, 160, "'%.64s' may not be called: --webhook-networks does not name it", host);
  return false;
}

void webhooks_make_secret(char secret[STORE_SECRET_SIZE])
{
  unsigned char bytes[SECRET_BYTES];
  randombytes_buf(bytes, sizeof bytes);
  memcpy(secret, "whsec_", 6);
  sodium_bin2base64(secret + 6, STORE_SECRET_SIZE - 6, bytes, sizeof bytes, sodium_base64_VARIANT_ORIGINAL);
  sodium_memzero(bytes, sizeof bytes);
}

/* -- one message -- */

static size_t drop_answer(char *bytes, size_t size, size_t count, void *context)
{
  (void)bytes;
  struct sending *s = context;
  s->answered += size * count;
  return s->answered > ANSWER_MOST ? 0 : size * count;
}

static bool add_header(struct sending *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool add_header(struct sending *s, const char *format, ...)
{
  char line[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  struct curl_slist *longer = curl_slist_append(s->headers, line);
  if (longer) s->headers = longer;
  return longer != NULL;
}

/* Both secrets sign for a while after a change, so that the receiver may change his when he likes. */
static bool sign(struct sending *s, const char *traceparent)
{
  char id[64], timestamp[24], now[TIME_SIZE], signature[SIGNATURE_SIZE], former[SIGNATURE_SIZE] = "";
  const struct store_webhook *hook = &s->webhook;
  snprintf(id, sizeof id, "msg_%s", s->delivery.id);
  snprintf(timestamp, sizeof timestamp, "%lld", (long long)(clock_wall_ms() / 1000));
  clock_format(clock_wall_ms(), now);
  if (!signature_make(hook->secret, id, timestamp, s->message.data, s->message.length, signature)) return false;
  if (*hook->former_secret && strcmp(now, hook->former_until) < 0 &&
      !signature_make(hook->former_secret, id, timestamp, s->message.data, s->message.length, former))
    return false;
  return add_header(s, "webhook-id: %s", id) && add_header(s, "webhook-timestamp: %s", timestamp) &&
         add_header(s, "webhook-signature: %s%s%s", signature, *former ? " " : "", former) &&
         add_header(s, "Content-Type: application/json") && add_header(s, "User-Agent: armdyn") &&
         add_header(s, "Expect:") && (!*traceparent || add_header(s, "traceparent: %s", traceparent));
}

static void configure(struct sending *s)
{
  CURL *curl = s->curl;
  curl_easy_setopt(curl, CURLOPT_URL, s->webhook.url);
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_PROXY, ""); /* the address that is checked is the one that is called */
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L); /* no waiting for names that are looked up */
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)PATIENCE_S);
  curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, open_socket);
  curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, s);
  curl_easy_setopt(curl, CURLOPT_FORBID_REUSE, 1L); /* a kept connection would not be checked again */
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, drop_answer);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, s);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, s->error);
  curl_easy_setopt(curl, CURLOPT_POSTFIELDS, s->message.data);
  curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)s->message.length);
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, s->headers);
  curl_easy_setopt(curl, CURLOPT_PRIVATE, s);
  const char *authority = s->webhooks->setup.options->webhook_ca;
  if (!*authority) return;
  curl_easy_setopt(curl, CURLOPT_CAINFO, authority); /* read anew for each message */
  curl_easy_setopt(curl, CURLOPT_CAPATH, NULL);
}

static void release(struct sending *s)
{
  if (s->curl) {
    curl_multi_remove_handle(s->webhooks->multi, s->curl);
    curl_easy_cleanup(s->curl);
  }
  curl_slist_free_all(s->headers);
  buffer_release(&s->message);
  sodium_memzero(&s->webhook, sizeof s->webhook);
  *s = (struct sending){ .webhooks = s->webhooks };
}

/* -- how an attempt ended -- */

/* Pauses double, and differ by up to a fifth, so that many messages that failed together do not come back together. */
static int64_t pause_ms(const struct webhooks *w, int attempts)
{
  int64_t seconds = w->setup.options->webhook_retry << (attempts < 20 ? attempts - 1 : 19);
  if (seconds > PAUSE_MOST_S) seconds = PAUSE_MOST_S;
  return seconds * (800 + (int64_t)randombytes_uniform(401));
}

/* One attempt more; `d->error` says why it was not taken, "" = it was. Nothing helps `for_ever`. */
static void conclude(struct sending *s, bool for_ever)
{
  struct webhooks *w = s->webhooks;
  struct store_delivery *d = &s->delivery;
  const char *of = *d->job ? "job" : *d->transfer ? "transfer" : *d->order_id ? "order" : "event";
  int64_t now = clock_wall_ms();
  d->attempts++;
  clock_format(now, d->last_at);
  d->next_at[0] = '\0';
  d->state = !*d->error                                    ? DELIVERY_DELIVERED
             : for_ever || d->attempts >= LIMIT_DELIVERIES ? DELIVERY_FAILED
                                                           : DELIVERY_PENDING;
  if (d->state == DELIVERY_PENDING) clock_format(now + pause_ms(w, d->attempts), d->next_at);
  atomic_fetch_add(&w->attempts[d->state], 1);
  enum armdyn_status status = store_delivery_attempted(w->setup.store, d);
  if (status && status != ARMDYN_ENOTFOUND) { /* a full disk, say: what was told is told again, but not at once */
    log_event(LOG_ERROR, "how a webhook was delivered was not kept", of, d->id, "reason", armdyn_status_text(status),
              NULL);
    w->look_ns = clock_monotonic_ns() + pause_ms(w, 1) * 1000000;
  }
  log_event(d->state == DELIVERY_DELIVERED ? LOG_INFO : LOG_WARNING, "webhook", "webhook", d->webhook, of, d->id,
            "state", delivery_state_name(d->state), "attempt", LOG_NUMBER(d->attempts), "reason",
            *d->error ? d->error : NULL, NULL);
  release(s);
}

static void finish(struct sending *s, CURLcode code)
{
  struct store_delivery *d = &s->delivery;
  long answer = 0;
  curl_easy_getinfo(s->curl, CURLINFO_RESPONSE_CODE, &answer);
  d->http_status = (int)answer;
  d->error[0] = '\0';
  if (s->refused)
    snprintf(d->error, sizeof d->error, "its address may not be called: --webhook-networks does not name it");
  else if (answer && (answer < 200 || answer >= 300))
    snprintf(d->error, sizeof d->error, "the answer was %ld", answer);
  else if (code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE)
    snprintf(d->error, sizeof d->error, "%.180s (--webhook-ca names who is trusted)",
             *s->error ? s->error : curl_easy_strerror(code));
  else if (!answer)
    snprintf(d->error, sizeof d->error, "%.250s", *s->error ? s->error : curl_easy_strerror(code));
  conclude(s, answer == HTTP_GONE);
}

/* What ended cannot be told: too much, or there is no memory or no disk for it. */
static void fail_to_begin(struct sending *s, enum armdyn_status status)
{
  s->delivery.http_status = 0;
  snprintf(s->delivery.error, sizeof s->delivery.error, "the message could not be written: %s",
           armdyn_status_text(status));
  conclude(s, status == ARMDYN_ELIMIT);
}

static void begin(struct sending *s)
{
  struct webhooks *w = s->webhooks;
  char traceparent[TRACE_SIZE] = "";
  s->message = (struct buffer)BUFFER(MESSAGE_MOST);
  enum armdyn_status status = w->setup.write(w->setup.app, &s->delivery, &s->message, traceparent);
  if (!status && !buffer_ok(&s->message)) status = s->message.failure;
  if (!status && (!sign(s, traceparent) || !(s->curl = curl_easy_init()))) status = ARMDYN_EMEMORY;
  if (!status) configure(s);
  if (!status && curl_multi_add_handle(w->multi, s->curl)) status = ARMDYN_EMEMORY;
  if (status) fail_to_begin(s, status);
}

/* -- the thread -- */

static struct sending *place_for(struct webhooks *w, const char *webhook)
{
  struct sending *free_one = NULL;
  for (size_t i = 0; i < LIMIT_WEBHOOKS; i++) {
    struct sending *s = &w->sendings[i];
    if (s->curl && !strcmp(s->webhook.name, webhook)) return NULL; /* it has one under way */
    if (!s->curl && !free_one) free_one = s;
  }
  return free_one;
}

static void look_at(void *context, const struct store_webhook *webhook)
{
  struct webhooks *w = context;
  struct sending *s = place_for(w, webhook->name);
  char now[TIME_SIZE];
  clock_format(clock_wall_ms(), now);
  if (!s || !webhook->enabled || store_delivery_next(w->setup.store, webhook->name, &s->delivery)) return;
  if (strcmp(s->delivery.next_at, now) > 0) return;
  s->webhook = *webhook;
  begin(s);
}

static void finish_all(struct webhooks *w)
{
  int left;
  for (const CURLMsg *m; (m = curl_multi_info_read(w->multi, &left));) {
    struct sending *s = NULL;
    if (m->msg != CURLMSG_DONE) continue;
    CURLcode code = m->data.result;
    curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &s);
    finish(s, code);
  }
}

static void *run(void *context)
{
  struct webhooks *w = context;
  while (!atomic_load(&w->stopping)) {
    int running;
    if (clock_monotonic_ns() >= w->look_ns) {
      w->look_ns = clock_monotonic_ns() + (int64_t)LOOK_MS * 1000000;
      store_webhook_list(w->setup.store, STORE_ALL_BY_NAME, look_at, w);
    }
    curl_multi_perform(w->multi, &running);
    finish_all(w);
    curl_multi_poll(w->multi, NULL, 0, LOOK_MS, NULL);
  }
  return NULL;
}

enum armdyn_status webhooks_start(const struct webhooks_setup *setup, struct webhooks **out, struct armdyn_error *error)
{
  struct webhooks *w = calloc(1, sizeof *w);
  if (!w) return ARMDYN_EMEMORY;
  w->setup = *setup;
  for (size_t i = 0; i < LIMIT_WEBHOOKS; i++) w->sendings[i].webhooks = w;
  enum armdyn_status status = ranges_parse("--webhook-networks", setup->options->webhook_networks, &w->allowed, error);
  struct authority authority;
  if (!status && *setup->options->webhook_ca) status = authority_read(setup->options->webhook_ca, &authority, error);
  if (!status) status = ranges_parse("private networks", private_networks, &w->closed, error);
  if (!status && !(w->multi = curl_multi_init())) status = ARMDYN_EMEMORY;
  if (!status) w->running = !pthread_create(&w->thread, NULL, run, w);
  if (w->running) {
    *out = w;
    return ARMDYN_OK;
  }
  webhooks_stop(w);
  return status ? status : armdyn_refuse(error, ARMDYN_EMEMORY, "", "no thread for webhooks");
}

void webhooks_stop(struct webhooks *w)
{
  if (!w) return;
  atomic_store(&w->stopping, true);
  if (w->multi) curl_multi_wakeup(w->multi);
  if (w->running) pthread_join(w->thread, NULL);
  for (size_t i = 0; i < LIMIT_WEBHOOKS; i++) release(&w->sendings[i]);
  if (w->multi) curl_multi_cleanup(w->multi);
  free(w);
}

void webhooks_write_metrics(struct webhooks *w, struct buffer *out)
{
  static const char attempts[] = "armdyn_webhook_attempts_total";
  int64_t pending = 0;
  metric_head(out, attempts, METRIC_COUNTER,
              "Attempts to tell webhooks, by what came of it; pending: sent again later.");
  for (int state = 0; state < DELIVERY_STATE_COUNT; state++)
    buffer_format(out, "%s{state=\"%s\"} %" PRIu64 "\n", attempts, delivery_state_name((enum delivery_state)state),
                  atomic_load(&w->attempts[state]));
  if (!store_delivery_pending(w->setup.store, &pending))
    metric_write(out, "armdyn_webhook_pending", METRIC_GAUGE, "Messages that webhooks have not taken yet.",
                 (double)pending);
}
