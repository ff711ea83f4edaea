/* Register maps: controllers that have registers of their own, described field by field. */
#ifndef API_CODEC_REGISTER_MAP_H
#define API_CODEC_REGISTER_MAP_H

#include "api/json/fields.h"

enum { MAP_NAME_SIZE = 32 };
enum map_register { MAP_HOLDING, MAP_INPUT, MAP_COIL, MAP_DISCRETE };
enum map_type { MAP_INT16, MAP_UINT16, MAP_INT32, MAP_UINT32, MAP_INT64, MAP_UINT64, MAP_FLOAT32, MAP_FLOAT64 };
/* A is the first byte of the value as numbers are written. Of one register ABCD and CDAB are AB, the others BA; of four
 * registers CDAB is the last register first, BADC swaps the bytes of each, DCBA does both. */
enum map_order { MAP_ABCD, MAP_CDAB, MAP_BADC, MAP_DCBA };
enum map_access { MAP_READ, MAP_WRITE, MAP_READ_WRITE };
enum map_verify { MAP_TRUSTED, MAP_READ_BACK };
enum map_writing {
  MAP_WRITE_AS_FITS,
  MAP_WRITE_SINGLE,
  MAP_WRITE_MULTIPLE
}; /* function 6 of one, 16; 6 alone; 16 alone */

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
  int mask;      /* the bits of its register that it is; 0: all of them */
  char unit[16]; /* in words, for people */
  enum map_access access;
  enum map_verify verify;
};

enum map_quantity { MAP_POSITION, MAP_TORQUE, MAP_VELOCITY };
/* One number of a point. */
struct map_column {
  int axis;
  enum map_quantity quantity;
  int table; /* index of the one that it stands in */
  int at;    /* registers from the point's first there */
  struct map_form form;
};

/* Registers from `address` on, `stride` of them for each point. */
struct map_table {
  int address, stride;
  int unit_id; /* -1: the controller's */
};

/* -- steps (map_steps.c) -- */

enum map_step_kind {
  MAP_STEP_WRITE,
  MAP_STEP_PULSE,  /* write, and after a while 0 */
  MAP_STEP_TOGGLE, /* the other value of a bit */
  MAP_STEP_WAIT,   /* until a field has a value */
  MAP_STEP_CHECK,  /* that it has, now */
  MAP_STEP_NOT_YET /* of no map: until a field has another value; what is waited for must not be there already */
};
/* A number, or what has one by then. */
enum map_word {
  MAP_WORD_NUMBER,
  MAP_WORD_POINTS,      /* of the profile */
  MAP_WORD_FIRST,       /* of the page: index of its first point */
  MAP_WORD_PAGE_POINTS, /* its points */
  MAP_WORD_PAGE,        /* its number, from 1 */
  MAP_WORD_TOGGLED      /* what the last toggle wrote */
};
struct map_value {
  enum map_word word;
  double number;
};
struct map_step {
  enum map_step_kind kind;
  char field[MAP_NAME_SIZE];
  bool has_value, has_equal_to;
  struct map_value value;    /* to be written */
  struct map_value equal_to; /* to be found */
  int hold_ms, timeout_ms;   /* of a pulse; of a wait */
};
enum { MAP_STEPS_MOST = 8 };
struct map_steps {
  bool alone; /* one, not in a list */
  size_t count;
  struct map_step steps[MAP_STEPS_MOST];
};

/* Where the points of a profile go: all of them at once, or page by page. */
struct map_points {
  int count; /* points that every table has room for */
  bool has_address, has_stride;
  struct map_table alone; /* without a list of tables */
  size_t table_count;
  struct map_table tables[LIMIT_AXES]; /* one for each axis, say */
  enum map_verify verify;
  size_t column_count;
  struct map_column columns[3 * LIMIT_AXES];
  char period_field[MAP_NAME_SIZE]; /* written first: the period, s; one that can only be read must be it. "" = none */
  char count_field[MAP_NAME_SIZE];  /* points of the profile, likewise, after the last of them */
  char index_field[MAP_NAME_SIZE];  /* of pages: written before each, the index of its first point */
  char page_count_field[MAP_NAME_SIZE];   /* of pages: written after each, its points */
  struct map_steps page_trigger, trigger; /* of earlier maps; moved to the commands page and commit */
};

