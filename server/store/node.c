#include "server/store/node.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

static enum armdyn_status refuse(struct armdyn_error *error, const char *what, const char *path)
{
  const int why = errno;
  return armdyn_refuse(error, why == ENOSPC || why == EDQUOT ? ARMDYN_EFULL : ARMDYN_EIO, "", "cannot %s %.120s: %s",
                       what, path, strerror(why));
}

static enum armdyn_status read_node(int fd, const char *path, char node[ID_SIZE], struct armdyn_error *error)
{
  const ssize_t got = read(fd, node, ID_SIZE - 1);
  if (got < 0) return refuse(error, "read", path);
  node[got] = '\0';
  if (strspn(node, "0123456789ABCDEFGHJKMNPQRSTVWXYZ") == ID_SIZE - 1) return ARMDYN_OK;
  return armdyn_refuse(error, ARMDYN_EINPUT, "", "%.160s holds no name of a node: remove it", path);
}

static enum armdyn_status make_node(const char *path, char node[ID_SIZE], struct armdyn_error *error)
{
  id_make(node);
  const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return refuse(error, "make", path);
  const bool kept = dprintf(fd, "%s\n", node) > 0 && !fsync(fd);
  const enum armdyn_status status = kept ? ARMDYN_OK : refuse(error, "write", path);
  close(fd);
  if (status) unlink(path);
  return status;
}

enum armdyn_status store_node(const char *dir, char node[ID_SIZE], struct armdyn_error *error)
{
  char path[PATH_SIZE];
  if (snprintf(path, sizeof path, "%s/node", dir) >= (int)sizeof path)
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "the path %.160s is too long", dir);
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return errno == ENOENT ? make_node(path, node, error) : refuse(error, "read", path);
  const enum armdyn_status status = read_node(fd, path, node, error);
  close(fd);
  return status;
}
