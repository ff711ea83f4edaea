/* What the arm carries in a motion, and how it stands: payload, tool and gravity in place of the stored model's, or a part,
 * which is a payload with a name and often a tool of its own. */
#ifndef API_CODEC_CARRIED_H
#define API_CODEC_CARRIED_H

#include "api/codec/parts.h"
#include "api/json/document.h"

enum { PART_NAME_SIZE = 65 };

/* [A-Za-z0-9][A-Za-z0-9._-]{0,63}: as people number their parts. */
extern const struct json_pattern part_name_pattern;

struct part {
  char name[PART_NAME_SIZE];
  struct armdyn_body payload; /* in the tool frame */
  struct armdyn_pose tool;
  bool has_tool; /* else the tool is the model's */
  bool known;    /* it is written out; false: a name alone, which nobody has looked up */
};
extern const struct json_type part_type; /* {"name", "payload", "tool"}, all of it written out */

/* As requests have it; `overrides` has the part's payload and tool once it is decoded. */
struct carried {
  struct overrides overrides;
  bool has_part;
  struct part part;
};

/* Rows of the field table of a struct that begins with a struct carried; its check calls carried_check. */
json_decode_function carried_part_decode;
#define CARRIED                                                                                                        \
  OVERRIDES,                                                                                                           \
  {                                                                                                                    \
    CUSTOM(struct carried, part, carried_part_decode, NULL,                                                            \
           "the name of a part, or {\"name\", \"payload\", \"tool\"}"),                                                \
        HAS(struct carried, has_part), NULLABLE                                                                        \
  }
/* A part says payload and tool itself; it becomes the overrides. Adds faults. */
void carried_check(struct json_reader *r, struct carried *carried);

/* The member "conditions" of a stored document: {"part", "payload", "tool", "gravity"}, those of them that are not the
 * model's; nothing where all are. */
void carried_encode(struct json_writer *w, const struct carried *carried);
/* Of a stored document; all false when it has none. OK, EMEMORY, EIO: it is not as carried_encode wrote it. */
enum armdyn_status carried_read(const char *document, struct carried *carried);
/* Of a stored part: what it puts in place of the model's. OK, EMEMORY, EIO. */
enum armdyn_status carried_of_part(const char *document, struct carried *carried);
bool carried_any(const struct carried *carried);

#endif
