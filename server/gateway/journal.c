#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "server/gateway/journal.h"

enum { PATH_MOST = 2048 };

/* Written as a whole by one binary and read by the same; the magic changes with the struct. */
struct entry {
  uint64_t magic;
  int64_t at_ms;
  struct transfer_report end;
};
static const uint64_t entry_magic = 0x41444A31ull << 32 | sizeof(struct entry);

static void path_of(char path[PATH_MOST], const char *dir, const char *transfer, const char *suffix)
{
  snprintf(path, PATH_MOST, "%s/%s.%s", dir, transfer, suffix);
}

static bool write_durably(int fd, const void *bytes, size_t length)
{
  return write(fd, bytes, length) == (ssize_t)length && !fdatasync(fd);
}

static void sync_folder(const char *dir)
{
  int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  fsync(fd);
  close(fd);
}

void journal_reserve(const char *dir, const char *transfer)
{
  static const struct entry nothing;
  char draft[PATH_MOST];
  path_of(draft, dir, transfer, "draft");
  int fd = open(draft, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return;
  (void)!write(fd, &nothing, sizeof nothing); /* zeros, not a hole */
  close(fd);
}

enum armdyn_status journal_write(const char *dir, const char *transfer, int64_t at_ms,
                                 const struct transfer_report *end)
{
  char draft[PATH_MOST], path[PATH_MOST];
  struct entry entry;
  memset(&entry, 0, sizeof entry); /* padding too: it goes to the disk */
  entry.magic = entry_magic;
  entry.at_ms = at_ms;
  entry.end = *end;
  path_of(draft, dir, transfer, "draft");
  path_of(path, dir, transfer, "end");

  int fd = open(draft, O_WRONLY | O_CREAT | O_CLOEXEC, 0600); /* over what is reserved */
  if (fd < 0) return ARMDYN_EIO;
  bool written = write_durably(fd, &entry, sizeof entry);
  close(fd);
  if (!written || rename(draft, path)) {
    unlink(draft);
    return ARMDYN_EIO;
  }
  sync_folder(dir);
  return ARMDYN_OK;
}

enum armdyn_status journal_read(const char *dir, const char *transfer, int64_t *at_ms, struct transfer_report *end)
{
  char path[PATH_MOST];
  struct entry entry;
  path_of(path, dir, transfer, "end");
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return ARMDYN_ENOTFOUND;
  ssize_t n = read(fd, &entry, sizeof entry);
  close(fd);
  bool sound = n == (ssize_t)sizeof entry && entry.magic == entry_magic &&
               (unsigned)entry.end.state < TRANSFER_STATE_COUNT && entry.end.problem < PROBLEM_COUNT &&
               memchr(entry.end.reason, '\0', sizeof entry.end.reason);
  if (!sound) return ARMDYN_ENOTFOUND;
  *at_ms = entry.at_ms;
  *end = entry.end;
  return ARMDYN_OK;
}

void journal_remove(const char *dir, const char *transfer)
{
  char path[PATH_MOST];
  path_of(path, dir, transfer, "end");
  unlink(path);
  path_of(path, dir, transfer, "draft");
  unlink(path);
}

enum armdyn_status endpoint_lock(const char *dir, const struct controller_address *address, int *fd,
                                 struct armdyn_error *error)
{
  char path[PATH_MOST];
  snprintf(path, sizeof path, "%s/%s_%u_%u_%u.lock", dir, *address->peer ? address->peer : address->host, address->port,
           address->unit, address->base);
  *fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (*fd >= 0 && !flock(*fd, LOCK_EX | LOCK_NB)) return ARMDYN_OK;
  int why = errno;
  if (*fd >= 0) close(*fd);
  *fd = -1;
  if (why == EWOULDBLOCK)
    return armdyn_refuse(error, ARMDYN_EBUSY, "", "an earlier gateway still ends its transfer there");
  return armdyn_refuse(error, ARMDYN_EIO, "", "cannot lock %s: %s", path, strerror(why));
}
