#include "api/calls.h"
#include "server/routes/handlers.h"
#include "server/routes/kernels.h"
#include "server/routes/result_report.h"
#include "server/routes/versioned.h"
#include "server/work/kinds.h"

/* Method, path, role, formats and query of a call are what the contract says of its operationId (api/calls.py). */
#define CALL(operation_id) CALL_##operation_id

/* clang-format off */
/* To make a job of a kind, and what every result of it has. */
#define OF_KIND(kind, One, Many)                                                                                       \
  { CALL(create##One),                  job_create,                ON_POOL,         LIMIT_MODEL_BODY,   &kind##_kind }, \
  { CALL(list##Many),                   result_list,               ON_POOL,         0,                  &kind##_kind }, \
  { CALL(get##One),                     result_get,                ON_POOL,         0,                  &kind##_kind }, \
  { CALL(patch##One),                   result_patch,              ON_POOL,         KB(512),            &kind##_kind }, \
  { CALL(delete##One),                  result_delete,             ON_POOL,         0,                  &kind##_kind },

const struct route routes[] = {
  /* call                               handler                    where            body most           about */
  { CALL(getPages),                     page_index,                ON_EVENT_THREAD, 0,                  NULL },
  { CALL(getDocs),                      page_docs,                 ON_EVENT_THREAD, 0,                  NULL },
  { CALL(getPageAsset),                 page_asset,                ON_EVENT_THREAD, 0,                  NULL },
  { CALL(getHealth),                    system_health,             ON_EVENT_THREAD, 0,                  NULL },
  { CALL(getReadiness),                 system_ready,              ON_POOL,         0,                  NULL },
  { CALL(getMetrics),                   metrics_get,               ON_POOL,         0,                  NULL },
  { CALL(getVersion),                   system_version,            ON_EVENT_THREAD, 0,                  NULL },
  { CALL(getOpenapi),                   contract_openapi,          ON_EVENT_THREAD, 0,                  NULL },
  { CALL(getPythonClient),              contract_client,           ON_EVENT_THREAD, 0,                  NULL },
  { CALL(getProblem),                   system_problem,            ON_EVENT_THREAD, 0,                  NULL },
  { CALL(listProblems),                 system_problems,           ON_EVENT_THREAD, 0,                  NULL },

  { CALL(getLimits),                    limits_get,                ON_EVENT_THREAD, 0,                  NULL },
  { CALL(getStorage),                   storage_get,               ON_POOL,         0,                  NULL },
  { CALL(listNodes),                    nodes_get,                 ON_POOL,         0,                  NULL },
  { CALL(getActivity),                  activity_get,              ON_POOL,         0,                  NULL },
  { CALL(getDrain),                     drain_get,                 ON_POOL,         0,                  NULL },
  { CALL(beginDrain),                   drain_begin,               ON_POOL,         KB(1),              NULL },
  { CALL(endDrain),                     drain_end,                 ON_POOL,         0,                  NULL },

  { CALL(streamEvents),                 event_stream,              ON_POOL,         0,                  NULL },
  { CALL(listEvents),                   event_log,                 ON_POOL,         0,                  NULL },

  { CALL(listAlarms),                   alarm_list,                ON_POOL,         0,                  NULL },
  { CALL(getAlarm),                     alarm_get,                 ON_POOL,         0,                  NULL },
  { CALL(acknowledgeAlarm),             alarm_acknowledge,         ON_POOL,         KB(1),              NULL },

  { CALL(listAudit),                    audit_list,                ON_POOL,         0,                  NULL },
  { CALL(createKey),                    key_create,                ON_POOL,         LIMIT_MODEL_BODY,   NULL },
  { CALL(listKeys),                     key_list,                  ON_POOL,         0,                  NULL },
  { CALL(getOwnKey),                    key_self,                  ON_POOL,         0,                  NULL },
  { CALL(getKey),                       key_get,                   ON_POOL,         0,                  NULL },
  { CALL(deleteKey),                    key_delete,                ON_POOL,         0,                  NULL },

  { CALL(createWebhook),                versioned_create,          ON_POOL,         LIMIT_MODEL_BODY,   &webhooks },
  { CALL(listWebhooks),                 versioned_list,            ON_POOL,         0,                  &webhooks },
  { CALL(getWebhook),                   versioned_get,             ON_POOL,         0,                  &webhooks },
  { CALL(putWebhook),                   versioned_put,             ON_POOL,         LIMIT_MODEL_BODY,   &webhooks },
  { CALL(deleteWebhook),                versioned_delete,          ON_POOL,         0,                  &webhooks },
  { CALL(rotateWebhookSecret),          webhook_rotate,            ON_POOL,         KB(1),              NULL },

  { CALL(createRobot),                  robot_create,              ON_POOL,         LIMIT_MODEL_BODY,   NULL },
  { CALL(listRobots),                   robot_list,                ON_POOL,         0,                  NULL },
  { CALL(getRobot),                     robot_get,                 ON_EVENT_THREAD, 0,                  NULL },
  { CALL(putRobot),                     robot_put,                 ON_POOL,         LIMIT_MODEL_BODY,   NULL },
  { CALL(deleteRobot),                  robot_delete,              ON_POOL,         0,                  NULL },
  { CALL(listRobotRevisions),           robot_revision_list,       ON_POOL,         0,                  NULL },
  { CALL(listAliases),                  versioned_list,            ON_POOL,         0,                  &aliases },
  { CALL(getAlias),                     versioned_get,             ON_POOL,         0,                  &aliases },
  { CALL(putAlias),                     versioned_put,             ON_POOL,         LIMIT_MODEL_BODY,   &aliases },
  { CALL(deleteAlias),                  versioned_delete,          ON_POOL,         0,                  &aliases },
  { CALL(getRobotRevision),             robot_revision_get,        ON_EVENT_THREAD, 0,                  NULL },

  { CALL(createPart),                   versioned_create,          ON_POOL,         LIMIT_MODEL_BODY,   &parts },
  { CALL(listParts),                    versioned_list,            ON_POOL,         0,                  &parts },
  { CALL(getPart),                      versioned_get,             ON_POOL,         0,                  &parts },
  { CALL(putPart),                      versioned_put,             ON_POOL,         LIMIT_MODEL_BODY,   &parts },
  { CALL(deletePart),                   versioned_delete,          ON_POOL,         0,                  &parts },

  { CALL(listMeshes),                   mesh_list,                 ON_POOL,         0,                  NULL },
  { CALL(getMesh),                      mesh_get,                  ON_POOL,         0,                  NULL },
  { CALL(putMesh),                      versioned_put,             ON_POOL,         LIMIT_MESH_BODY,    &meshes },
  { CALL(deleteMesh),                   versioned_delete,          ON_POOL,         0,                  &meshes },

  { CALL(inverseDynamics),              dynamics_call,             ON_EVENT_THREAD, LIMIT_SAMPLES_BODY, &kernels[CALL_INVERSE_DYNAMICS] },
  { CALL(forwardDynamics),              dynamics_call,             ON_EVENT_THREAD, LIMIT_SAMPLES_BODY, &kernels[CALL_FORWARD_DYNAMICS] },
  { CALL(massMatrix),                   dynamics_call,             ON_EVENT_THREAD, LIMIT_SAMPLES_BODY, &kernels[CALL_MASS_MATRIX] },
  { CALL(coriolis),                     dynamics_call,             ON_EVENT_THREAD, LIMIT_SAMPLES_BODY, &kernels[CALL_CORIOLIS] },
  { CALL(gravity),                      dynamics_call,             ON_EVENT_THREAD, LIMIT_SAMPLES_BODY, &kernels[CALL_GRAVITY] },
  { CALL(energy),                       dynamics_call,             ON_EVENT_THREAD, LIMIT_SAMPLES_BODY, &kernels[CALL_ENERGY] },
  { CALL(forwardKinematics),            dynamics_call,             ON_EVENT_THREAD, LIMIT_SAMPLES_BODY, &kernels[CALL_FORWARD_KINEMATICS] },
  { CALL(jacobian),                     dynamics_call,             ON_EVENT_THREAD, LIMIT_SAMPLES_BODY, &kernels[CALL_JACOBIAN] },
  { CALL(statics),                      dynamics_call,             ON_EVENT_THREAD, LIMIT_SAMPLES_BODY, &kernels[CALL_STATICS] },
  { CALL(derivatives),                  dynamics_call,             ON_EVENT_THREAD, LIMIT_SAMPLES_BODY, &kernels[CALL_DERIVATIVES] },
  { CALL(linearize),                    dynamics_call,             ON_EVENT_THREAD, LIMIT_SAMPLES_BODY, &kernels[CALL_LINEARIZE] },
  { CALL(regressor),                    dynamics_call,             ON_EVENT_THREAD, LIMIT_SAMPLES_BODY, &kernels[CALL_REGRESSOR] },
  { CALL(diagnose),                     diagnose,                  READS_ON_POOL,   MB(8),              NULL },
  { CALL(gravityMap),                   gravity_map,               ON_EVENT_THREAD, LIMIT_MODEL_BODY,   NULL },
  { CALL(inverseKinematics),            inverse_kinematics,        ON_EVENT_THREAD, LIMIT_MODEL_BODY,   NULL },
  { CALL(makeCode),                     code_make,                 ON_EVENT_THREAD, LIMIT_MODEL_BODY,   NULL },
  { CALL(listCodeProofs),               code_proof_list,           ON_POOL,         0,                  NULL },
  { CALL(baseParameters),               base_parameters,           ON_EVENT_THREAD, LIMIT_MODEL_BODY,   NULL },

  JOB_KIND_LIST(OF_KIND)
  { CALL(findVibrations),               vibrations,                READS_ON_POOL,   LIMIT_SAMPLES_BODY, NULL },
  { CALL(reducePendulumTest),           pendulum_test,             ON_EVENT_THREAD, KB(64),             NULL },
  { CALL(fitModes),                     mode_fit,                  READS_ON_POOL,   LIMIT_MODEL_BODY,   NULL },
  { CALL(torqueShares),                 torque_shares,             READS_ON_POOL,   LIMIT_SAMPLES_BODY, NULL },
  { CALL(estimateEnergy),               energy_estimate,           READS_ON_POOL,   LIMIT_SAMPLES_BODY, NULL },
  { CALL(getTrajectoryReport),          trajectory_report,         ON_POOL,         0,                  NULL },
  { CALL(getTrajectorySamples),         result_samples,            ON_POOL,         0,                  &trajectory_kind },
  { CALL(replanTrajectory),             trajectory_replan,         READS_ON_POOL,   KB(64),             NULL },
  { CALL(getExcitationSamples),         result_samples,            ON_POOL,         0,                  &excitation_kind },  { CALL(getFrictionTestSamples),       result_samples,            ON_POOL,         0,                  &friction_test_kind },
  { CALL(promoteFrictionIdentification), identification_promote,   ON_POOL,         LIMIT_MODEL_BODY,   &friction_identification_kind },
  { CALL(getSimulationSamples),         result_samples,            ON_POOL,         0,                  &simulation_kind },
  { CALL(getIdentificationSamples),     result_samples,            ON_POOL,         0,                  &identification_kind },
  { CALL(getIdentificationCovariance),  identification_covariance, ON_POOL,         0,                  NULL },
  { CALL(getIdentificationReport),      identification_report,     ON_POOL,         0,                  NULL },
  { CALL(compareIdentifications),       identification_compare,    ON_POOL,         0,                  NULL },

  { CALL(getEvaluationTable),           evaluation_table,          ON_POOL,         0,                  NULL },
  { CALL(promoteIdentification),        identification_promote,    ON_POOL,         LIMIT_MODEL_BODY,   &identification_kind },

  { CALL(getVerificationReport),        result_report,             ON_POOL,         0,                  &verification_report },
  { CALL(getZoningReport),              result_report,             ON_POOL,         0,                  &zoning_report },

  { CALL(getCollisionCheckSamples),     result_samples,            ON_POOL,         0,                  &collision_check_kind },

  { CALL(uploadDataset),                dataset_upload,            STREAMED,        0,                  NULL },
  { CALL(listDatasets),                 dataset_list,              ON_POOL,         0,                  NULL },
  { CALL(getDataset),                   versioned_get,             ON_POOL,         0,                  &datasets },
  { CALL(patchDataset),                 dataset_patch,             ON_POOL,         KB(512),            NULL },
  { CALL(deleteDataset),                versioned_delete,          ON_POOL,         0,                  &datasets },
  { CALL(getDatasetSamples),            dataset_samples,           ON_POOL,         0,                  NULL },
  { CALL(listCells),                    versioned_list,            ON_POOL,         0,                  &cells },
  { CALL(createCell),                   versioned_create,          ON_POOL,         LIMIT_CELL_BODY,    &cells },
  { CALL(getCell),                      cell_get,                  ON_POOL,         0,                  &cells },
  { CALL(putCell),                      versioned_put,             ON_POOL,         LIMIT_CELL_BODY,    &cells },
  { CALL(deleteCell),                   versioned_delete,          ON_POOL,         0,                  &cells },
  { CALL(clearance),                    clearance,                 READS_ON_POOL,   MB(8),              NULL },
  { CALL(fitBodies),                    fitted_bodies,             READS_ON_POOL,   LIMIT_MODEL_BODY,   NULL },
  { CALL(listMappings),                 versioned_list,            ON_POOL,         0,                  &mappings },
  { CALL(getMapping),                   versioned_get,             ON_POOL,         0,                  &mappings },
  { CALL(putMapping),                   versioned_put,             ON_POOL,         LIMIT_MODEL_BODY,   &mappings },
  { CALL(deleteMapping),                versioned_delete,          ON_POOL,         0,                  &mappings },

  { CALL(listJobs),                     job_list,                  ON_POOL,         0,                  NULL },
  { CALL(getJob),                       job_get,                   ON_POOL,         0,                  NULL },
  { CALL(streamJob),                    job_events,                ON_POOL,         0,                  NULL },
  { CALL(cancelJob),                    job_cancel,                ON_POOL,         KB(1),              NULL },
  { CALL(cancelJobs),                   job_cancel_many,           ON_POOL,         KB(4),              NULL },
  { CALL(listJobDeliveries),            job_delivery_list,         ON_POOL,         0,                  NULL },
  { CALL(redeliverJob),                 job_delivery_again,        ON_POOL,         KB(1),              NULL },

  { CALL(createController),             versioned_create,          ON_POOL,         LIMIT_MODEL_BODY,   &controllers },
  { CALL(listControllers),              versioned_list,            ON_POOL,         0,                  &controllers },
  { CALL(getController),                versioned_get,             ON_POOL,         0,                  &controllers },
  { CALL(putController),                versioned_put,             ON_POOL,         LIMIT_MODEL_BODY,   &controllers },
  { CALL(deleteController),             versioned_delete,          ON_POOL,         0,                  &controllers },
  { CALL(getControllerPart),            controller_part_get,       ON_POOL,         0,                  NULL },
  { CALL(putControllerPart),            controller_part_put,       ON_POOL,         LIMIT_MODEL_BODY,   NULL },
  { CALL(startWatch),                   arm_watch_start,           ON_POOL,         KB(64),             NULL },
  { CALL(getWatch),                     arm_watch_get,             ON_POOL,         0,                  NULL },
  { CALL(stopWatch),                    arm_watch_stop,            ON_POOL,         0,                  NULL },
  { CALL(testController),               controller_test_begin,     ON_POOL,         KB(1),              NULL },
  { CALL(getControllerTest),            controller_test_get,       ON_POOL,         0,                  NULL },
  { CALL(cancelControllerTest),         controller_test_cancel,    ON_POOL,         0,                  NULL },
  { CALL(getControllerStatus),          controller_status,         ON_POOL,         0,                  NULL },
  { CALL(streamController),             controller_events,         ON_POOL,         0,                  NULL },
  { CALL(stopController),               controller_stop,           AT_ONCE,         KB(16),             NULL },
  { CALL(stopControllers),              controllers_stop,          AT_ONCE,         KB(16),             NULL },
  { CALL(clearController),              controller_clear,          ON_POOL,         KB(1),              NULL },
  { CALL(dryRun),                       controller_dry_run,        READS_ON_POOL,   LIMIT_MODEL_BODY,   NULL },
  { CALL(takeLease),                    controller_evict,          ON_POOL,         0,                  NULL },
  { CALL(createOrder),                  order_create,              ON_POOL,         LIMIT_MODEL_BODY,   NULL },
  { CALL(listOrders),                   order_list,                ON_POOL,         0,                  NULL },
  { CALL(getOrder),                     order_get,                 ON_POOL,         0,                  NULL },
  { CALL(patchOrder),                   order_patch,               ON_POOL,         LIMIT_MODEL_BODY,   NULL },
  { CALL(startOrder),                   order_start,               ON_POOL,         KB(1),              NULL },
  { CALL(holdOrder),                    order_hold,                ON_POOL,         KB(1),              NULL },
  { CALL(resumeOrder),                  order_resume,              ON_POOL,         KB(1),              NULL },
  { CALL(cancelOrder),                  order_cancel,              ON_POOL,         KB(1),              NULL },
  { CALL(cancelOrders),                 order_cancel_many,         ON_POOL,         KB(4),              NULL },
  { CALL(listOrderDeliveries),          order_delivery_list,       ON_POOL,         0,                  NULL },
  { CALL(redeliverOrder),               order_delivery_again,      ON_POOL,         KB(1),              NULL },
  { CALL(getShiftReport),               shift_report,              ON_POOL,         0,                  NULL },
  { CALL(getQueue),                     queue_get,                 ON_POOL,         0,                  NULL },
  { CALL(releaseQueue),                 queue_release,             ON_POOL,         KB(1),              NULL },
  { CALL(createTransfer),               transfer_create,           ON_POOL,         LIMIT_MODEL_BODY,   NULL },
  { CALL(listTransfers),                transfer_list,             ON_POOL,         0,                  NULL },
  { CALL(getTransfer),                  transfer_get,              ON_POOL,         0,                  NULL },
  { CALL(patchTransfer),                transfer_patch,            ON_POOL,         KB(512),            NULL },
  { CALL(compareTransfer),              transfer_comparison,       ON_POOL,         0,                  NULL },
  { CALL(armTransfer),                  transfer_arm,              ON_POOL,         KB(1),              NULL },
  { CALL(startTransfer),                transfer_start,            ON_POOL,         LIMIT_MODEL_BODY,   NULL },
  { CALL(holdTransfer),                 transfer_hold,             ON_POOL,         KB(1),              NULL },
  { CALL(resumeTransfer),               transfer_resume,           ON_POOL,         KB(1),              NULL },
  { CALL(stopTransfer),                 transfer_stop,             AT_ONCE,         KB(16),             NULL },
  { CALL(listTransferDeliveries),       transfer_delivery_list,    ON_POOL,         0,                  NULL },
  { CALL(redeliverTransfer),            transfer_delivery_again,   ON_POOL,         KB(1),              NULL },
};
/* clang-format on */
const size_t route_count = sizeof routes / sizeof *routes;