/* What is done when. */
struct map_commands {
  struct map_steps begin;  /* before everything of a profile */
  struct map_steps page;   /* after the points of each page */
  struct map_steps commit; /* after everything */
  struct map_steps arm, start, hold, resume, stop, clear;
};

/* What values of a field mean; none: that state is never seen. */
enum { MAP_STATES = 5, MAP_STATE_VALUES = 8 };
enum map_state { MAP_IDLE, MAP_PLAYING, MAP_HOLDING_STATE, MAP_DONE, MAP_FAULT };
struct map_states {
  char field[MAP_NAME_SIZE];
  size_t counts[MAP_STATES];
  double values[MAP_STATES][MAP_STATE_VALUES];
};

/* -- outputs (map_outputs.c) -- */

enum { MAP_OUTPUTS_MOST = 16, MAP_OUTPUT_VALUES = 8 };
/* Something that the controller switches, a gripper say. */
struct map_output {
  char name[MAP_NAME_SIZE];
  char field[MAP_NAME_SIZE];        /* what is written */
  char confirmed_by[MAP_NAME_SIZE]; /* what tells that it is so */
  size_t value_count;
  struct map_output_value {
    char name[MAP_NAME_SIZE];
    double write, confirmed; /* what is written to `field`, and what `confirmed_by` tells then */
  } values[MAP_OUTPUT_VALUES];
};
/* The output of this name is to have the value of this name. */
struct output_setting {
  char name[MAP_NAME_SIZE], value[MAP_NAME_SIZE];
};

struct register_map {
  int address_base;
  int write_most, read_most; /* registers of one request */
  enum map_writing writing;
  int pause_after_connect_ms, pause_ms, timeout_ms;
  bool unverified; /* what the controller holds cannot be read; it is never started from here */
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
  char played_field[MAP_NAME_SIZE];             /* tells the point that is played, from 0; "" = none */
  size_t output_count;
  struct map_output outputs[MAP_OUTPUTS_MOST];
};

/* The JSON of it: an object of a field table that a controller's profile holds. */
extern const struct json_type register_map_type;

/* Registers of a value. */
int map_type_words(enum map_type type);
/* Is it one bit, or one of a register? */
bool map_field_is_bit(const struct map_field *field);
size_t map_table_count(const struct map_points *points);
const struct map_table *map_table_of(const struct map_points *points, size_t index);
/* The field of this name, or NULL. */
const struct map_field *map_field_of(const struct register_map *map, const char *name);
/* JSON of a struct output_setting. */
extern const struct json_type output_setting_type;
/* What stands for a setting; false: the map has no such output, or that no such value, and `text` says what there is.
 *   member  out  which member is wrong: "/name" or "/value"; "": it has no outputs */
bool map_output_find(const struct register_map *map, const struct output_setting *setting,
                     const struct map_output **output, const struct map_output_value **value, const char **member,
                     char *text, size_t size);

/* -- for register_map.c: the JSON of outputs and steps -- */

extern const struct json_type map_output_type;
/* What outputs say of fields and values. */
void map_check_outputs(struct json_reader *r, const struct register_map *map);

/* A struct map_steps: a list of steps, or one alone without a list. */
json_decode_function map_steps_decode;
json_encode_function map_steps_encode;
#define MAP_STEPS(type_, member_)                                                                                      \
  CUSTOM(type_, member_, map_steps_decode, map_steps_encode, "a step, or a list of steps"), OMIT_DEFAULT
/* Does a name stand for a field of this use? Else a fault. */
void map_check_name(struct json_reader *r, const struct register_map *map, const char *where, const char *name,
                    bool written);
/* What steps say of fields and values. */
void map_check_steps(struct json_reader *r, const struct register_map *map);

#endif
