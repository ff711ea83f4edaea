/* `armdyn upgrade --check`: what the upgrade of a store to this program would take, tried on a copy. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "armdyn/armdyn.h"
#include "server/cmd/command.h"
#include "server/cmd/flags.h"
#include "server/release/notes.h"
#include "server/store/trial.h"

static const char usage[] =
    "usage: armdyn upgrade --check [NEW] [--since VERSION] [--data DIR]\n"
    "       armdyn upgrade --store ADDRESS\n\n"
    "Brings a copy of the store to the schema of this program, or of the program NEW, and tells how long that took, "
    "what "
    "room it\n"
    "needs, whether all is whole afterwards, and what answers differently. The store itself stays as it is, whether or "
    "not a\n"
    "service runs. Needs room for three times the store on its disk; all of it is given back. Exit status 0: the "
    "upgrade "
    "would\n"
    "go well; 1: it would not.\n\n"
    "With --store: brings the tables in PostgreSQL to the schema of this program, as a role that may make tables; "
    "armdyn\n"
    "serve does it, too, if its own role may. No service may hold the store meanwhile.\n\n"
    "  NEW                  another armdyn, to upgrade to: its file\n"
    "  --since VERSION      what answers differently since then; with NEW: since this program\n"
    "  --data DIR           directory of the store; default: ARMDYN_DATA, or armdyn-data\n";

enum {
  COPIES = 3
}; /* of the store on its disk: the trial's, the one that it leaves as the way back, what it rewrites */
static const double MIB = 1024.0 * 1024;

struct upgrade {
  const char *data, *since, *program, *store;
  bool check;
};

/* As flags_read. */
static int read_arguments(int argc, char **argv, struct upgrade *u)
{
  *u = (struct upgrade){ .data = FLAG_DATA_DEFAULT };
  const struct flag flags[] = { { "check", NULL, &u->check },
                                { "since", &u->since, NULL },
                                { "store", &u->store, NULL },
                                { "data", &u->data, NULL },
                                { 0 } };
  int rest;
  const int wrong = flags_read(argc, argv, flags, usage, &rest);
  if (wrong) return wrong;
  if (rest == 1) u->program = argv[argc - 1];
  const bool alone = !u->check && !u->program && !u->since;
  return rest <= 1 && (u->store ? alone : u->check && !(u->program && u->since)) ? 0 : flags_refuse(usage);
}

static int fail(const char *message)
{
  fprintf(stderr, "armdyn upgrade: %s\n", message);
  return 1;
}

/* The program that is to come knows its migrations itself. */
static int ask(const struct upgrade *u)
{
  execv(u->program, (char *[]){ (char *)(uintptr_t)u->program, "upgrade", "--check", "--since",
                                (char *)(uintptr_t)armdyn_version(), "--data", (char *)(uintptr_t)u->data, NULL });
  fprintf(stderr, "armdyn upgrade: cannot run %s: %s\n", u->program, strerror(errno));
  return 1;
}

/* Its own name is that of no node, so a service that holds the store keeps it. */
static int migrate_server(const struct upgrade *u)
{
  struct armdyn_error error = { "", "" };
  int before = 0, now = 0;
  const enum armdyn_status status = store_migrate(u->store, &before, &now, &error);
  if (status) return fail(*error.message ? error.message : armdyn_status_text(status));
  if (before == now)
    printf("schema %d, as this program has it\n", now);
  else
    printf("schema %d, which was %d\n", now, before);
  return 0;
}

static int64_t size_of(const char *path)
{
  struct stat info;
  char log[STORE_PATH_SIZE];
  int64_t size = stat(path, &info) ? 0 : info.st_size;
  if (snprintf(log, sizeof log, "%s-wal", path) < (int)sizeof log && !stat(log, &info)) size += info.st_size;
  return size;
}

static double room_left(const char *folder)
{
  struct statvfs disk;
  return statvfs(folder, &disk) ? HUGE_VAL : (double)disk.f_bavail * (double)disk.f_frsize;
}

static void remove_files(const char *folder)
{
  DIR *files = opendir(folder);
  for (const struct dirent *entry; files && (entry = readdir(files));) unlinkat(dirfd(files), entry->d_name, 0);
  if (files) closedir(files);
}

/* An empty folder in `data` that is ours until its descriptor is closed; what a trial that was broken off left there goes. */
static int make_folder(const char *data, char folder[STORE_PATH_SIZE])
{
  snprintf(folder, STORE_PATH_SIZE, "%.4000s/upgrade-check", data);
  const int fd = mkdir(folder, 0700) && errno != EEXIST ? -1 : open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) {
    fprintf(stderr, "armdyn upgrade: cannot write to %s: %s\n", data, strerror(errno));
  } else if (flock(fd, LOCK_EX | LOCK_NB)) {
    fprintf(stderr, "armdyn upgrade: another one tries the upgrade of %s\n", data);
    close(fd);
    return -1;
  } else {
    remove_files(folder);
  }
  return fd;
}

static void tell(const struct upgrade *u, const struct store_trial *trial)
{
  struct buffer changed = BUFFER(MB(1));
  printf("store     schema %d, %.1f MiB\n", trial->version, (double)trial->bytes / MIB);
  printf("upgrade   to armdyn %s, schema %d: %.1f s for a copy on this disk, in which a service would answer nothing\n",
         armdyn_version(), trial->newest, trial->seconds);
  printf("room      %.1f MiB beside the store, with the copy of it that is the way back; %.1f MiB are free\n",
         (double)trial->room / MIB, room_left(u->data) / MIB);
  printf("whole     before and after\n");
  release_notes_changed(u->since, &changed);
  printf("what answers differently since %s:\n", u->since ? u->since : "the version before");
  for (const char *line = buffer_ok(&changed) && changed.data ? changed.data : ""; *line;) {
    const int length = (int)strcspn(line, "\n");
    printf("  - %.*s\n", length, line);
    line += length + (line[length] == '\n');
  }
  buffer_release(&changed);
}

static int check(const struct upgrade *u)
{
  struct armdyn_error error = { "", "" };
  struct store_trial trial;
  char path[STORE_PATH_SIZE], folder[STORE_PATH_SIZE];
  if (store_file(u->data, path, &error)) return fail(error.message);
  const double needed = COPIES * (double)size_of(path), left = room_left(u->data);
  if (needed > left) {
    fprintf(stderr, "armdyn upgrade: the trial needs %.1f MiB beside the store in %s, %.1f MiB are free\n",
            needed / MIB, u->data, left / MIB);
    return 1;
  }
  const int fd = make_folder(u->data, folder);
  if (fd < 0) return 1;
  const enum armdyn_status status = store_try_upgrade(path, folder, &trial, &error);
  remove_files(folder);
  rmdir(folder);
  close(fd);
  if (status) return fail(*error.message ? error.message : armdyn_status_text(status));
  tell(u, &trial);
  return 0;
}

int command_upgrade(int argc, char **argv)
{
  struct upgrade u;
  const int wrong = read_arguments(argc, argv, &u);
  if (wrong) return wrong - 1;
  if (u.store) return migrate_server(&u);
  return u.program ? ask(&u) : check(&u);
}
