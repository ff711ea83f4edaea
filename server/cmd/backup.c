/* `armdyn backup` and `armdyn restore`: checked copies of the store. */
#include <stdlib.h>

#include "server/cmd/command.h"
#include "server/cmd/flags.h"
#include "server/store/store.h"

static const char backup_usage[] =
    "usage: armdyn backup FILE [--data DIR]\n\n"
    "Copies the store to FILE, which must not exist: everything that was acknowledged before it began. The copy is "
    "checked,\n"
    "and gets its name only then. Works whether or not the service runs, and does not stop it.\n\n"
    "  --data DIR           directory of the store; default: ARMDYN_DATA, or armdyn-data\n";
static const char restore_usage[] =
    "usage: armdyn restore FILE [--enable] [--data DIR]\n\n"
    "Checks FILE, a copy that `armdyn backup` made, and makes the store of it. DIR must have no store; nothing is\n"
    "overwritten. An older copy is brought to the present schema when the service starts. Its controllers and "
    "webhooks\n"
    "begin disabled, so that a copy for a try moves no arm and tells nobody; an administrator enables them one by "
    "one.\n\n"
    "  --enable             they stay as they are: the store moves here, and is used nowhere else any more\n"
    "  --data DIR           directory of the store; default: ARMDYN_DATA, or armdyn-data\n";

/* As flags_read. enable: NULL: there is no such switch. */
static int read_arguments(int argc, char **argv, const char *usage, const char **file, const char **data, bool *enable)
{
  const struct flag flags[] = { { "data", data, NULL }, { enable ? "enable" : NULL, NULL, enable }, { 0 } };
  int rest;
  *data = FLAG_DATA_DEFAULT;
  const int wrong = flags_read(argc, argv, flags, usage, &rest);
  if (wrong) return wrong;
  if (rest != 1) return flags_refuse(usage);
  *file = argv[argc - 1];
  return 0;
}

/* A copy of a file beside a server would be one of an empty store. */
static enum armdyn_status refuse_server(const char *what, struct armdyn_error *error)
{
  if (!*command_store_address()) return ARMDYN_OK;
  return armdyn_refuse(
      error, ARMDYN_EINPUT, "",
      "the store is in PostgreSQL (ARMDYN_STORE) and is %s as that is: pg_dump, pg_restore, or what the"
      " plant has for it",
      what);
}

static int finish(const char *name, enum armdyn_status status, const struct armdyn_error *error, const char *file)
{
  if (!status)
    printf("%s\n", file);
  else
    fprintf(stderr, "armdyn %s: %s\n", name, *error->message ? error->message : armdyn_status_text(status));
  return status ? 1 : 0;
}

int command_backup(int argc, char **argv)
{
  const char *file = NULL, *data;
  struct armdyn_error error = { "", "" };
  char path[STORE_PATH_SIZE];
  int usage = read_arguments(argc, argv, backup_usage, &file, &data, NULL);
  if (usage) return usage - 1;
  enum armdyn_status status = refuse_server("backed up", &error);
  if (!status) status = store_file(data, path, &error);
  if (!status) status = store_backup(path, file, &error);
  return finish("backup", status, &error, file);
}

int command_restore(int argc, char **argv)
{
  const char *file = NULL, *data;
  struct armdyn_error error = { "", "" };
  bool enable = false;
  int usage = read_arguments(argc, argv, restore_usage, &file, &data, &enable);
  if (usage) return usage - 1;
  enum armdyn_status status = refuse_server("restored", &error);
  if (!status) status = store_restore(file, data, enable, &error);
  return finish("restore", status, &error, data);
}
