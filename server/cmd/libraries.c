#include "server/cmd/libraries.h"

#include <cjson/cJSON.h>
#include <curl/curl.h>
#include <gnu/libc-version.h>
#include <gnutls/gnutls.h>
#include <libpq-fe.h>
#include <libxml/parser.h>
#include <microhttpd.h>
#include <modbus/modbus.h>
#include <mosquitto.h>
#include <nettle/version.h>
#include <sodium.h>
#include <sqlite3.h>
#include <stdio.h>
#include <zlib.h>

/* Each answers of the library that is loaded, where that has a function to ask. */
#define ANSWERS(name, text)                                                                                            \
  static void name(char out[LIBRARY_VERSION_SIZE])                                                                     \
  {                                                                                                                    \
    snprintf(out, LIBRARY_VERSION_SIZE, "%s", text);                                                                   \
  }
ANSWERS(microhttpd, MHD_get_version())
ANSWERS(sqlite, sqlite3_libversion())
ANSWERS(sodium, sodium_version_string())
ANSWERS(curl, curl_version_info(CURLVERSION_NOW)->version)
ANSWERS(tls, gnutls_check_version(NULL))
ANSWERS(zlib, zlibVersion())
ANSWERS(cjson, cJSON_Version())
ANSWERS(libc, gnu_get_libc_version())

static void modbus(char out[LIBRARY_VERSION_SIZE])
{
  snprintf(out, LIBRARY_VERSION_SIZE, "%u.%u.%u", libmodbus_version_major, libmodbus_version_minor,
           libmodbus_version_micro);
}

static void postgresql(char out[LIBRARY_VERSION_SIZE])
{
  snprintf(out, LIBRARY_VERSION_SIZE, "%d.%d", PQlibVersion() / 10000, PQlibVersion() % 10000);
}

static void mosquitto(char out[LIBRARY_VERSION_SIZE])
{
  int major, minor, revision;
  mosquitto_lib_version(&major, &minor, &revision);
  snprintf(out, LIBRARY_VERSION_SIZE, "%d.%d.%d", major, minor, revision);
}

/* "20914", and what Debian has added to it */
static void xml(char out[LIBRARY_VERSION_SIZE])
{
  unsigned number = 0;
  for (const char *c = xmlParserVersion; *c >= '0' && *c <= '9'; c++) number = 10 * number + (unsigned)(*c - '0');
  snprintf(out, LIBRARY_VERSION_SIZE, "%u.%u.%u", number / 10000, number / 100 % 100, number % 100);
}

static void nettle(char out[LIBRARY_VERSION_SIZE])
{
  snprintf(out, LIBRARY_VERSION_SIZE, "%d.%d", nettle_version_major(), nettle_version_minor());
}

const struct library libraries[] = {
  { "libmicrohttpd", microhttpd },
  { "SQLite", sqlite },
  { "libpq", postgresql },
  { "libmodbus", modbus },
  { "libxml2", xml },
  { "cJSON", cjson },
  { "libsodium", sodium },
  { "libcurl", curl },
  { "libmosquitto", mosquitto },
  { "GnuTLS", tls },
  { "Nettle", nettle },
  { "zlib", zlib },
  { "glibc", libc },
  { 0 },
};
