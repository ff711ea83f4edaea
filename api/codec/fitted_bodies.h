/* Bodies that are fitted to an arm's meshes or lengths: what is asked, and what is proposed. */
#ifndef API_CODEC_FITTED_BODIES_H
#define API_CODEC_FITTED_BODIES_H

#include "api/json/writer.h"
#include "api/limits.h"
#include "api/wire/buffer.h"
#include "api/wire/faults.h"
#include "armdyn/clearance.h"
#include "armdyn/enclose.h"

enum fit_source { FIT_MESHES, FIT_LENGTHS };

struct fitted_bodies_request {
  int from;       /* enum fit_source */
  double margin;  /* m */
  double radius;  /* m, of lengths */
  unsigned kinds; /* bits, of meshes */
  long long most; /* bodies of a part, of meshes */
};

/* OK, ESYNTAX, EINPUT. */
enum armdyn_status fitted_bodies_decode(const char *body, size_t length, struct fitted_bodies_request *out,
                                        struct faults *faults);

/* What was fitted to one part. */
struct fitted_part {
  int part;
  size_t triangles;
  double volume; /* m^3 of its bodies */
};

struct fitted_bodies {
  const struct fitted_bodies_request *request;
  struct armdyn_robot_description *robot; /* with the bodies in it */
  long long revision;
  void (*write_row)(struct json_writer *w, const void *row); /* as of struct robot_resource, of that revision */
  const void *row;
  size_t part_count;
  struct fitted_part parts[ARMDYN_JOINTS_MAX + 1];
  size_t missing_count;
  const char *missing[ARMDYN_VISUALS_MAX]; /* names of meshes that were not uploaded */
  double q[ARMDYN_JOINTS_MAX];             /* where the arm is held against itself */
  char a[ARMDYN_NAME_SIZE], b[ARMDYN_NAME_SIZE];
  struct armdyn_clearance clearance; /* its names are those */
};
void fitted_bodies_encode(struct buffer *out, const struct fitted_bodies *fitted);

#endif
