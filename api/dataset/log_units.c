#include "api/dataset/log_units.h"

#define PI 3.14159265358979323846

/* To add a unit: its name, and a row. The first one of a quantity that a kind of joint has is its SI unit. */
const char *const log_unit_names[LOG_UNITS] = {
  "s",
  "ms",
  "us",
  "ns",
  "min",
  "rad",
  "deg",
  "rev",
  "m",
  "mm",
  "rad/s",
  "deg/s",
  "rpm",
  "m/s",
  "mm/s",
  "mm/min",
  "rad/s^2",
  "deg/s^2",
  "m/s^2",
  "mm/s^2",
  "N*m",
  "N*mm",
  "kN*m",
  "N",
  "kN",
  "permille_rated",
  "percent_rated",
  "A",
  "mA",
};
const struct log_unit log_units[LOG_UNITS] = {
  { LOG_TIME, true, true, 1, 1 },          { LOG_TIME, true, true, 1, 1e3 },
  { LOG_TIME, true, true, 1, 1e6 },        { LOG_TIME, true, true, 1, 1e9 },
  { LOG_TIME, true, true, 60, 1 },         { LOG_POSITION, true, false, 1, 1 },
  { LOG_POSITION, true, false, PI, 180 },  { LOG_POSITION, true, false, 2 * PI, 1 },
  { LOG_POSITION, false, true, 1, 1 },     { LOG_POSITION, false, true, 1, 1e3 },
  { LOG_VELOCITY, true, false, 1, 1 },     { LOG_VELOCITY, true, false, PI, 180 },
  { LOG_VELOCITY, true, false, PI, 30 },   { LOG_VELOCITY, false, true, 1, 1 },
  { LOG_VELOCITY, false, true, 1, 1e3 },   { LOG_VELOCITY, false, true, 1, 6e4 },
  { LOG_ACCELERATION, true, false, 1, 1 }, { LOG_ACCELERATION, true, false, PI, 180 },
  { LOG_ACCELERATION, false, true, 1, 1 }, { LOG_ACCELERATION, false, true, 1, 1e3 },
  { LOG_TORQUE, true, false, 1, 1 },       { LOG_TORQUE, true, false, 1, 1e3 },
  { LOG_TORQUE, true, false, 1e3, 1 },     { LOG_TORQUE, false, true, 1, 1 },
  { LOG_TORQUE, false, true, 1e3, 1 },     { LOG_RATED, true, true, 1, 1e3 },
  { LOG_RATED, true, true, 1, 1e2 },       { LOG_CURRENT, true, true, 1, 1 },
  { LOG_CURRENT, true, true, 1, 1e3 },
};

const char *log_quantity_si(enum log_quantity quantity, bool revolute)
{
  unsigned unit = 0;
  while (log_units[unit].quantity != quantity || !(revolute ? log_units[unit].revolute : log_units[unit].prismatic))
    unit++;
  return log_unit_names[unit];
}
