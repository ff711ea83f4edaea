#include "server/routes/route.h"

/* clang-format off */
const struct route routes[] = {
  /* method       path                                         handler               role           where            body                bodies         answers        query                   operationId */
  { HTTP_GET,    "/healthz",                                  system_health,        ROLE_ANYONE,   ON_EVENT_THREAD, 0,                  0,             0,             NULL,                   "getHealth" },
  { HTTP_GET,    "/readyz",                                   system_ready,         ROLE_ANYONE,   ON_POOL,         0,                  0,             0,             NULL,                   "getReadiness" },
  { HTTP_GET,    "/v1/version",                               system_version,       ROLE_VIEWER,   ON_EVENT_THREAD, 0,                  0,             0,             NULL,                   "getVersion" },
  { HTTP_GET,    "/v1/openapi.json",                          contract_openapi,     ROLE_ANYONE,   ON_EVENT_THREAD, 0,                  0,             0,             NULL,                   "getOpenapi" },
  { HTTP_GET,    "/v1/problems",                              system_problems,      ROLE_VIEWER,   ON_EVENT_THREAD, 0,                  0,             0,             NULL,                   "listProblems" },

  { HTTP_POST,   "/v1/robots",                                robot_create,         ROLE_ENGINEER, ON_POOL,         LIMIT_MODEL_BODY,   MODEL_MEDIA,   0,             "allow_unphysical name root tip", "createRobot" },
  { HTTP_GET,    "/v1/robots",                                robot_list,           ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             "limit cursor",         "listRobots" },
  { HTTP_GET,    "/v1/robots/{robot}",                        robot_get,            ROLE_VIEWER,   ON_EVENT_THREAD, 0,                  0,             MODEL_MEDIA,   "revision",             "getRobot" },
  { HTTP_PUT,    "/v1/robots/{robot}",                        robot_put,            ROLE_ENGINEER, ON_POOL,         LIMIT_MODEL_BODY,   MODEL_MEDIA,   0,             "allow_unphysical name root tip", "putRobot" },
  { HTTP_DELETE, "/v1/robots/{robot}",                        robot_delete,         ROLE_ENGINEER, ON_POOL,         0,                  0,             0,             "archive",              "deleteRobot" },
  { HTTP_GET,    "/v1/robots/{robot}/revisions",              robot_revision_list,  ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             "limit cursor",         "listRobotRevisions" },
  { HTTP_GET,    "/v1/robots/{robot}/revisions/{revision}",   robot_revision_get,   ROLE_VIEWER,   ON_EVENT_THREAD, 0,                  0,             MODEL_MEDIA,   NULL,                   "getRobotRevision" },

  { HTTP_POST,   "/v1/robots/{robot}/inverse-dynamics",       dynamics_call,        ROLE_OPERATOR, ON_EVENT_THREAD, LIMIT_SAMPLES_BODY, SAMPLES_MEDIA, SAMPLES_MEDIA, "revision field wrench_frame method friction decompose", "inverseDynamics" },
  { HTTP_POST,   "/v1/robots/{robot}/forward-dynamics",       dynamics_call,        ROLE_OPERATOR, ON_EVENT_THREAD, LIMIT_SAMPLES_BODY, SAMPLES_MEDIA, SAMPLES_MEDIA, "revision field wrench_frame method friction", "forwardDynamics" },
  { HTTP_POST,   "/v1/robots/{robot}/mass-matrix",            dynamics_call,        ROLE_OPERATOR, ON_EVENT_THREAD, LIMIT_SAMPLES_BODY, SAMPLES_MEDIA, SAMPLES_MEDIA, "revision field", "massMatrix" },
  { HTTP_POST,   "/v1/robots/{robot}/coriolis",               dynamics_call,        ROLE_OPERATOR, ON_EVENT_THREAD, LIMIT_SAMPLES_BODY, SAMPLES_MEDIA, SAMPLES_MEDIA, "revision field", "coriolis" },
  { HTTP_POST,   "/v1/robots/{robot}/gravity",                dynamics_call,        ROLE_OPERATOR, ON_EVENT_THREAD, LIMIT_SAMPLES_BODY, SAMPLES_MEDIA, SAMPLES_MEDIA, "revision field", "gravity" },
  { HTTP_POST,   "/v1/robots/{robot}/energy",                 dynamics_call,        ROLE_OPERATOR, ON_EVENT_THREAD, LIMIT_SAMPLES_BODY, SAMPLES_MEDIA, SAMPLES_MEDIA, "revision field", "energy" },
  { HTTP_POST,   "/v1/robots/{robot}/forward-kinematics",     dynamics_call,        ROLE_OPERATOR, ON_EVENT_THREAD, LIMIT_SAMPLES_BODY, SAMPLES_MEDIA, SAMPLES_MEDIA, "revision field",       "forwardKinematics" },
  { HTTP_POST,   "/v1/robots/{robot}/jacobian",               dynamics_call,        ROLE_OPERATOR, ON_EVENT_THREAD, LIMIT_SAMPLES_BODY, SAMPLES_MEDIA, SAMPLES_MEDIA, "revision field frame", "jacobian" },
  { HTTP_POST,   "/v1/robots/{robot}/statics",                dynamics_call,        ROLE_OPERATOR, ON_EVENT_THREAD, LIMIT_SAMPLES_BODY, SAMPLES_MEDIA, SAMPLES_MEDIA, "revision field wrench_frame", "statics" },
  { HTTP_POST,   "/v1/robots/{robot}/derivatives",            dynamics_call,        ROLE_OPERATOR, ON_EVENT_THREAD, LIMIT_SAMPLES_BODY, SAMPLES_MEDIA, SAMPLES_MEDIA, "revision field wrench_frame friction", "derivatives" },
  { HTTP_POST,   "/v1/robots/{robot}/linearize",              dynamics_call,        ROLE_OPERATOR, ON_EVENT_THREAD, LIMIT_SAMPLES_BODY, SAMPLES_MEDIA, SAMPLES_MEDIA, "revision field wrench_frame friction", "linearize" },
  { HTTP_POST,   "/v1/robots/{robot}/regressor",              dynamics_call,        ROLE_OPERATOR, ON_EVENT_THREAD, LIMIT_SAMPLES_BODY, SAMPLES_MEDIA, SAMPLES_MEDIA, "revision field base", "regressor" },
  { HTTP_POST,   "/v1/robots/{robot}/gravity-map",            gravity_map,          ROLE_OPERATOR, ON_EVENT_THREAD, LIMIT_MODEL_BODY,   JSON_ONLY,     0,             "revision",             "gravityMap" },
  { HTTP_POST,   "/v1/robots/{robot}/base-parameters",        base_parameters,      ROLE_OPERATOR, ON_POOL,         LIMIT_MODEL_BODY,   JSON_ONLY,     0,             "revision",             "baseParameters" },

  { HTTP_POST,   "/v1/robots/{robot}/trajectories",           trajectory_create,    ROLE_OPERATOR, ON_POOL,         LIMIT_MODEL_BODY,   JSON_ONLY,     0,             "revision include",     "createTrajectory" },
  { HTTP_GET,    "/v1/trajectories",                          trajectory_list,      ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             "robot limit cursor",   "listTrajectories" },
  { HTTP_GET,    "/v1/trajectories/{trajectory}",             trajectory_get,       ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             NULL,                   "getTrajectory" },
  { HTTP_DELETE, "/v1/trajectories/{trajectory}",             trajectory_delete,    ROLE_ENGINEER, ON_POOL,         0,                  0,             0,             NULL,                   "deleteTrajectory" },
  { HTTP_GET,    "/v1/trajectories/{trajectory}/samples",     trajectory_samples,   ROLE_VIEWER,   ON_POOL,         0,                  0,             SAMPLES_MEDIA, "rate from to fields",  "getTrajectorySamples" },

  { HTTP_POST,   "/v1/robots/{robot}/simulations",            simulation_create,    ROLE_OPERATOR, ON_POOL,         LIMIT_MODEL_BODY,   JSON_ONLY,     0,             "revision include",     "createSimulation" },
  { HTTP_GET,    "/v1/simulations",                           simulation_list,      ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             "robot limit cursor",   "listSimulations" },
  { HTTP_GET,    "/v1/simulations/{simulation}",             simulation_get,       ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             NULL,                   "getSimulation" },
  { HTTP_DELETE, "/v1/simulations/{simulation}",             simulation_delete,    ROLE_ENGINEER, ON_POOL,         0,                  0,             0,             NULL,                   "deleteSimulation" },
  { HTTP_GET,    "/v1/simulations/{simulation}/samples",     simulation_samples,   ROLE_VIEWER,   ON_POOL,         0,                  0,             SAMPLES_MEDIA, "from to fields",       "getSimulationSamples" },

  { HTTP_GET,    "/v1/jobs",                                  job_list,             ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             "kind state robot limit cursor", "listJobs" },
  { HTTP_GET,    "/v1/jobs/{job}",                            job_get,              ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             "include",              "getJob" },
  { HTTP_POST,   "/v1/jobs/{job}/cancel",                     job_cancel,           ROLE_OPERATOR, ON_POOL,         KB(1),              NO_FIELDS,     0,             NULL,                   "cancelJob" },

  { HTTP_POST,   "/v1/controllers",                           controller_create,    ROLE_ADMIN,    ON_POOL,         LIMIT_MODEL_BODY,   JSON_ONLY,     0,             NULL,                   "createController" },
  { HTTP_GET,    "/v1/controllers",                           controller_list,      ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             "limit cursor",         "listControllers" },
  { HTTP_GET,    "/v1/controllers/{controller}",              controller_get,       ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             NULL,                   "getController" },
  { HTTP_PUT,    "/v1/controllers/{controller}",              controller_put,       ROLE_ADMIN,    ON_POOL,         LIMIT_MODEL_BODY,   JSON_ONLY,     0,             NULL,                   "putController" },
  { HTTP_DELETE, "/v1/controllers/{controller}",              controller_delete,    ROLE_ADMIN,    ON_POOL,         0,                  0,             0,             NULL,                   "deleteController" },
  { HTTP_GET,    "/v1/controllers/{controller}/status",       controller_status,    ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             NULL,                   "getControllerStatus" },
  { HTTP_POST,   "/v1/controllers/{controller}/stop",         controller_stop,      ROLE_VIEWER,   AT_ONCE,         KB(16),             0,             0,             NULL,                   "stopController" },
  { HTTP_POST,   "/v1/controllers/{controller}/clear",        controller_clear,     ROLE_OPERATOR, ON_POOL,         KB(1),              NO_FIELDS,     0,             NULL,                   "clearController" },
  { HTTP_POST,   "/v1/controllers/{controller}/transfers",    transfer_create,      ROLE_OPERATOR, ON_POOL,         LIMIT_MODEL_BODY,   JSON_ONLY,     0,             NULL,                   "createTransfer" },
  { HTTP_GET,    "/v1/transfers",                             transfer_list,        ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             "controller state limit cursor", "listTransfers" },
  { HTTP_GET,    "/v1/transfers/{transfer}",                  transfer_get,         ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             NULL,                   "getTransfer" },
  { HTTP_POST,   "/v1/transfers/{transfer}/arm",              transfer_arm,         ROLE_OPERATOR, ON_POOL,         KB(1),              NO_FIELDS,     0,             NULL,                   "armTransfer" },
  { HTTP_POST,   "/v1/transfers/{transfer}/start",            transfer_start,       ROLE_OPERATOR, ON_POOL,         LIMIT_MODEL_BODY,   JSON_ONLY,     0,             NULL,                   "startTransfer" },
  { HTTP_POST,   "/v1/transfers/{transfer}/hold",             transfer_hold,        ROLE_OPERATOR, ON_POOL,         KB(1),              NO_FIELDS,     0,             NULL,                   "holdTransfer" },
  { HTTP_POST,   "/v1/transfers/{transfer}/resume",           transfer_resume,      ROLE_OPERATOR, ON_POOL,         KB(1),              NO_FIELDS,     0,             NULL,                   "resumeTransfer" },
  { HTTP_POST,   "/v1/transfers/{transfer}/stop",             transfer_stop,        ROLE_VIEWER,   AT_ONCE,         KB(16),             0,             0,             NULL,                   "stopTransfer" },
};
/* clang-format on */
const size_t route_count = sizeof routes / sizeof *routes;
