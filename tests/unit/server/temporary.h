/* A directory of its own for every test, gone with it. */
#ifndef TESTS_UNIT_SERVER_TEMPORARY_H
#define TESTS_UNIT_SERVER_TEMPORARY_H

#include <dirent.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

static char temporary[PATH_MAX];

static inline void temporary_make(void)
{
  const char *base = getenv("TMPDIR");
  snprintf(temporary, sizeof temporary, "%s/armdyn-test-XXXXXX", base ? base : "/tmp");
  if (!mkdtemp(temporary)) abort();
}

/* Calls visit(path) for every file of the directory whose name contains `part`; returns how many. */
static inline int temporary_each(const char *part, void (*visit)(const char *path))
{
  int count = 0;
  char path[PATH_MAX + 300];
  DIR *dir = opendir(temporary);
  for (struct dirent *e; dir && (e = readdir(dir));) {
    if (e->d_name[0] == '.' || !strstr(e->d_name, part)) continue;
    snprintf(path, sizeof path, "%s/%s", temporary, e->d_name);
    if (visit) visit(path);
    count++;
  }
  if (dir) closedir(dir);
  return count;
}

static inline void temporary_unlink(const char *path)
{
  unlink(path);
}

static inline void temporary_remove(void)
{
  temporary_each("", temporary_unlink);
  rmdir(temporary);
}

#endif
