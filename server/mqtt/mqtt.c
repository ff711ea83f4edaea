#include "server/mqtt/mqtt.h"

#include <inttypes.h>
#include <mosquitto.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "armdyn/armdyn.h"
#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/base/metric.h"
#include "server/config/options.h"
#include "server/mqtt/broker.h"

enum {
  WINDOW = 32,      /* messages that the broker has not acknowledged yet */
  LOOK_MS = 100,    /* how often the log is read */
  KEEPALIVE_S = 15, /* a broker that is silent for longer is taken for gone */
  CONNECT_S = 10,   /* for it to take a connection */
  PAUSE_S = 1,      /* before it is tried again; doubles */
  PAUSE_MOST_S = 30,
  FAREWELL_MS = 1000, /* to say that the service ends */
  JOIN_S = 2,         /* a name that is looked up may hold the thread for longer */
  QOS = 1
};
static const int64_t SECOND = 1000000000;
static const size_t PAYLOAD_MOST = KB(64);
static const char reader[] = "mqtt";
enum { LAST_WORD_OPEN, LAST_WORD_THREAD, LAST_WORD_STOP };

struct mqtt {
  struct mqtt_setup setup;
  struct broker broker;
  pthread_t thread;
  bool running;
  _Atomic bool stopping;
  _Atomic int last_word; /* who came first at the end: the thread, or who would not wait any longer for it */

  /* The rest is the thread's. */
  struct mosquitto *client; /* NULL: it waits to connect again, until retry_ns */
  bool greeted;             /* the broker has taken the connection */
  int64_t begun_ns, retry_ns, pause_s;
  bool lost_told;   /* that it is away was logged */
  int64_t known;    /* before this event all are acknowledged */
  int64_t kept;     /* as the store has it */
  int64_t at;       /* the last event that went out on this connection */
  bool remembering; /* the last of each topic, up to `known`, go out before what comes behind */
  struct {
    int message;
    int64_t number;
    bool acknowledged;
  } window[WINDOW]; /* in order */
  size_t count;

  _Atomic bool connected;
  _Atomic uint64_t published, connections;
  _Atomic int64_t acknowledged; /* `known`, for others */
};

/* -- topics and payloads -- */

/* <prefix>/controllers/<controller>/<kind>, and <prefix>/<kind> of what belongs to none. */
static void topic_of(const struct mqtt *m, const struct store_event *event, char *topic, size_t size)
{
  const int kind = (int)strcspn(event->type, ".");
  const char *prefix = m->broker.options->mqtt_topic_prefix;
  if (*event->controller)
    snprintf(topic, size, "%s/controllers/%s/%.*s", prefix, event->controller, kind, event->type);
  else
    snprintf(topic, size, "%s/%.*s", prefix, kind, event->type);
}

/* Birth, death, and the end that was announced. */
static void write_service(bool online, char *text, size_t size)
{
  char now[TIME_SIZE];
  clock_format(clock_wall_ms(), now);
  snprintf(text, size, "{\"online\":%s,\"version\":\"%s\",\"since\":\"%s\"}", online ? "true" : "false",
           armdyn_version(), now);
}

static void service_topic(const struct mqtt *m, char *topic, size_t size)
{
  snprintf(topic, size, "%s/service", m->broker.options->mqtt_topic_prefix);
}

static int publish_service(struct mqtt *m, bool online, int *message)
{
  char topic[256], text[160];
  service_topic(m, topic, sizeof topic);
  write_service(online, text, sizeof text);
  return mosquitto_publish(m->client, message, topic, (int)strlen(text), text, QOS, true);
}

/* -- what the broker says; within mosquitto_loop, on the thread -- */

static void on_connect(struct mosquitto *client, void *context, int code)
{
  (void)client;
  struct mqtt *m = context;
  if (code) return; /* the connection ends, and says why */
  m->greeted = true;
}

/* Events are known in order: one that was acknowledged before an earlier one waits for it. */
static void on_publish(struct mosquitto *client, void *context, int message)
{
  (void)client;
  struct mqtt *m = context;
  size_t done = 0;
  for (size_t i = 0; i < m->count; i++)
    if (m->window[i].message == message) m->window[i].acknowledged = true;
  while (done < m->count && m->window[done].acknowledged) {
    if (m->window[done].number > m->known) m->known = m->window[done].number;
    done++;
  }
  m->count -= done;
  memmove(m->window, m->window + done, m->count * sizeof *m->window);
  atomic_fetch_add(&m->published, done);
  atomic_store(&m->acknowledged, m->known);
}

