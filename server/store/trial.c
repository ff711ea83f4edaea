#include "server/store/trial.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of all files in a folder. */
static int64_t bytes_in(const char *folder)
{
  int64_t sum = 0;
  DIR *files = opendir(folder);
  if (!files) return 0;
  for (const struct dirent *entry; (entry = readdir(files));) {
    struct stat info;
    if (!fstatat(dirfd(files), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) && S_ISREG(info.st_mode)) sum += info.st_size;
  }
  closedir(files);
  return sum;
}

static enum armdyn_status read_version(const char *path, struct store_trial *trial, struct armdyn_error *error)
{
  struct store *store;
  enum armdyn_status status = store_open_reader(path, &store, error);
  if (status) return status;
  status = store_examine_schema(store, &trial->version, &trial->newest, error);
  store_close(store);
  return status;
}

enum armdyn_status store_try_upgrade(const char *path, const char *folder, struct store_trial *trial,
                                     struct armdyn_error *error)
{
  char copy[STORE_PATH_SIZE];
  struct store *store;
  *trial = (struct store_trial){ .version = 0 };
  if (access(path, F_OK)) return armdyn_refuse(error, ARMDYN_ENOTFOUND, "", "%s: %s", path, strerror(errno));
  enum armdyn_status status = store_file(folder, copy, error);
  if (!status) status = read_version(path, trial, error);
  if (!status) status = store_backup(path, copy, error);
  if (status) return status;
  trial->bytes = bytes_in(folder);
  const int64_t begun = clock_monotonic_ns();
  if ((status = store_open(folder, &store, error))) return status;
  trial->seconds = 1e-9 * (double)(clock_monotonic_ns() - begun);
  trial->room = bytes_in(folder) - trial->bytes;
  status = store_examine(store, error);
  if (!status) status = store_examine_references(store, error);
  store_close(store);
  return status;
}
