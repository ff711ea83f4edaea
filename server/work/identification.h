/* What identification jobs leave in the store beside their document. */
#ifndef SERVER_WORK_IDENTIFICATION_H
#define SERVER_WORK_IDENTIFICATION_H

#define SERIES_COVARIANCE "covariance" /* of the base parameters, row by row */

#endif
