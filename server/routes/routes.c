#include "server/routes/route.h"

/* What lists know (listing_query); those of what has tags; those of results. */
#define LISTED         "limit cursor sort fields q"
#define TAGS_LISTED    LISTED " tag job_order_id work_master_id equipment_id"
#define RESULTS_LISTED TAGS_LISTED " metric robot revision job pinned"

/* clang-format off */
const struct route routes[] = {
  /* method       path                                         handler               role           where            body                bodies         answers        query                   operationId */
  { HTTP_GET,    "/",                                         page_index,           ROLE_ANYONE,   ON_EVENT_THREAD, 0,                  0,             TAKES(MEDIA_HTML), NULL,               "getPages" },
  { HTTP_GET,    "/docs",                                     page_docs,            ROLE_ANYONE,   ON_EVENT_THREAD, 0,                  0,             TAKES(MEDIA_HTML), NULL,               "getDocs" },
  { HTTP_GET,    "/assets/{asset}",                           page_asset,           ROLE_ANYONE,   ON_EVENT_THREAD, 0,                  0,             ASSET_MEDIA,   NULL,                   "getPageAsset" },
  { HTTP_GET,    "/healthz",                                  system_health,        ROLE_ANYONE,   ON_EVENT_THREAD, 0,                  0,             0,             NULL,                   "getHealth" },
  { HTTP_GET,    "/readyz",                                   system_ready,         ROLE_ANYONE,   ON_POOL,         0,                  0,             0,             NULL,                   "getReadiness" },
  { HTTP_GET,    "/metrics",                                  metrics_get,          ROLE_VIEWER,   ON_POOL,         0,                  0,             TAKES(MEDIA_TEXT), NULL,               "getMetrics" },
  { HTTP_GET,    "/v1/version",                               system_version,       ROLE_VIEWER,   ON_EVENT_THREAD, 0,                  0,             0,             NULL,                   "getVersion" },
  { HTTP_GET,    "/v1/openapi.json",                          contract_openapi,     ROLE_ANYONE,   ON_EVENT_THREAD, 0,                  0,             0,             NULL,                   "getOpenapi" },
  { HTTP_GET,    "/v1/problems",                              system_problems,      ROLE_VIEWER,   ON_EVENT_THREAD, 0,                  0,             0,             NULL,                   "listProblems" },

  { HTTP_GET,    "/v1/limits",                                limits_get,           ROLE_VIEWER,   ON_EVENT_THREAD, 0,                  0,             0,             NULL,                   "getLimits" },
  { HTTP_GET,    "/v1/storage",                               storage_get,          ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             NULL,                   "getStorage" },
  { HTTP_GET,    "/v1/activity",                              activity_get,         ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             NULL,                   "getActivity" },
  { HTTP_GET,    "/v1/drain",                                 drain_get,            ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             NULL,                   "getDrain" },
  { HTTP_POST,   "/v1/drain",                                 drain_begin,          ROLE_ADMIN,    ON_POOL,         KB(1),              NO_FIELDS,     0,             NULL,                   "beginDrain" },
  { HTTP_DELETE, "/v1/drain",                                 drain_end,            ROLE_ADMIN,    ON_POOL,         0,                  0,             0,             NULL,                   "endDrain" },

  { HTTP_GET,    "/v1/events",                                event_stream,         ROLE_VIEWER,   ON_POOL,         0,                  0,             TAKES(MEDIA_EVENTS), "jobs controllers", "streamEvents" },

  { HTTP_GET,    "/v1/audit",                                 audit_list,           ROLE_ADMIN,    ON_POOL,         0,                  0,             0,             LISTED " key operation", "listAudit" },
  { HTTP_POST,   "/v1/keys",                                  key_create,           ROLE_ADMIN,    ON_POOL,         LIMIT_MODEL_BODY,   JSON_ONLY,     0,             NULL,                   "createKey" },
  { HTTP_GET,    "/v1/keys",                                  key_list,             ROLE_ADMIN,    ON_POOL,         0,                  0,             0,             LISTED,                 "listKeys" },
  { HTTP_GET,    "/v1/keys/self",                             key_self,             ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             NULL,                   "getOwnKey" },
  { HTTP_GET,    "/v1/keys/{key}",                            key_get,              ROLE_ADMIN,    ON_POOL,         0,                  0,             0,             NULL,                   "getKey" },
  { HTTP_DELETE, "/v1/keys/{key}",                            key_delete,           ROLE_ADMIN,    ON_POOL,         0,                  0,             0,             NULL,                   "deleteKey" },

  { HTTP_POST,   "/v1/webhooks",                              webhook_create,       ROLE_ADMIN,    ON_POOL,         LIMIT_MODEL_BODY,   JSON_ONLY,     0,             NULL,                   "createWebhook" },
  { HTTP_GET,    "/v1/webhooks",                              webhook_list,         ROLE_ADMIN,    ON_POOL,         0,                  0,             0,             LISTED,                 "listWebhooks" },
  { HTTP_GET,    "/v1/webhooks/{webhook}",                    webhook_get,          ROLE_ADMIN,    ON_POOL,         0,                  0,             0,             NULL,                   "getWebhook" },
  { HTTP_PUT,    "/v1/webhooks/{webhook}",                    webhook_put,          ROLE_ADMIN,    ON_POOL,         LIMIT_MODEL_BODY,   JSON_ONLY,     0,             NULL,                   "putWebhook" },
  { HTTP_DELETE, "/v1/webhooks/{webhook}",                    webhook_delete,       ROLE_ADMIN,    ON_POOL,         0,                  0,             0,             NULL,                   "deleteWebhook" },
  { HTTP_POST,   "/v1/webhooks/{webhook}/rotate",             webhook_rotate,       ROLE_ADMIN,    ON_POOL,         KB(1),              NO_FIELDS,     0,             NULL,                   "rotateWebhookSecret" },

  { HTTP_POST,   "/v1/robots",                                robot_create,         ROLE_ENGINEER, ON_POOL,         LIMIT_MODEL_BODY,   MODEL_MEDIA,   0,             "allow_unphysical name root tip", "createRobot" },
  { HTTP_GET,    "/v1/robots",                                robot_list,           ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             LISTED,                 "listRobots" },
  { HTTP_GET,    "/v1/robots/{robot}",                        robot_get,            ROLE_VIEWER,   ON_EVENT_THREAD, 0,                  0,             MODEL_MEDIA,   "revision",             "getRobot" },
  { HTTP_PUT,    "/v1/robots/{robot}",                        robot_put,            ROLE_ENGINEER, ON_POOL,         LIMIT_MODEL_BODY,   MODEL_MEDIA,   0,             "allow_unphysical name root tip", "putRobot" },
  { HTTP_DELETE, "/v1/robots/{robot}",                        robot_delete,         ROLE_ENGINEER, ON_POOL,         0,                  0,             0,             "archive",              "deleteRobot" },
  { HTTP_GET,    "/v1/robots/{robot}/revisions",              robot_revision_list,  ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             LISTED,                 "listRobotRevisions" },
  { HTTP_GET,    "/v1/robots/{robot}/aliases",                alias_list,           ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             LISTED,                 "listAliases" },
  { HTTP_GET,    "/v1/robots/{robot}/aliases/{alias}",        alias_get,            ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             NULL,                   "getAlias" },
  { HTTP_PUT,    "/v1/robots/{robot}/aliases/{alias}",        alias_put,            ROLE_ENGINEER, ON_POOL,         LIMIT_MODEL_BODY,   JSON_ONLY,     0,             NULL,                   "putAlias" },
  { HTTP_DELETE, "/v1/robots/{robot}/aliases/{alias}",        alias_delete,         ROLE_ENGINEER, ON_POOL,         0,                  0,             0,             NULL,                   "deleteAlias" },
  { HTTP_GET,    "/v1/robots/{robot}/revisions/{revision}",   robot_revision_get,   ROLE_VIEWER,   ON_EVENT_THREAD, 0,                  0,             MODEL_MEDIA,   NULL,                   "getRobotRevision" },

  { HTTP_GET,    "/v1/robots/{robot}/meshes",                 mesh_list,            ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             LISTED " revision",     "listMeshes" },
  { HTTP_GET,    "/v1/robots/{robot}/meshes/{mesh}",          mesh_get,             ROLE_VIEWER,   ON_POOL,         0,                  0,             TAKES(MEDIA_STL), NULL,                "getMesh" },
  { HTTP_PUT,    "/v1/robots/{robot}/meshes/{mesh}",          mesh_put,             ROLE_ENGINEER, ON_POOL,         LIMIT_MESH_BODY,    MESH_MEDIA,    0,             NULL,                   "putMesh" },
  { HTTP_DELETE, "/v1/robots/{robot}/meshes/{mesh}",          mesh_delete,          ROLE_ENGINEER, ON_POOL,         0,                  0,             0,             NULL,                   "deleteMesh" },

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
  { HTTP_POST,   "/v1/robots/{robot}/inverse-kinematics",     inverse_kinematics,   ROLE_OPERATOR, ON_EVENT_THREAD, LIMIT_MODEL_BODY,   JSON_ONLY,     0,             "revision",             "inverseKinematics" },
  { HTTP_POST,   "/v1/robots/{robot}/base-parameters",        base_parameters,      ROLE_OPERATOR, ON_EVENT_THREAD, LIMIT_MODEL_BODY,   JSON_ONLY,     0,             "revision",             "baseParameters" },

  { HTTP_POST,   "/v1/robots/{robot}/trajectories",           trajectory_create,    ROLE_OPERATOR, ON_POOL,         LIMIT_MODEL_BODY,   JSON_ONLY,     0,             "revision include",     "createTrajectory" },
  { HTTP_POST,   "/v1/robots/{robot}/energy-estimates",       energy_estimate,      ROLE_OPERATOR, READS_ON_POOL,   LIMIT_SAMPLES_BODY, SAMPLES_MEDIA, 0,             "revision regeneration grid_efficiency fields", "estimateEnergy" },
  { HTTP_GET,    "/v1/trajectories",                          trajectory_list,      ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             RESULTS_LISTED " method status", "listTrajectories" },
  { HTTP_GET,    "/v1/trajectories/{trajectory}",             trajectory_get,       ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             NULL,                   "getTrajectory" },
  { HTTP_PATCH,  "/v1/trajectories/{trajectory}",             trajectory_patch,     ROLE_ENGINEER, ON_POOL,         KB(512),            TAKES(MEDIA_MERGE_PATCH), 0,             NULL,                   "patchTrajectory" },
  { HTTP_DELETE, "/v1/trajectories/{trajectory}",             trajectory_delete,    ROLE_ENGINEER, ON_POOL,         0,                  0,             0,             NULL,                   "deleteTrajectory" },
  { HTTP_GET,    "/v1/trajectories/{trajectory}/report",      trajectory_report,    ROLE_VIEWER,   ON_POOL,         0,                  0,             TAKES(MEDIA_HTML), NULL,               "getTrajectoryReport" },
  { HTTP_GET,    "/v1/trajectories/{trajectory}/samples",     trajectory_samples,   ROLE_VIEWER,   ON_POOL,         0,                  0,             SAMPLES_MEDIA, "rate from to fields",  "getTrajectorySamples" },

  { HTTP_POST,   "/v1/robots/{robot}/excitations",           excitation_create,    ROLE_OPERATOR, ON_POOL,         LIMIT_MODEL_BODY,   JSON_ONLY,     0,             "revision include",     "createExcitation" },
  { HTTP_GET,    "/v1/excitations",                          excitation_list,      ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             RESULTS_LISTED,         "listExcitations" },
  { HTTP_GET,    "/v1/excitations/{excitation}",             excitation_get,       ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             NULL,                   "getExcitation" },
  { HTTP_PATCH,  "/v1/excitations/{excitation}",             excitation_patch,     ROLE_ENGINEER, ON_POOL,         KB(512),            TAKES(MEDIA_MERGE_PATCH), 0,             NULL,                   "patchExcitation" },
  { HTTP_DELETE, "/v1/excitations/{excitation}",             excitation_delete,    ROLE_ENGINEER, ON_POOL,         0,                  0,             0,             NULL,                   "deleteExcitation" },
  { HTTP_GET,    "/v1/excitations/{excitation}/samples",     excitation_samples,   ROLE_VIEWER,   ON_POOL,         0,                  0,             SAMPLES_MEDIA, "rate from to fields",  "getExcitationSamples" },

  { HTTP_POST,   "/v1/robots/{robot}/friction-tests",           friction_test_create,    ROLE_OPERATOR, ON_POOL,         LIMIT_MODEL_BODY,   JSON_ONLY,     0,             "revision include",     "createFrictionTest" },
  { HTTP_GET,    "/v1/friction-tests",                          friction_test_list,      ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             RESULTS_LISTED,         "listFrictionTests" },
  { HTTP_GET,    "/v1/friction-tests/{friction_test}",             friction_test_get,       ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             NULL,                   "getFrictionTest" },
  { HTTP_PATCH,  "/v1/friction-tests/{friction_test}",             friction_test_patch,     ROLE_ENGINEER, ON_POOL,         KB(512),            TAKES(MEDIA_MERGE_PATCH), 0,             NULL,                   "patchFrictionTest" },
  { HTTP_DELETE, "/v1/friction-tests/{friction_test}",             friction_test_delete,    ROLE_ENGINEER, ON_POOL,         0,                  0,             0,             NULL,                   "deleteFrictionTest" },
  { HTTP_GET,    "/v1/friction-tests/{friction_test}/samples",     friction_test_samples,   ROLE_VIEWER,   ON_POOL,         0,                  0,             SAMPLES_MEDIA, "rate from to fields",  "getFrictionTestSamples" },

  { HTTP_POST,   "/v1/robots/{robot}/friction-identifications",           friction_identification_create,    ROLE_OPERATOR, ON_POOL,         LIMIT_MODEL_BODY,   JSON_ONLY,     0,             "revision include",     "createFrictionIdentification" },
  { HTTP_GET,    "/v1/friction-identifications",                          friction_identification_list,      ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             RESULTS_LISTED,         "listFrictionIdentifications" },
  { HTTP_GET,    "/v1/friction-identifications/{friction_identification}",             friction_identification_get,       ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             NULL,                   "getFrictionIdentification" },
  { HTTP_PATCH,  "/v1/friction-identifications/{friction_identification}",             friction_identification_patch,     ROLE_ENGINEER, ON_POOL,         KB(512),            TAKES(MEDIA_MERGE_PATCH), 0,             NULL,                   "patchFrictionIdentification" },
  { HTTP_DELETE, "/v1/friction-identifications/{friction_identification}",             friction_identification_delete,    ROLE_ENGINEER, ON_POOL,         0,                  0,             0,             NULL,                   "deleteFrictionIdentification" },

  { HTTP_POST,   "/v1/robots/{robot}/simulations",            simulation_create,    ROLE_OPERATOR, ON_POOL,         LIMIT_MODEL_BODY,   JSON_ONLY,     0,             "revision include",     "createSimulation" },
  { HTTP_GET,    "/v1/simulations",                           simulation_list,      ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             RESULTS_LISTED " method", "listSimulations" },
  { HTTP_GET,    "/v1/simulations/{simulation}",             simulation_get,       ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             NULL,                   "getSimulation" },
  { HTTP_PATCH,  "/v1/simulations/{simulation}",             simulation_patch,     ROLE_ENGINEER, ON_POOL,         KB(512),            TAKES(MEDIA_MERGE_PATCH), 0,             NULL,                   "patchSimulation" },
  { HTTP_DELETE, "/v1/simulations/{simulation}",             simulation_delete,    ROLE_ENGINEER, ON_POOL,         0,                  0,             0,             NULL,                   "deleteSimulation" },
  { HTTP_GET,    "/v1/simulations/{simulation}/samples",     simulation_samples,   ROLE_VIEWER,   ON_POOL,         0,                  0,             SAMPLES_MEDIA, "from to fields",       "getSimulationSamples" },

  { HTTP_POST,   "/v1/robots/{robot}/identifications",        identification_create, ROLE_OPERATOR, ON_POOL,        LIMIT_MODEL_BODY,   JSON_ONLY,     0,             "revision include",     "createIdentification" },
  { HTTP_GET,    "/v1/identifications",                       identification_list,  ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             RESULTS_LISTED " estimator identify datasets validation", "listIdentifications" },
  { HTTP_GET,    "/v1/identifications/{identification}",      identification_get,   ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             NULL,                   "getIdentification" },
  { HTTP_PATCH,  "/v1/identifications/{identification}",      identification_patch, ROLE_ENGINEER, ON_POOL,         KB(512),            TAKES(MEDIA_MERGE_PATCH), 0,  NULL,                   "patchIdentification" },
  { HTTP_DELETE, "/v1/identifications/{identification}",      identification_delete, ROLE_ENGINEER, ON_POOL,        0,                  0,             0,             NULL,                   "deleteIdentification" },
  { HTTP_GET,    "/v1/identifications/{identification}/samples", identification_samples, ROLE_VIEWER, ON_POOL,      0,                  0,             SAMPLES_MEDIA, "from to fields points", "getIdentificationSamples" },
  { HTTP_GET,    "/v1/identifications/{identification}/covariance", identification_covariance, ROLE_VIEWER, ON_POOL, 0,                 0,             TAKES(MEDIA_JSON) | TAKES(MEDIA_NPY), NULL,   "getIdentificationCovariance" },
  { HTTP_GET,    "/v1/identifications/{identification}/report",      identification_report,    ROLE_VIEWER,   ON_POOL,         0,                  0,             TAKES(MEDIA_HTML), NULL,               "getIdentificationReport" },
  { HTTP_GET,    "/v1/identifications/compare",               identification_compare, ROLE_VIEWER, ON_POOL,         0,                  0,             0,             "ids",                  "compareIdentifications" },
  { HTTP_POST,   "/v1/robots/{robot}/evaluations",            evaluation_create,    ROLE_OPERATOR, ON_POOL,         LIMIT_MODEL_BODY,   JSON_ONLY,     0,             "revision include",     "createEvaluation" },
  { HTTP_GET,    "/v1/evaluations",                           evaluation_list,      ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             RESULTS_LISTED " datasets", "listEvaluations" },
  { HTTP_GET,    "/v1/evaluations/{evaluation}",              evaluation_get,       ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             NULL,                   "getEvaluation" },
  { HTTP_PATCH,  "/v1/evaluations/{evaluation}",              evaluation_patch,     ROLE_ENGINEER, ON_POOL,         KB(512),            TAKES(MEDIA_MERGE_PATCH), 0,             NULL,                   "patchEvaluation" },
  { HTTP_DELETE, "/v1/evaluations/{evaluation}",              evaluation_delete,    ROLE_ENGINEER, ON_POOL,         0,                  0,             0,             NULL,                   "deleteEvaluation" },
  { HTTP_POST,   "/v1/identifications/{identification}/promote", identification_promote, ROLE_ENGINEER, ON_POOL,    LIMIT_MODEL_BODY,   JSON_ONLY,     0,             NULL,                   "promoteIdentification" },

  { HTTP_POST,   "/v1/robots/{robot}/collision-checks",       collision_check_create, ROLE_OPERATOR, ON_POOL,       LIMIT_MODEL_BODY,   JSON_ONLY,     0,             "revision include",     "createCollisionCheck" },
  { HTTP_GET,    "/v1/collision-checks",                      collision_check_list, ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             RESULTS_LISTED " datasets", "listCollisionChecks" },
  { HTTP_GET,    "/v1/collision-checks/{collision_check}",    collision_check_get,  ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             NULL,                   "getCollisionCheck" },
  { HTTP_PATCH,  "/v1/collision-checks/{collision_check}",    collision_check_patch, ROLE_ENGINEER, ON_POOL,        KB(512),            TAKES(MEDIA_MERGE_PATCH), 0,  NULL,                   "patchCollisionCheck" },
  { HTTP_DELETE, "/v1/collision-checks/{collision_check}",    collision_check_delete, ROLE_ENGINEER, ON_POOL,       0,                  0,             0,             NULL,                   "deleteCollisionCheck" },
  { HTTP_GET,    "/v1/collision-checks/{collision_check}/samples", collision_check_samples, ROLE_VIEWER, ON_POOL,   0,                  0,             SAMPLES_MEDIA, "from to fields",       "getCollisionCheckSamples" },

  { HTTP_POST,   "/v1/robots/{robot}/datasets",               dataset_upload,       ROLE_ENGINEER, STREAMED,        0,                  SAMPLES_MEDIA, 0,             "label mapping preview fields", "uploadDataset" },
  { HTTP_GET,    "/v1/datasets",                              dataset_list,         ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             TAGS_LISTED " robot revision label sha256", "listDatasets" },
  { HTTP_GET,    "/v1/datasets/{dataset}",                    dataset_get,          ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             NULL,                   "getDataset" },
  { HTTP_PATCH,  "/v1/datasets/{dataset}",                    dataset_patch,        ROLE_ENGINEER, ON_POOL,         KB(512),            TAKES(MEDIA_MERGE_PATCH), 0,  NULL,                   "patchDataset" },
  { HTTP_DELETE, "/v1/datasets/{dataset}",                    dataset_delete,       ROLE_ENGINEER, ON_POOL,         0,                  0,             0,             NULL,                   "deleteDataset" },
  { HTTP_GET,    "/v1/datasets/{dataset}/samples",            dataset_samples,      ROLE_VIEWER,   ON_POOL,         0,                  0,             SAMPLES_MEDIA, "rate from to fields points", "getDatasetSamples" },
  { HTTP_GET,    "/v1/mappings",                              mapping_list,         ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             LISTED,                 "listMappings" },
  { HTTP_GET,    "/v1/mappings/{mapping}",                    mapping_get,          ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             NULL,                   "getMapping" },
  { HTTP_PUT,    "/v1/mappings/{mapping}",                    mapping_put,          ROLE_ENGINEER, ON_POOL,         LIMIT_MODEL_BODY,   JSON_ONLY,     0,             NULL,                   "putMapping" },
  { HTTP_DELETE, "/v1/mappings/{mapping}",                    mapping_delete,       ROLE_ENGINEER, ON_POOL,         0,                  0,             0,             NULL,                   "deleteMapping" },

  { HTTP_GET,    "/v1/jobs",                                  job_list,             ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             TAGS_LISTED " kind state robot", "listJobs" },
  { HTTP_GET,    "/v1/jobs/{job}",                            job_get,              ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             "include",              "getJob" },
  { HTTP_GET,    "/v1/jobs/{job}/events",                     job_events,           ROLE_VIEWER,   ON_POOL,         0,                  0,             TAKES(MEDIA_EVENTS), NULL,              "streamJob" },
  { HTTP_POST,   "/v1/jobs/{job}/cancel",                     job_cancel,           ROLE_OPERATOR, ON_POOL,         KB(1),              NO_FIELDS,     0,             NULL,                   "cancelJob" },
  { HTTP_GET,    "/v1/jobs/{job}/deliveries",                 job_delivery_list,    ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             NULL,                   "listJobDeliveries" },
  { HTTP_POST,   "/v1/jobs/{job}/deliveries",                 job_delivery_again,   ROLE_OPERATOR, ON_POOL,         KB(1),              NO_FIELDS,     0,             NULL,                   "redeliverJob" },

  { HTTP_POST,   "/v1/controllers",                           controller_create,    ROLE_ADMIN,    ON_POOL,         LIMIT_MODEL_BODY,   JSON_ONLY,     0,             NULL,                   "createController" },
  { HTTP_GET,    "/v1/controllers",                           controller_list,      ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             LISTED " robot",         "listControllers" },
  { HTTP_GET,    "/v1/controllers/{controller}",              controller_get,       ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             NULL,                   "getController" },
  { HTTP_PUT,    "/v1/controllers/{controller}",              controller_put,       ROLE_ADMIN,    ON_POOL,         LIMIT_MODEL_BODY,   JSON_ONLY,     0,             NULL,                   "putController" },
  { HTTP_DELETE, "/v1/controllers/{controller}",              controller_delete,    ROLE_ADMIN,    ON_POOL,         0,                  0,             0,             NULL,                   "deleteController" },
  { HTTP_GET,    "/v1/controllers/{controller}/status",       controller_status,    ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             NULL,                   "getControllerStatus" },
  { HTTP_GET,    "/v1/controllers/{controller}/events",       controller_events,    ROLE_VIEWER,   ON_POOL,         0,                  0,             TAKES(MEDIA_EVENTS), NULL,              "streamController" },
  { HTTP_POST,   "/v1/controllers/{controller}/stop",         controller_stop,      ROLE_VIEWER,   AT_ONCE,         KB(16),             0,             0,             NULL,                   "stopController" },
  { HTTP_POST,   "/v1/controllers/{controller}/clear",        controller_clear,     ROLE_OPERATOR, ON_POOL,         KB(1),              NO_FIELDS,     0,             NULL,                   "clearController" },
  { HTTP_POST,   "/v1/controllers/{controller}/dry-run",      controller_dry_run,   ROLE_OPERATOR, READS_ON_POOL,   LIMIT_MODEL_BODY,   JSON_ONLY,     0,             NULL,                   "dryRun" },
  { HTTP_DELETE, "/v1/controllers/{controller}/lease",        controller_evict,     ROLE_ADMIN,    ON_POOL,         0,                  0,             0,             NULL,                   "takeLease" },
  { HTTP_POST,   "/v1/controllers/{controller}/transfers",    transfer_create,      ROLE_OPERATOR, ON_POOL,         LIMIT_MODEL_BODY,   JSON_ONLY,     0,             NULL,                   "createTransfer" },
  { HTTP_GET,    "/v1/transfers",                             transfer_list,        ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             TAGS_LISTED " controller trajectory state", "listTransfers" },
  { HTTP_GET,    "/v1/transfers/{transfer}",                  transfer_get,         ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             NULL,                   "getTransfer" },
  { HTTP_GET,    "/v1/transfers/{transfer}/comparison",       playback_compare,     ROLE_VIEWER,   ON_POOL,         0,                  0,             0,             NULL,                   "compareTransfer" },
  { HTTP_POST,   "/v1/transfers/{transfer}/arm",              transfer_arm,         ROLE_OPERATOR, ON_POOL,         KB(1),              NO_FIELDS,     0,             NULL,                   "armTransfer" },
  { HTTP_POST,   "/v1/transfers/{transfer}/start",            transfer_start,       ROLE_OPERATOR, ON_POOL,         LIMIT_MODEL_BODY,   JSON_ONLY,     0,             NULL,                   "startTransfer" },
  { HTTP_POST,   "/v1/transfers/{transfer}/hold",             transfer_hold,        ROLE_OPERATOR, ON_POOL,         KB(1),              NO_FIELDS,     0,             NULL,                   "holdTransfer" },
  { HTTP_POST,   "/v1/transfers/{transfer}/resume",           transfer_resume,      ROLE_OPERATOR, ON_POOL,         KB(1),              NO_FIELDS,     0,             NULL,                   "resumeTransfer" },
  { HTTP_POST,   "/v1/transfers/{transfer}/stop",             transfer_stop,        ROLE_VIEWER,   AT_ONCE,         KB(16),             0,             0,             NULL,                   "stopTransfer" },
  { HTTP_GET,    "/v1/transfers/{transfer}/deliveries",       transfer_delivery_list, ROLE_VIEWER, ON_POOL,         0,                  0,             0,             NULL,                   "listTransferDeliveries" },
  { HTTP_POST,   "/v1/transfers/{transfer}/deliveries",       transfer_delivery_again, ROLE_OPERATOR, ON_POOL,      KB(1),              NO_FIELDS,     0,             NULL,                   "redeliverTransfer" },
};
/* clang-format on */
const size_t route_count = sizeof routes / sizeof *routes;

const char *role_name(enum role role)
{
  static const char *const names[ROLE_COUNT] = { "anyone", "viewer", "operator", "engineer", "admin" };
  return (unsigned)role < ROLE_COUNT ? names[role] : "unknown";
}
