/* Register maps: controllers that have registers of their own, described field by field. */
#ifndef API_CODEC_REGISTER_MAP_H
#define API_CODEC_REGISTER_MAP_H

#include "api/json/fields.h"

enum { MAP_NAME_SIZE = 32 };
enum map_register { MAP_HOLDING, MAP_INPUT, MAP_COIL, MAP_DISCRETE };
enum map_type { MAP_INT16, MAP_UINT16, MAP_INT32, MAP_UINT32, MAP_FLOAT32, MAP_FLOAT64 };
/* A is the first byte of the value as numbers are written. Of one register ABCD and CDAB are AB, the others BA; of four
 * registers CDAB is the last register first, BADC swaps the bytes of each, DCBA does both. */
enum map_order { MAP_ABCD, MAP_CDAB, MAP_BADC, MAP_DCBA };
enum map_access { MAP_READ, MAP_WRITE, MAP_READ_WRITE };
enum map_verify { MAP_TRUSTED, MAP_READ_BACK };

/* How a number stands in registers: number = scale raw + offset. */
struct map_form {
  enum map_type type;
  enum map_order order;
  double scale, offset;
  double min, max; /* of the number; what is beyond is never written */
};

/* A value with a name. */
struct map_field {
  char name[MAP_NAME_SIZE];
  enum map_register space;
  int address; /* as the controller's manual counts */
  int unit_id; /* -1: the controller's */
  struct map_form form;
  char unit[16]; /* in words, for people */
  enum map_access access;
  enum map_verify verify;
};

enum map_quantity { MAP_POSITION, MAP_TORQUE };
/* One number of a point. */
struct map_column {
  int axis;
  enum map_quantity quantity;
  int at; /* registers from the point's first */
  struct map_form form;
};

/* A value to be written to a field; field "" = none. */
struct map_action {
  char field[MAP_NAME_SIZE];
  double value;
};

/* Where the points of a profile go: all of them into one table, or page by page. */
struct map_points {
  int address, count, stride; /* first register, points that fit, registers of a point */
  int unit_id;                /* -1: the controller's */
  enum map_verify verify;
  size_t column_count;
  struct map_column columns[2 * LIMIT_AXES];
  char period_field[MAP_NAME_SIZE];     /* written first: the period, s; "" = none */
  char count_field[MAP_NAME_SIZE];      /* written last: points of the profile */
  char index_field[MAP_NAME_SIZE];      /* of pages: written before each, the index of its first point */
  char page_count_field[MAP_NAME_SIZE]; /* of pages: written after each, its points */
  struct map_action page_trigger;       /* of pages: after each */
  struct map_action trigger;            /* after all */
};

/* What values of a field mean; none: that state is never seen. */
enum { MAP_STATES = 5, MAP_STATE_VALUES = 8 };
enum map_state { MAP_IDLE, MAP_PLAYING, MAP_HOLDING_STATE, MAP_DONE, MAP_FAULT };
struct map_states {
  char field[MAP_NAME_SIZE];
  size_t counts[MAP_STATES];
  double values[MAP_STATES][MAP_STATE_VALUES];
};

struct map_commands {
  struct map_action arm, start, hold, resume, stop, clear;
};

struct register_map {
  int address_base;
  int write_most, read_most; /* registers of one request */
  int pause_after_connect_ms, pause_ms, timeout_ms;
  size_t field_count;
  struct map_field fields[LIMIT_MAP_FIELDS];
  bool has_points, has_states;
  struct map_points points;
  struct map_states states;
  struct map_commands commands;
  char heartbeat[MAP_NAME_SIZE]; /* a field that counts up every 200 ms; "" = none */
  size_t position_count, torque_count;
  struct map_signal {
    int axis;
    char field[MAP_NAME_SIZE];
  } positions[LIMIT_AXES], torques[LIMIT_AXES]; /* as measured, in the controller's units of a point */
};

/* The JSON of it: an object of a field table that a controller's profile holds. */
extern const struct json_type register_map_type;

/* Registers of a value. */
int map_type_words(enum map_type type);
/* The field of this name, or NULL. */
const struct map_field *map_field_of(const struct register_map *map, const char *name);

#endif