/* -- the connection -- */

static void drop(struct mqtt *m, const char *why)
{
  if (!m->lost_told)
    log_event(LOG_WARNING, "the MQTT broker is away; what happens is published when it is back", "broker",
              m->broker.options->mqtt_broker, "reason", why, NULL);
  m->lost_told = true;
  if (m->client) mosquitto_destroy(m->client);
  m->client = NULL;
  m->greeted = false;
  m->count = 0;
  atomic_store(&m->connected, false);
  m->retry_ns = clock_monotonic_ns() + m->pause_s * SECOND;
  m->pause_s = m->pause_s * 2 < PAUSE_MOST_S ? m->pause_s * 2 : PAUSE_MOST_S;
}

static void connect_anew(struct mqtt *m)
{
  char topic[256], death[160], id[128];
  struct armdyn_error error = { "", "" };
  /* always the same: a broker lets go of the former connection, so that nothing of it comes later */
  snprintf(id, sizeof id, "armdyn:%s", m->broker.options->mqtt_topic_prefix);
  m->client = mosquitto_new(id, true, m);
  m->begun_ns = clock_monotonic_ns();
  if (!m->client) {
    drop(m, "no memory");
    return;
  }
  if (broker_introduce(&m->broker, m->client, &error)) {
    drop(m, error.message);
    return;
  }
  service_topic(m, topic, sizeof topic);
  write_service(false, death, sizeof death);
  mosquitto_connect_callback_set(m->client, on_connect);
  mosquitto_publish_callback_set(m->client, on_publish);
  mosquitto_max_inflight_messages_set(m->client, WINDOW + 1);
  int code = mosquitto_will_set(m->client, topic, (int)strlen(death), death, QOS, true);
  if (!code) code = mosquitto_connect_async(m->client, m->broker.host, m->broker.port, KEEPALIVE_S);
  if (code) drop(m, mosquitto_strerror(code));
}

/* The broker has just taken the connection: the service is born, and the last of each topic goes out again. */
static void begin(struct mqtt *m)
{
  if (publish_service(m, true, NULL)) return;
  log_event(LOG_INFO, "events are published", "broker", m->broker.options->mqtt_broker, NULL);
  m->lost_told = false;
  m->pause_s = PAUSE_S;
  m->at = 0;
  m->remembering = true;
  atomic_store(&m->connected, true);
  atomic_fetch_add(&m->connections, 1);
}

/* -- events -- */

struct reading {
  struct mqtt *mqtt;
  size_t found;
  int code;
};

static void publish(void *context, const struct store_event *event)
{
  struct reading *r = context;
  struct mqtt *m = r->mqtt;
  char topic[256];
  int message = 0;
  struct buffer payload = BUFFER(PAYLOAD_MOST);
  if (m->remembering && event->number > m->known) return; /* it comes in its turn */
  r->found++;
  m->setup.write(event, &payload);
  topic_of(m, event, topic, sizeof topic);
  if (!r->code && buffer_ok(&payload))
    r->code = mosquitto_publish(m->client, &message, topic, (int)payload.length, payload.data, QOS, true);
  buffer_release(&payload);
  if (r->code) return;
  m->window[m->count].message = message;
  m->window[m->count].number = event->number;
  m->window[m->count++].acknowledged = false;
  m->at = event->number;
}

/* As many events as the window has room for. */
static void publish_due(struct mqtt *m)
{
  struct reading reading = { .mqtt = m };
  const size_t room = WINDOW - m->count;
  if (!room) return;
  enum armdyn_status status = m->remembering ? store_event_latest(m->setup.store, m->at, room, publish, &reading)
                                             : store_event_after(m->setup.store, m->at, room, publish, &reading);
  if (reading.code) {
    drop(m, mosquitto_strerror(reading.code));
  } else if (!status && m->remembering && !reading.found) {
    m->remembering = false;
    m->at = m->known;
  }
}

/* How far the broker is, for the next start; events are published twice where that could not be kept. */
static void keep(struct mqtt *m)
{
  if (m->kept == m->known || m->count > WINDOW / 2) return;
  if (!store_event_has_read(m->setup.store, reader, m->known)) m->kept = m->known;
}

/* -- the thread -- */

static void rest(void)
{
  nanosleep(&(struct timespec){ .tv_nsec = LOOK_MS * 1000000L }, NULL);
}

