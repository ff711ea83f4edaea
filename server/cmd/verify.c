/* `armdyn verify`: a bundle of `make dist` is whole, unchanged, and signed by whom it should be. */
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <sodium.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/limits.h"
#include "api/wire/buffer.h"
#include "server/cmd/command.h"
#include "server/cmd/flags.h"
#include "server/release/sums.h"

static const char usage[] =
    "usage: armdyn verify BUNDLE --key FILE\n\n"
    "Looks whether BUNDLE, the folder that `make dist` made, was signed by the holder of a key, and whether every file "
    "is there,\n"
    "as it was, and no other one. Changes nothing. Exit status 0: it is; 1: it is not, install nothing of it.\n\n"
    "  --key FILE           the builder's public key (Ed25519, PEM), from another way than the bundle came\n";

enum { SMALL = 1024 * 1024, PATH_SIZE = 4096 };
static const char sums_name[] = "SHA256SUMS", signature_name[] = "SHA256SUMS.sig";

/* What is looked at. */
struct bundle {
  const char *folder, *key_file;
  struct sums sums;
  size_t faults;
};

static void fault(struct bundle *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void fault(struct bundle *b, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  fputs("armdyn verify: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  b->faults++;
}

/* Pieces of a file, until there are no more. false: errno says why. */
static bool read_file(const char *path, void (*take)(void *context, const char *bytes, size_t length), void *context)
{
  char piece[65536];
  ssize_t n = -1;
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return false;
  while ((n = read(fd, piece, sizeof piece)) > 0) take(context, piece, (size_t)n);
  const int why = errno;
  close(fd);
  errno = why;
  return n == 0;
}

static void into_buffer(void *context, const char *bytes, size_t length)
{
  buffer_append(context, bytes, length);
}

static void into_hash(void *context, const char *bytes, size_t length)
{
  crypto_hash_sha256_update(context, (const unsigned char *)bytes, length);
}

/* A small file of the bundle, or anywhere. false: told. */
static bool read_small(struct bundle *b, const char *path, struct buffer *text)
{
  if (!read_file(path, into_buffer, text))
    fault(b, "cannot read %s: %s", path, strerror(errno));
  else if (!buffer_ok(text))
    fault(b, "%s is too large to be one: more than %d bytes", path, SMALL);
  else
    return true;
  return false;
}

/* The sums are those that the holder of the key signed. */
static bool check_signature(struct bundle *b, const struct buffer *sums)
{
  unsigned char key[SIGNING_KEY_SIZE];
  char path[PATH_SIZE];
  struct armdyn_error error = { "", "" };
  struct buffer pem = BUFFER(SMALL), signature = BUFFER(SMALL);
  snprintf(path, sizeof path, "%s/%s", b->folder, signature_name);
  if (access(path, F_OK))
    fault(b, "%s has no %s: who built it gave no key, so nobody can say from whom it is", b->folder, signature_name);
  else if (read_small(b, b->key_file, &pem) && read_small(b, path, &signature)) {
    if (signing_key_parse(pem.data ? pem.data : "", pem.length, key, &error))
      fault(b, "--key %s: %s", b->key_file, error.message);
    else if (signature.length != crypto_sign_BYTES)
      fault(b, "%s is no Ed25519 signature: it has %zu bytes, not %u", path, signature.length, crypto_sign_BYTES);
    else if (crypto_sign_verify_detached((const unsigned char *)signature.data, (const unsigned char *)sums->data,
                                         sums->length, key))
      fault(b,
            "%s/%s was not signed by the holder of %s: it was changed since, or that is another's key. Install nothing "
            "of it",
            b->folder, sums_name, b->key_file);
  }
  buffer_release(&pem);
  buffer_release(&signature);
  return !b->faults;
}

static void check_file(struct bundle *b, const FTSENT *entry)
{
  const char *name = entry->fts_path + strlen(b->folder) + 1;
  struct sum *sum = sums_find(&b->sums, name);
  if (!sum) {
    fault(b, "%s is not one of the files that were signed", name);
    return;
  }
  sum->found = true;
  if (entry->fts_info != FTS_F) {
    fault(b, "%s is no file", name);
    return;
  }
  unsigned char hash[SUM_SIZE];
  crypto_hash_sha256_state state;
  crypto_hash_sha256_init(&state);
  if (!read_file(entry->fts_path, into_hash, &state)) {
    fault(b, "cannot read %s: %s", name, strerror(errno));
    return;
  }
  crypto_hash_sha256_final(&state, hash);
  if (memcmp(hash, sum->hash, sizeof hash) != 0)
    fault(b, "%s is not what was signed: it was changed, or badly copied", name);
}

/* The two files that speak of the others. */
static bool is_about(const FTSENT *entry)
{
  return entry->fts_level == 1 && entry->fts_info == FTS_F &&
         (!strcmp(entry->fts_name, sums_name) || !strcmp(entry->fts_name, signature_name));
}

static void check_files(struct bundle *b)
{
  char folder[PATH_SIZE];
  snprintf(folder, sizeof folder, "%s", b->folder);
  char *const roots[] = { folder, NULL };
  FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
  if (!tree) {
    fault(b, "cannot read %s: %s", folder, strerror(errno));
    return;
  }
  for (const FTSENT *entry; (entry = fts_read(tree));) {
    if (entry->fts_info == FTS_D || entry->fts_info == FTS_DP || is_about(entry)) continue;
    if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR || entry->fts_info == FTS_NS)
      fault(b, "cannot read %s: %s", entry->fts_path, strerror(entry->fts_errno));
    else
      check_file(b, entry);
  }
  fts_close(tree);
  for (size_t i = 0; i < b->sums.count; i++)
    if (!b->sums.items[i].found) fault(b, "%s is missing", b->sums.items[i].name);
}

static void check(struct bundle *b)
{
  char path[PATH_SIZE];
  struct stat info;
  struct armdyn_error error = { "", "" };
  struct buffer text = BUFFER(SMALL);
  if (stat(b->folder, &info)) {
    fault(b, "cannot read %s: %s", b->folder, strerror(errno));
    return;
  }
  if (!S_ISDIR(info.st_mode)) {
    fault(b, "%s is a file: unpack it (tar -xf) and name the folder", b->folder);
    return;
  }
  if ((size_t)snprintf(path, sizeof path, "%s/%s", b->folder, sums_name) >= sizeof path) {
    fault(b, "the path %.64s... is too long", b->folder);
  } else if (access(path, F_OK)) {
    fault(b, "%s has no %s: it is no bundle of `make dist`, or was not copied whole", b->folder, sums_name);
  } else if (read_small(b, path, &text) && check_signature(b, &text)) {
    if (sums_parse(text.data ? text.data : "", text.length, &b->sums, &error))
      fault(b, "%s: %s", path, error.message);
    else
      check_files(b);
    sums_release(&b->sums);
  }
  buffer_release(&text);
}

/* As flags_read. */
static int read_arguments(int argc, char **argv, struct bundle *b)
{
  const struct flag flags[] = { { "key", &b->key_file, NULL }, { 0 } };
  int rest;
  const int wrong = flags_read(argc, argv, flags, usage, &rest);
  if (wrong) return wrong;
  char *folder = argv[argc - 1];
  if (rest != 1 || !b->key_file || !*folder) return flags_refuse(usage);
  for (size_t length = strlen(folder); length > 1 && folder[length - 1] == '/';) folder[--length] = '\0';
  b->folder = folder;
  return 0;
}

int command_verify(int argc, char **argv)
{
  struct bundle b = { 0 };
  const int wrong = read_arguments(argc, argv, &b);
  if (wrong) return wrong - 1;
  check(&b);
  if (b.faults) return 1;
  printf("%s is whole, and signed by the holder of %s\n", b.folder, b.key_file);
  return 0;
}
