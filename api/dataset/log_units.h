/* The units that logs come in. */
#ifndef API_DATASET_LOG_UNITS_H
#define API_DATASET_LOG_UNITS_H

#include <stdbool.h>

/* What becomes of a number: these are for times, for the positions of either kind of joint, and so on. */
enum log_quantity { LOG_TIME, LOG_POSITION, LOG_VELOCITY, LOG_ACCELERATION, LOG_TORQUE, LOG_RATED, LOG_CURRENT };

struct log_unit {
  enum log_quantity quantity;
  bool revolute, prismatic; /* the joints that have it */
  double times, over;       /* SI = number * times / over; a share of the rated torque; A */
};

enum { LOG_UNITS = 29 };
extern const char *const log_unit_names[LOG_UNITS];
extern const struct log_unit log_units[LOG_UNITS];
/* The SI unit of a quantity: "rad" or "m". */
const char *log_quantity_si(enum log_quantity quantity, bool revolute);

#endif
