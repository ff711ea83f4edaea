/* Mappings: how the logs of a drive become columns of a data set. A number that is read becomes
 * (sign scale number + offset), in the unit that is named; the unit makes it SI.
 *
 *   {"delimiter": ";", "decimal": ",", "encoding": "windows-1252", "skip_rows": 5, "time": {"column": "Time", "unit": "ms"},
 *    "columns": {"q1": {"column": "A1.ActPos", "unit": "deg", "sign": -1}, "tau1": {"column": "A1.ActTrq", "unit":
 *    "permille_rated"}}}
 *
 * A log without names has its columns by number, one without a clock a rate:
 *
 *   {"header": false, "delimiter": " ", "time": {"rate": 250}, "columns": {"q1": {"number": 1, "unit": "rad"}}} */
#ifndef API_DATASET_MAPPING_H
#define API_DATASET_MAPPING_H

#include "api/csv/csv.h"
#include "api/dataset/layout.h"
#include "api/dataset/text.h"
#include "armdyn/robot.h"

/* What a column may be: a field of a data set, or the motor current that torque is made of. */
enum mapping_field {
  MAPPING_T = DATASET_T,
  MAPPING_Q = DATASET_Q,
  MAPPING_QD = DATASET_QD,
  MAPPING_QDD = DATASET_QDD,
  MAPPING_TAU = DATASET_TAU,
  MAPPING_I,
  MAPPING_FIELDS
};
extern const char *const mapping_field_names[MAPPING_FIELDS]; /* "t", "q", "qd", "qdd", "tau", "i" */
/* "q3": a field and a joint from 1; "t". False: neither. */
void mapping_target_name(enum mapping_field field, size_t joint, char name[DATASET_NAME_SIZE]);

enum { MAPPING_JOINT_SIDE, MAPPING_MOTOR_SIDE };

struct mapping_column {
  enum mapping_field field;
  size_t joint; /* from 1; 0 of the time */
  bool named;   /* it has a name in the log: `column`; else a number, from 1 */
  char column[CSV_NAME_SIZE];
  size_t number;
  double rate;   /* of the time: of a log that has no clock, Hz; NAN: it has */
  unsigned unit; /* a row of the table in log_units.c */
  unsigned side; /* of the gear: MAPPING_JOINT_SIDE, MAPPING_MOTOR_SIDE */
  int sign;
  double scale, offset;
  double rated; /* N m, N of permille_rated and percent_rated; NAN: the joint's torque limit */
};

struct mapping_columns {
  size_t count;
  struct mapping_column items[MAPPING_FIELDS * ARMDYN_JOINTS_MAX];
};

struct dataset_mapping {
  char description[LIMIT_TAG + 1];
  unsigned delimiter, decimal; /* rows of tables in mapping.c */
  enum text_encoding encoding;
  size_t skip_rows;
  bool header; /* a line names the columns */
  struct mapping_column time;
  struct mapping_columns columns;
};

/* OK, ESYNTAX, EINPUT, EMEMORY. What depends on the robot is checked when a log is read. */
enum armdyn_status dataset_mapping_decode(const char *text, size_t length, struct dataset_mapping *mapping,
                                          struct faults *faults);
/* What the store keeps; decode(encode(x)) == x. */
void dataset_mapping_encode(const struct dataset_mapping *mapping, struct buffer *out);
/* What GET answers. */
void dataset_mapping_resource(const struct dataset_mapping *mapping, const char *name, const char *created_at,
                              struct buffer *out);
struct csv_form dataset_mapping_form(const struct dataset_mapping *mapping);

#endif
