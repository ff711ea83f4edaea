/* The routes are rows of one table (routes.c), matched by whole segments: order cannot matter.
 * To add a call: a handler in its resource's file, declared below, a row, and its path in api/openapi.yaml;
 * tests/contract compares both ways. */
#ifndef SERVER_ROUTES_ROUTE_H
#define SERVER_ROUTES_ROUTE_H

#include <stddef.h>

#include "server/http/exchange.h"

enum http_method { HTTP_GET, HTTP_PUT, HTTP_POST, HTTP_PATCH, HTTP_DELETE, HTTP_METHOD_COUNT };
enum role { ROLE_ANYONE, ROLE_VIEWER, ROLE_OPERATOR, ROLE_ENGINEER, ROLE_ADMIN };
enum where {
  ON_EVENT_THREAD, /* first try inline; a handler that would block answers BLOCKS */
  ON_POOL,         /* touches the disk: always on a thread that may block */
  AT_ONCE          /* a stop: as on an event thread, and taken whatever query, format and small body it comes with */
};

typedef enum outcome route_handler(struct exchange *x);

struct route {
  enum http_method method;
  const char *path; /* "/v1/robots/{robot}/inverse-dynamics" */
  route_handler *handle;
  enum role role;
  enum where where;
  size_t body_most;         /* bytes; 0: no body is taken */
  unsigned bodies;          /* bit mask of TAKES(media): the Content-Types taken; 0: no body */
  unsigned answers;         /* bit mask of TAKES(media) that Accept chooses from; 0: JSON */
  const char *query;        /* names of the query parameters it knows, separated by spaces; others are 422 */
  const char *operation_id; /* as in the OpenAPI file */
};

#define TAKES(media)  (1u << (media))
#define JSON_ONLY     TAKES(MEDIA_JSON)
#define NO_FIELDS     (TAKES(MEDIA_NONE) | TAKES(MEDIA_JSON)) /* nothing, or the empty object that some clients send */
#define MODEL_MEDIA   (TAKES(MEDIA_JSON) | TAKES(MEDIA_XML))
#define SAMPLES_MEDIA (TAKES(MEDIA_JSON) | TAKES(MEDIA_NPY) | TAKES(MEDIA_CSV))

extern const struct route routes[];
extern const size_t route_count;

/* contract.c */
route_handler contract_openapi;
/* system.c */
route_handler system_health, system_ready, system_version, system_problems;
/* robots.c */
route_handler robot_create, robot_list, robot_get, robot_put, robot_delete, robot_revision_list, robot_revision_get;
/* dynamics.c: every call on samples */
route_handler dynamics_call;
/* gravity_map.c */
route_handler gravity_map;
/* base_parameters.c */
route_handler base_parameters;
/* trajectories.c */
route_handler trajectory_create, trajectory_list, trajectory_get, trajectory_delete, trajectory_samples;
/* simulations.c */
route_handler simulation_create, simulation_list, simulation_get, simulation_delete, simulation_samples;
/* jobs.c */
route_handler job_list, job_get, job_cancel;
/* controllers.c */
route_handler controller_create, controller_list, controller_get, controller_put, controller_delete, controller_status,
    controller_stop, controller_clear;
/* transfers.c */
route_handler transfer_create, transfer_list, transfer_get, transfer_arm, transfer_start, transfer_hold,
    transfer_resume, transfer_stop;

/* -- shared by the routes of robots (robots.c) -- */

struct robot_entry;
/* The robot that the path names, in the revision that `revision` says (a number, "latest", or NULL = latest): release
 * with robots_release. false: return *outcome; 404 or 422 has been answered, or it must be read where it may block. */
bool robot_of_request(struct exchange *x, const char *revision, const struct robot_entry **entry,
                      enum outcome *outcome);

#endif
