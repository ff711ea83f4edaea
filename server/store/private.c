/* Who may read the files of a data directory: nobody but their owner. */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/store/store.h"

enum { OTHERS = 077 };

/* Of the store: the database, its log, and its copies from before a migration. */
static bool is_ours(const char *name)
{
  return !strncmp(name, "armdyn", strlen("armdyn"));
}

/* Call visit for every file of the store that others may read, until it says no. */
static void each_open_file(const char *dir, bool (*visit)(void *context, int dir, const char *name, mode_t mode),
                           void *context)
{
  DIR *list = opendir(dir);
  struct stat info;
  if (!list) return;
  for (const struct dirent *entry; (entry = readdir(list));) {
    if (!is_ours(entry->d_name) || fstatat(dirfd(list), entry->d_name, &info, AT_SYMLINK_NOFOLLOW)) continue;
    if (!S_ISREG(info.st_mode) || !(info.st_mode & OTHERS)) continue;
    if (!visit(context, dirfd(list), entry->d_name, info.st_mode)) break;
  }
  closedir(list);
}

static bool tighten(void *context, int dir, const char *name, mode_t mode)
{
  (void)context;
  (void)!fchmodat(dir, name, mode & ~(mode_t)OTHERS & 07777, 0); /* another's stay as they are, for doctor to tell */
  return true;
}

void store_tighten(const char *dir)
{
  each_open_file(dir, tighten, NULL);
}

static bool tell(void *context, int dir, const char *name, mode_t mode)
{
  (void)dir;
  snprintf(context, STORE_OPEN_FILE_SIZE, "%.200s (mode %03o)", name, (unsigned)mode & 0777);
  return false;
}

bool store_open_to_others(const char *dir, char file[STORE_OPEN_FILE_SIZE])
{
  *file = '\0';
  each_open_file(dir, tell, file);
  return *file != '\0';
}
