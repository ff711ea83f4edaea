#include "server/webhooks/authority.h"

#include <errno.h>
#include <fcntl.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <string.h>
#include <unistd.h>

static int64_t first_end(gnutls_x509_crt_t *certificates, unsigned count)
{
  int64_t first = INT64_MAX;
  for (unsigned i = 0; i < count; i++) {
    const int64_t end = gnutls_x509_crt_get_expiration_time(certificates[i]);
    if (end < first) first = end;
  }
  return first;
}

static enum armdyn_status read_all(const char *file, gnutls_datum_t *bytes, struct armdyn_error *error)
{
  const int fd = open(file, O_RDONLY | O_CLOEXEC); /* gnutls_load_file does not say why it failed */
  if (fd < 0)
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "--webhook-ca: cannot read '%s': %s", file, strerror(errno));
  close(fd);
  const int code = gnutls_load_file(file, bytes);
  if (!code) return ARMDYN_OK;
  return armdyn_refuse(error, ARMDYN_EINPUT, "", "--webhook-ca: cannot read '%s': %s", file, gnutls_strerror(code));
}

enum armdyn_status authority_read(const char *file, struct authority *authority, struct armdyn_error *error)
{
  gnutls_datum_t bytes = { NULL, 0 };
  gnutls_x509_crt_t *certificates = NULL;
  unsigned count = 0;
  enum armdyn_status status = read_all(file, &bytes, error);
  if (status) return status;
  const int code = gnutls_x509_crt_list_import2(&certificates, &count, &bytes, GNUTLS_X509_FMT_PEM, 0);
  if (code < 0 || !count)
    status = armdyn_refuse(error, ARMDYN_EINPUT, "", "--webhook-ca: '%s' holds no certificates in PEM: %s", file,
                           code < 0 ? gnutls_strerror(code) : "it is empty");
  else
    *authority = (struct authority){ count, first_end(certificates, count) };
  for (unsigned i = 0; certificates && i < count; i++) gnutls_x509_crt_deinit(certificates[i]);
  gnutls_free(certificates);
  gnutls_free(bytes.data);
  return status;
}
