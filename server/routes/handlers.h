/* The calls of the service: rows of one table (routes.c).
 * To add one: a handler in its resource's file, declared below, a row, and its path in api/paths; tests/contract
 * compares both ways. */
#ifndef SERVER_ROUTES_HANDLERS_H
#define SERVER_ROUTES_HANDLERS_H

#include "server/http/route.h"

extern const struct route routes[];
extern const size_t route_count;

/* pages.c */
route_handler page_index, page_docs, page_asset;
/* contract.c */
route_handler contract_openapi, contract_client;
/* system.c */
route_handler system_health, system_ready, system_version, system_problem, system_problems;
/* limits.c */
route_handler limits_get;
/* nodes.c */
route_handler nodes_get;
/* storage.c */
route_handler storage_get;
/* activity.c */
route_handler activity_get, drain_get, drain_begin, drain_end;
/* metrics.c */
route_handler metrics_get;
/* audit.c */
route_handler audit_list;
/* keys.c */
route_handler key_create, key_list, key_get, key_self, key_delete;
/* webhooks.c */
route_handler webhook_rotate, job_delivery_list, job_delivery_again, transfer_delivery_list, transfer_delivery_again,
    order_delivery_list, order_delivery_again;
/* robots.c */
route_handler robot_create, robot_list, robot_get, robot_put, robot_delete, robot_revision_list, robot_revision_get;
/* dynamics.c: every call on samples */
route_handler dynamics_call;
/* diagnose.c */
route_handler diagnose;
/* gravity_map.c */
route_handler gravity_map;
/* inverse_kinematics.c */
route_handler inverse_kinematics;
/* base_parameters.c */
route_handler base_parameters;
/* code.c */
route_handler code_make, code_proof_list;
/* replan.c */
route_handler trajectory_replan;

/* energy_estimates.c */
route_handler energy_estimate;
/* identifications.c */
route_handler identification_covariance;
/* versioned.c: every kind of what people write */
route_handler versioned_create, versioned_list, versioned_get, versioned_put, versioned_delete;
/* uploads.c, datasets.c, dataset_samples.c */
route_handler dataset_upload, dataset_list, dataset_patch, dataset_samples;
/* meshes.c */
route_handler mesh_list, mesh_get;
/* cells.c */
route_handler cell_get;
/* clearance.c */
route_handler clearance;
/* fitted_bodies.c */
route_handler fitted_bodies;
/* torque_shares.c */
route_handler torque_shares;
/* mode_fits.c */
route_handler mode_fit;
/* pendulum_tests.c */
route_handler pendulum_test;
/* vibrations.c */
route_handler vibrations;
/* result_report.c */
route_handler result_report;
/* evaluation_table.c */
route_handler evaluation_table;
/* identification_report.c */
route_handler identification_report;
/* identification_compare.c */
route_handler identification_compare;
/* promote.c */
route_handler identification_promote;
/* results.c: every kind of results */
route_handler result_list, result_get, result_patch, result_delete, result_samples;
/* shift_report.c */
route_handler shift_report;
/* trajectory_report.c */
route_handler trajectory_report;
/* jobs.c */
route_handler job_create, job_list, job_get, job_cancel;
/* events.c */
route_handler alarm_list, alarm_get, alarm_acknowledge;
route_handler event_stream, event_log, job_events, controller_events;
/* controllers.c */
route_handler controller_status, controller_stop, controller_clear, controller_evict;
/* controller_part.c */
route_handler controller_part_get, controller_part_put;
/* controller_test.c */
route_handler controller_test_begin, controller_test_get, controller_test_cancel;
/* arm_watch.c */
route_handler arm_watch_start, arm_watch_get, arm_watch_stop;
/* stop_all.c */
route_handler controllers_stop;
/* dry_run.c */
route_handler controller_dry_run;
/* orders.c */
route_handler order_create, order_list, order_get, order_patch, order_start, order_hold, order_resume, order_cancel,
    order_cancel_many, job_cancel_many, queue_get, queue_release;
/* transfer_notes.c */
route_handler transfer_patch;
/* transfers.c */
route_handler transfer_create, transfer_list, transfer_get, transfer_arm, transfer_start, transfer_hold,
    transfer_resume, transfer_stop, transfer_comparison;

#endif
