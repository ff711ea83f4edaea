#include "server/http/audit_shelf.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/store/store.h"

enum { ROOM = 256 * 1024, /* hundreds of entries */ BLOCK = 4096 };

/* The file is one C string of lines with room behind its end, so that a byte ends it. */
struct audit_shelf {
  int fd; /* -1: it cannot be had */
  size_t room, used;
};

static bool write_at(int fd, const void *bytes, size_t size, size_t at)
{
  return pwrite(fd, bytes, size, (off_t)at) == (ssize_t)size;
}

/* Zeros, not a hole: they are on the disk. */
static void take_room(struct audit_shelf *shelf)
{
  static const char zeros[BLOCK];
  if (shelf->fd < 0 || shelf->room >= ROOM) return;
  while (shelf->room < ROOM && write_at(shelf->fd, zeros, sizeof zeros, shelf->room)) shelf->room += sizeof zeros;
  (void)fsync(shelf->fd);
}

static void read_lines(struct audit_shelf *shelf, void (*each)(void *context, const char *line), void *context)
{
  char *text = calloc(1, ROOM + 1);
  ssize_t length = text ? pread(shelf->fd, text, ROOM, 0) : -1;
  char *line = text;
  for (char *end; length > 0 && (end = strchr(line, '\n')); line = end + 1) { /* one that was cut off has no end */
    *end = '\0';
    each(context, line);
  }
  shelf->used = (size_t)(line - text);
  free(text);
}

struct audit_shelf *audit_shelf_open(const char *store, void (*each)(void *context, const char *line), void *context)
{
  char path[STORE_PATH_SIZE];
  struct stat file;
  struct audit_shelf *shelf = calloc(1, sizeof *shelf);
  if (!shelf) return NULL;
  int length = snprintf(path, sizeof path, "%s-audit", store); /* it goes where the store's files go */
  shelf->fd = length < (int)sizeof path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
  if (shelf->fd < 0 || fstat(shelf->fd, &file)) return shelf;
  shelf->room = (size_t)file.st_size / BLOCK * BLOCK;
  read_lines(shelf, each, context);
  take_room(shelf);
  return shelf;
}

void audit_shelf_close(struct audit_shelf *shelf)
{
  if (!shelf) return;
  if (shelf->fd >= 0) close(shelf->fd);
  free(shelf);
}

bool audit_shelf_put(struct audit_shelf *shelf, const char *line)
{
  const size_t length = strlen(line);
  if (shelf->used + length + 2 > shelf->room) return false;
  char *text = malloc(length + 2);
  if (!text) return false;
  memcpy(text, line, length);
  memcpy(text + length, "\n", 2);
  bool kept = write_at(shelf->fd, text, length + 2, shelf->used) && !fdatasync(shelf->fd);
  free(text);
  if (kept) shelf->used += length + 1;
  return kept;
}

void audit_shelf_clear(struct audit_shelf *shelf)
{
  take_room(shelf);
  if (!shelf->used || !write_at(shelf->fd, "", 1, 0)) return;
  (void)fdatasync(shelf->fd);
  shelf->used = 0;
}
