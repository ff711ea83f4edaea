#include "server/cmd/model.h"

#include <errno.h>

#include "api/codec/robot.h"

bool model_read(const char *command, const char *path, struct buffer *text)
{
  FILE *file = fopen(path, "rb");
  char piece[4096];
  if (file) {
    for (size_t n; (n = fread(piece, 1, sizeof piece, file)) > 0;) buffer_append(text, piece, n);
  }
  const bool good = file && !ferror(file) && buffer_ok(text);
  if (!good) {
    const char *why = file && !buffer_ok(text) ? armdyn_status_text(text->failure) : strerror(errno);
    fprintf(stderr, "armdyn %s: cannot read %s: %s\n", command, path, why);
  }
  if (file) fclose(file);
  return good;
}

struct armdyn_robot *model_robot(const char *command, const char *from, const struct buffer *text)
{
  struct armdyn_robot_description *description = malloc(sizeof *description);
  struct faults *faults = calloc(1, sizeof *faults);
  struct armdyn_robot *robot = NULL;
  struct armdyn_error error = { "", "" };
  if (!description || !faults) {
    fprintf(stderr, "armdyn %s: out of memory\n", command);
  } else if (robot_decode(text->data ? text->data : "", text->length, true, description, NULL, faults)) {
    fprintf(stderr, "armdyn %s: %s is no robot model: %s %s\n", command, from, faults->items[0].where,
            faults->items[0].detail);
  } else if (armdyn_robot_new(description, &robot, &error)) {
    fprintf(stderr, "armdyn %s: %s: %s %s\n", command, from, error.pointer, error.message);
  }
  free(faults);
  free(description);
  return robot;
}
