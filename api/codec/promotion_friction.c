/* What the document of an identification of friction says for a promotion. */
#include <math.h>

#include "api/codec/promotion.h"
#include "api/codec/robot.h"

/* Those of what a joint does not have stay 0. */
static double number_or_0(const cJSON *in, const char *path)
{
  const double number = document_number(in, path);
  return isnan(number) ? 0 : number;
}

static void read_deviations(const cJSON *std, size_t lines, struct armdyn_friction *out)
{
  const double coulomb = number_or_0(std, "coulomb"), viscous = number_or_0(std, "viscous");
  *out = (struct armdyn_friction){
    .offset = number_or_0(std, "offset"),
    .coulomb = { coulomb, coulomb },
    .stiction = number_or_0(std, "stiction"),
    .stribeck_velocity = number_or_0(std, "stribeck_velocity"),
    .viscous = { viscous, viscous },
    .high_speed = number_or_0(std, "high_speed"),
    .ripple_count = lines,
  };
  for (size_t k = 0; k < lines; k++) {
    const cJSON *line = cJSON_GetArrayItem(document_at(std, "position"), (int)k);
    out->ripples[k].amplitude = number_or_0(line, "amplitude");
    out->ripples[k].phase = number_or_0(line, "phase");
  }
}

/* As a model has it. */
static enum armdyn_status read_friction(const cJSON *friction, struct armdyn_friction *out)
{
  struct buffer text = BUFFER(LIMIT_MODEL_BODY);
  struct json_writer w = { .out = &text };
  struct faults faults = { .count = 0 };
  document_write(&w, friction);
  enum armdyn_status status = text.failure;
  if (!status) status = json_decode(text.data, text.length, &robot_friction_type, out, NULL, &faults);
  buffer_release(&text);
  return status;
}

enum armdyn_status promotion_frictions_read(const cJSON *document, struct promotion_source *out)
{
  const cJSON *item;
  cJSON_ArrayForEach (item, document_at(document, "joints")) {
    const cJSON *friction = document_at(item, "friction");
    if (!cJSON_IsObject(friction)) continue; /* too few runs */
    if (out->friction_count == ARMDYN_JOINTS_MAX) return ARMDYN_ELIMIT;
    struct promotion_friction *p = &out->frictions[out->friction_count++];
    document_copy_text(item, "joint", p->joint, sizeof p->joint);
    const enum armdyn_status status = read_friction(friction, &p->friction);
    if (status) return status;
    read_deviations(document_at(item, "std"), p->friction.ripple_count, &p->deviation);
  }
  return ARMDYN_OK;
}
