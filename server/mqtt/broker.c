#include "server/mqtt/broker.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/config/options.h"

enum { PORT_PLAIN = 1883, PORT_TLS = 8883, PASSWORD_SIZE = 1024 };

static const char form[] = "must be mqtt://HOST[:PORT] or mqtts://HOST[:PORT]";

static bool part_is(CURLU *url, CURLUPart part, char *value, size_t size)
{
  char *text = NULL;
  const bool there = !curl_url_get(url, part, &text, 0) && text && strlen(text) < size;
  snprintf(value, size, "%s", there ? text : "");
  curl_free(text);
  return there;
}

static bool read_url(const char *text, struct broker *broker)
{
  char scheme[8], port[8], rest[8];
  CURLU *url = curl_url();
  bool good = url && !curl_url_set(url, CURLUPART_URL, text, CURLU_NON_SUPPORT_SCHEME);
  good = good && part_is(url, CURLUPART_SCHEME, scheme, sizeof scheme) &&
         part_is(url, CURLUPART_HOST, broker->host, sizeof broker->host);
  good = good && !part_is(url, CURLUPART_USER, rest, sizeof rest) && !part_is(url, CURLUPART_QUERY, rest, sizeof rest);
  if (good && part_is(url, CURLUPART_PATH, rest, sizeof rest)) good = !*rest || !strcmp(rest, "/");
  broker->tls = good && !strcmp(scheme, "mqtts");
  good = good && (broker->tls || !strcmp(scheme, "mqtt"));
  broker->port = broker->tls ? PORT_TLS : PORT_PLAIN;
  if (good && part_is(url, CURLUPART_PORT, port, sizeof port))
    broker->port = (int)strtol(port, NULL, 10); /* curl has checked it */
  curl_url_cleanup(url);
  const size_t length = strlen(broker->host);
  if (*broker->host == '[' && length > 2) { /* IPv6 */
    memmove(broker->host, broker->host + 1, length);
    broker->host[length - 2] = '\0';
  }
  return good && broker->port > 0;
}

static bool prefix_is_good(const char *prefix)
{
  const size_t length = strlen(prefix);
  return length && !strpbrk(prefix, "+#") && *prefix != '$' && *prefix != '/' && prefix[length - 1] != '/';
}

static enum armdyn_status read_password(const char *file, char password[PASSWORD_SIZE], struct armdyn_error *error)
{
  FILE *in = fopen(file, "re");
  if (!in)
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "--mqtt-password-file: cannot read '%s': %s", file, strerror(errno));
  const bool there = fgets(password, PASSWORD_SIZE, in);
  fclose(in);
  password[there ? strcspn(password, "\r\n") : 0] = '\0';
  if (*password) return ARMDYN_OK;
  return armdyn_refuse(error, ARMDYN_EINPUT, "", "--mqtt-password-file: '%s' has no password in its first line", file);
}

/* What the options need of each other. */
static enum armdyn_status check_together(const struct options *o, struct armdyn_error *error)
{
  static const char alone[] = "%s: is given, but no --mqtt-broker";
  if (!*o->mqtt_broker && (*o->mqtt_ca || *o->mqtt_user || *o->mqtt_password_file))
    return armdyn_refuse(error, ARMDYN_EINPUT, "", alone,
                         *o->mqtt_ca     ? "--mqtt-ca"
                         : *o->mqtt_user ? "--mqtt-user"
                                         : "--mqtt-password-file");
  if (*o->mqtt_password_file && !*o->mqtt_user)
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "--mqtt-password-file: needs --mqtt-user");
  if (!prefix_is_good(o->mqtt_topic_prefix))
    return armdyn_refuse(error, ARMDYN_EINPUT, "",
                         "--mqtt-topic-prefix: must be levels with / between, without + and #, got '%.64s'",
                         o->mqtt_topic_prefix);
  return ARMDYN_OK;
}

enum armdyn_status broker_read(const struct options *options, struct broker *broker, struct armdyn_error *error)
{
  char password[PASSWORD_SIZE] = "";
  *broker = (struct broker){ .options = options };
  enum armdyn_status status = check_together(options, error);
  if (status || !*options->mqtt_broker) return status;
  if (!read_url(options->mqtt_broker, broker))
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "--mqtt-broker: %s, got '%.128s'", form, options->mqtt_broker);
  if (*options->mqtt_ca && !broker->tls)
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "--mqtt-ca: is given, but --mqtt-broker is no mqtts:// URL");
  if (*options->mqtt_password_file) status = read_password(options->mqtt_password_file, password, error);
  explicit_bzero(password, sizeof password);
  return status;
}

enum armdyn_status broker_introduce(const struct broker *broker, struct mosquitto *client, struct armdyn_error *error)
{
  const struct options *o = broker->options;
  char password[PASSWORD_SIZE] = "";
  enum armdyn_status status = ARMDYN_OK;
  if (*o->mqtt_password_file) status = read_password(o->mqtt_password_file, password, error);
  int code = MOSQ_ERR_SUCCESS;
  if (!status && *o->mqtt_user) code = mosquitto_username_pw_set(client, o->mqtt_user, *password ? password : NULL);
  explicit_bzero(password, sizeof password);
  if (!status && !code && broker->tls)
    code = mosquitto_tls_set(client, *o->mqtt_ca ? o->mqtt_ca : NULL, *o->mqtt_ca ? NULL : "/etc/ssl/certs", NULL, NULL,
                             NULL);
  if (code)
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "%s: %s", *o->mqtt_ca ? "--mqtt-ca" : "--mqtt-broker",
                         mosquitto_strerror(code));
  return status;
}