static void turn(struct mqtt *m)
{
  if (!m->client) {
    if (clock_monotonic_ns() >= m->retry_ns) connect_anew(m);
    if (!m->client) rest();
    return; /* a name may have been looked up for long: is it to stop? */
  }
  const int code = mosquitto_loop(m->client, m->count ? LOOK_MS / 10 : LOOK_MS, 1);
  if (code)
    drop(m, mosquitto_strerror(code));
  else if (!m->greeted && clock_monotonic_ns() > m->begun_ns + CONNECT_S * SECOND)
    drop(m, "it takes no connection");
  else if (m->greeted && !atomic_load(&m->connected))
    begin(m);
  if (m->client && atomic_load(&m->connected)) publish_due(m);
  keep(m);
}

/* What has happened until now goes out, and that the service ends: that is no death, and the will is not used. */
static void say_farewell(struct mqtt *m)
{
  const int64_t deadline_ns = clock_monotonic_ns() + FAREWELL_MS * (SECOND / 1000);
  bool news = true;
  while (news && atomic_load(&m->connected) && clock_monotonic_ns() < deadline_ns) {
    const int64_t before = m->at;
    turn(m);
    news = m->remembering || m->count || m->at != before;
  }
  if (atomic_load(&m->connected) && !publish_service(m, false, NULL)) {
    while (mosquitto_want_write(m->client) && clock_monotonic_ns() < deadline_ns)
      if (mosquitto_loop(m->client, LOOK_MS, 1)) break;
    mosquitto_disconnect(m->client);
  }
  keep(m);
}

static void *run(void *context)
{
  struct mqtt *m = context;
  while (!atomic_load(&m->stopping)) turn(m);
  if (atomic_exchange(&m->last_word, LAST_WORD_THREAD) == LAST_WORD_STOP) return NULL; /* the store is gone */
  say_farewell(m);
  if (m->client) mosquitto_destroy(m->client);
  m->client = NULL;
  return NULL;
}

enum armdyn_status mqtt_start(const struct mqtt_setup *setup, struct mqtt **out, struct armdyn_error *error)
{
  struct broker broker;
  enum armdyn_status status = broker_read(setup->options, &broker, error);
  if (status || !*broker.host) return status;
  struct mqtt *m = calloc(1, sizeof *m);
  if (!m) return ARMDYN_EMEMORY;
  m->setup = *setup;
  m->broker = broker;
  m->pause_s = PAUSE_S;
  mosquitto_lib_init();
  status = store_event_reader(setup->store, reader, &m->known); /* the first time: what is to come */
  m->kept = m->known;
  atomic_store(&m->acknowledged, m->known);
  if (!status) m->running = !pthread_create(&m->thread, NULL, run, m);
  if (m->running) {
    *out = m;
    return ARMDYN_OK;
  }
  free(m);
  return armdyn_refuse(error, status ? status : ARMDYN_EMEMORY, "", "events cannot be published by MQTT: %s",
                       status ? armdyn_status_text(status) : "no thread");
}

void mqtt_stop(struct mqtt *m)
{
  struct timespec until;
  if (!m) return;
  atomic_store(&m->stopping, true);
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += JOIN_S;
  if (pthread_timedjoin_np(m->thread, NULL, &until)) {
    if (atomic_exchange(&m->last_word, LAST_WORD_STOP) != LAST_WORD_THREAD) {
      pthread_detach(m->thread);
      return; /* what it still looks at stays */
    }
    pthread_join(m->thread, NULL);
  }
  free(m);
  mosquitto_lib_cleanup();
}

void mqtt_write_metrics(struct mqtt *m, struct buffer *out)
{
  int64_t newest = 0;
  if (!m) return;
  metric_write(out, "armdyn_mqtt_connected", METRIC_GAUGE, "Has the MQTT broker taken the connection?",
               atomic_load(&m->connected));
  metric_write(out, "armdyn_mqtt_connections_total", METRIC_COUNTER, "Connections that the MQTT broker has taken.",
               (double)atomic_load(&m->connections));
  metric_write(out, "armdyn_mqtt_published_total", METRIC_COUNTER, "Events that the MQTT broker has acknowledged.",
               (double)atomic_load(&m->published));
  if (!store_event_newest(m->setup.store, &newest))
    metric_write(out, "armdyn_mqtt_waiting", METRIC_GAUGE, "Events that the MQTT broker has not acknowledged yet.",
                 (double)(newest - atomic_load(&m->acknowledged)));
}
