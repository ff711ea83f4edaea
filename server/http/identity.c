#include "server/http/identity.h"

#include <errno.h>
#include <gnutls/x509.h>
#include <sodium.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <time.h>

#include "server/base/clock.h"
#include "server/base/log.h"

/* What clients of the last ten years speak. Without RSA key exchange a key that gets known later opens nothing that was
 * recorded before. */
static const char ciphers[] = "SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-RSA:-SHA1";

struct identity {
  _Atomic int references;
  gnutls_certificate_credentials_t credentials;
  gnutls_priority_t priority;
  gnutls_datum_t ticket_key; /* of resumed sessions: another certificate begins anew */
  int64_t expires;
};

struct files {
  gnutls_datum_t certificate, key;
  gnutls_x509_crt_t *chain;
  unsigned chain_length;
  gnutls_x509_privkey_t private_key;
};

static enum armdyn_status read_file(const char *option, const char *path, gnutls_datum_t *content,
                                    struct armdyn_error *error)
{
  errno = 0;
  if (!gnutls_load_file(path, content)) return ARMDYN_OK;
  return armdyn_refuse(error, ARMDYN_EINPUT, "", "%s: cannot read '%s': %s", option, path,
                       errno ? strerror(errno) : "it is no file");
}

static enum armdyn_status read_certificate(struct files *files, const char *path, struct armdyn_error *error)
{
  enum armdyn_status status = read_file("--tls-certificate", path, &files->certificate, error);
  if (status) return status;
  int rc = gnutls_x509_crt_list_import2(&files->chain, &files->chain_length, &files->certificate, GNUTLS_X509_FMT_PEM,
                                        GNUTLS_X509_CRT_LIST_FAIL_IF_UNSORTED);
  if (rc < 0)
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "--tls-certificate: '%s' holds no PEM certificate chain: %s", path,
                         gnutls_strerror(rc));
  return ARMDYN_OK;
}

static enum armdyn_status read_key(struct files *files, const char *path, struct armdyn_error *error)
{
  enum armdyn_status status = read_file("--tls-key", path, &files->key, error);
  struct stat about;
  if (status) return status;
  if (!stat(path, &about) && (about.st_mode & S_IROTH))
    log_event(LOG_WARNING, "the TLS key file can be read by everybody on this machine", "file", path, NULL);
  int rc = gnutls_x509_privkey_init(&files->private_key);
  if (!rc) rc = gnutls_x509_privkey_import2(files->private_key, &files->key, GNUTLS_X509_FMT_PEM, NULL, 0);
  if (rc < 0)
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "--tls-key: '%s' holds no PEM key without a password: %s", path,
                         gnutls_strerror(rc));
  return ARMDYN_OK;
}

static void release_files(struct files *files)
{
  for (unsigned i = 0; i < files->chain_length; i++) gnutls_x509_crt_deinit(files->chain[i]);
  gnutls_free(files->chain);
  if (files->private_key) gnutls_x509_privkey_deinit(files->private_key);
  if (files->key.data) sodium_memzero(files->key.data, files->key.size);
  gnutls_free(files->key.data);
  gnutls_free(files->certificate.data);
}

static enum armdyn_status bring_together(struct identity *id, const struct files *files, const char *certificate,
                                         const char *key, struct armdyn_error *error)
{
  int rc = gnutls_certificate_set_x509_key(id->credentials, files->chain, (int)files->chain_length, files->private_key);
  if (rc == GNUTLS_E_CERTIFICATE_KEY_MISMATCH)
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "--tls-key: '%s' is not the key of the certificate in '%s'", key,
                         certificate);
  if (rc < 0)
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "--tls-certificate: '%s' cannot be used: %s", certificate,
                         gnutls_strerror(rc));
  time_t expires = gnutls_x509_crt_get_expiration_time(files->chain[0]);
  char when[TIME_SIZE];
  id->expires = (int64_t)expires;
  clock_format(id->expires * 1000, when);
  if (expires <= time(NULL))
    log_event(LOG_WARNING, "the TLS certificate has expired: clients will refuse it", "file", certificate, "expired_at",
              when, NULL);
  else
    log_event(LOG_INFO, "TLS certificate", "file", certificate, "expires_at", when, NULL);
  return ARMDYN_OK;
}

static bool prepare(struct identity *id)
{
  return !gnutls_certificate_allocate_credentials(&id->credentials) &&
         !gnutls_priority_init(&id->priority, ciphers, NULL) && !gnutls_session_ticket_key_generate(&id->ticket_key);
}

enum armdyn_status identity_read(const char *certificate, const char *key, struct identity **out,
                                 struct armdyn_error *error)
{
  struct files files = { 0 };
  struct identity *id = calloc(1, sizeof *id);
  if (!id) return ARMDYN_EMEMORY;
  atomic_init(&id->references, 1);
  enum armdyn_status status = prepare(id) ? ARMDYN_OK : ARMDYN_EMEMORY;
  if (!status) status = read_certificate(&files, certificate, error);
  if (!status) status = read_key(&files, key, error);
  if (!status) status = bring_together(id, &files, certificate, key, error);
  release_files(&files);
  if (!status)
    *out = id;
  else
    identity_release(id);
  return status;
}

struct identity *identity_hold(struct identity *identity)
{
  atomic_fetch_add(&identity->references, 1);
  return identity;
}

void identity_release(struct identity *id)
{
  if (!id || atomic_fetch_sub(&id->references, 1) > 1) return;
  if (id->credentials) gnutls_certificate_free_credentials(id->credentials);
  if (id->priority) gnutls_priority_deinit(id->priority);
  if (id->ticket_key.data) sodium_memzero(id->ticket_key.data, id->ticket_key.size);
  gnutls_free(id->ticket_key.data);
  free(id);
}

gnutls_session_t identity_session(struct identity *id)
{
  static const char http[] = "http/1.1";
  const gnutls_datum_t protocol = { (unsigned char *)(uintptr_t)http, sizeof http - 1 };
  gnutls_session_t session;
  if (gnutls_init(&session, GNUTLS_SERVER | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL)) return NULL;
  if (!gnutls_priority_set(session, id->priority) &&
      !gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, id->credentials) &&
      !gnutls_session_ticket_enable_server(session, &id->ticket_key) &&
      !gnutls_alpn_set_protocols(session, &protocol, 1, 0))
    return session;
  gnutls_deinit(session);
  return NULL;
}

int64_t identity_expires(const struct identity *identity)
{
  return identity->expires;
}
