/* Data sets that a request names, as what its job computes from. */
#ifndef SERVER_JOBS_DATASET_SOURCES_H
#define SERVER_JOBS_DATASET_SOURCES_H

#include "api/codec/identification.h"
#include "server/jobs/kinds.h"

/* Answers how many were added: as many as the list has.
 *   name  in  of the request's member: "datasets" */
size_t dataset_sources(const struct id_list *list, const char *name, struct job_source *sources);

#endif
