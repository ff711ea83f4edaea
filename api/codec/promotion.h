/* Promotions: the parameters of an identification, or of an identification of friction, as a new revision of its robot. */
#ifndef API_CODEC_PROMOTION_H
#define API_CODEC_PROMOTION_H

#include "api/json/document.h"
#include "api/json/fields.h"
#include "armdyn/adopt.h"

enum { PROMOTION_ACKNOWLEDGED = 32, PROMOTION_REASON = 1024 };

struct promotion_acknowledged {
  size_t count;
  char codes[PROMOTION_ACKNOWLEDGED][64];
};
/* Beside enum armdyn_adopt: the payload of the model becomes the one that was identified. */
enum {
  PROMOTE_PAYLOAD = 8,
  PROMOTE_ALL = ARMDYN_ADOPT_LINKS | ARMDYN_ADOPT_FRICTION | ARMDYN_ADOPT_ROTORS | PROMOTE_PAYLOAD
};
struct promotion_include {
  unsigned what; /* enum armdyn_adopt, PROMOTE_PAYLOAD */
};
struct promotion_request {
  int64_t base_revision;
  struct promotion_include include; /* all unless asked otherwise */
  struct promotion_acknowledged acknowledge;
  bool dry_run;
  char reason[PROMOTION_REASON + 1];
  char alias[ARMDYN_NAME_SIZE]; /* that stands for the new revision then; "": none */
};
enum armdyn_status promotion_request_decode(const char *text, size_t length, struct promotion_request *out,
                                            struct faults *faults);

/* What an identification's document says for it. */
enum { PROMOTION_PARAMETERS = ARMDYN_JOINTS_MAX * 32 };
struct promotion_parameter {
  char joint[ARMDYN_NAME_SIZE];
  struct armdyn_parameter_id id; /* its joint is not known before there is a model */
  double value, deviation;       /* NAN: not known */
};
/* All friction of a joint: it takes the place of what the model has. */
struct promotion_friction {
  char joint[ARMDYN_NAME_SIZE];
  struct armdyn_friction friction, deviation; /* deviation 0: not known */
};
struct promotion_source {
  size_t friction_count; /* of an identification of friction; else 0 */
  struct promotion_friction frictions[ARMDYN_JOINTS_MAX];
  size_t count;
  struct promotion_parameter parameters[PROMOTION_PARAMETERS];
  size_t warning_count;
  char warnings[64][64]; /* codes, each once */
  bool physically_consistent;
  bool has_payload;
  struct armdyn_body payload, payload_deviation; /* NAN: not known */
};
/*   document  in  NULL = there was no memory to read it
 * OK, ELIMIT, EINPUT (a parameter of no known name), EMEMORY. */
enum armdyn_status promotion_source_read(const cJSON *document, struct promotion_source *out);
/* Its part about an identification of friction: the joints whose friction was found. OK, ELIMIT, EINPUT, EMEMORY. */
enum armdyn_status promotion_frictions_read(const cJSON *document, struct promotion_source *out);
/* Put what was identified into a model of the same joints.
 *   what  in  as in promotion_include
 * OK, EINPUT, EMEMORY. */
enum armdyn_status promotion_apply(const struct promotion_source *source, unsigned what,
                                   struct armdyn_robot_description *model, struct armdyn_error *error);

/* What changes between two models of one robot: numbers of links, drives and friction.
 *   source  in  for the deviations */
struct promotion_answer {
  const struct armdyn_robot_description *old, *new;
  const struct promotion_source *source;
  long long base_revision, revision; /* revision 0: a dry run */
  const double *torque_change;       /* n, N m */
  bool physically_consistent;
};
void promotion_answer_encode(const struct promotion_answer *answer, struct buffer *out);

#endif
