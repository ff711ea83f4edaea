/* What a watch has learnt, over the end of the service. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/json/document.h"
#include "server/watch/following.h"

void following_save(const struct following *f, struct buffer *out)
{
  const struct watch_view view = following_view(f);
  const size_t count = armdyn_drift_state_count(f->drift);
  double *state = malloc(count * sizeof *state);
  struct json_writer w = { .out = out };
  if (!state) {
    out->failure = ARMDYN_EMEMORY;
    return;
  }
  armdyn_drift_save(f->drift, state);
  json_begin_object(&w);
  watch_encode(&view, &w);
  json_key(&w, "due"), json_write_number(&w, f->due);
  json_key(&w, "state"), json_write_numbers(&w, state, count);
  json_end_object(&w);
  free(state);
}

static size_t count_at(const cJSON *document, const char *path)
{
  const double count = document_number(document, path);
  return count >= 0 && count < 1e15 ? (size_t)count : 0;
}

static bool restore_drift(struct following *f, const cJSON *document)
{
  const size_t count = armdyn_drift_state_count(f->drift);
  double *state = malloc((count + 1) * sizeof *state);
  const bool done = state && document_numbers(document, "state", state, count + 1) == count &&
                    armdyn_drift_restore(f->drift, state, count);
  free(state);
  return done;
}

static void restore_gaps(struct following *f, const cJSON *document)
{
  const cJSON *item;
  size_t listed = 0;
  cJSON_ArrayForEach (item, document_at(document, "gaps/last")) {
    if (listed == WATCH_GAPS) break;
    struct watch_gap *gap = &f->gaps[listed++];
    const char *reason = document_text(item, "reason");
    *gap = (struct watch_gap){ .reason = WATCH_GAP_MISSING };
    for (size_t r = 0; reason && r < WATCH_GAP_REASONS; r++)
      if (!strcmp(reason, watch_gap_names[r])) gap->reason = (enum watch_gap_reason)r;
    document_copy_text(item, "from", gap->from, sizeof gap->from);
    document_copy_text(item, "to", gap->to, sizeof gap->to);
    document_copy_text(item, "transfer", gap->transfer, sizeof gap->transfer);
  }
  f->gap_count = count_at(document, "gaps/count");
  if (f->gap_count < listed) f->gap_count = listed;
}

static void restore_history(struct following *f, const cJSON *document)
{
  const cJSON *item;
  cJSON_ArrayForEach (item, document_at(document, "history/points")) {
    if (f->point_count == WATCH_POINTS) break;
    struct watch_point *point = &f->points[f->point_count];
    document_copy_text(item, "at", point->at, sizeof point->at);
    point->seconds = document_number(item, "seconds");
    if (document_numbers(item, "change", point->change, f->b) == f->b &&
        document_numbers(item, "deviation", point->deviation, f->b) == f->b &&
        document_numbers(item, "drift_torque", point->drift_torque, f->n) == f->n)
      f->point_count++;
  }
  f->spacing = document_number(document, "history/spacing");
  f->due = document_number(document, "due");
}

/* Whether a joint had drifted decides when it has not any more. */
static void restore_joints(struct following *f, const cJSON *document)
{
  const cJSON *item;
  size_t j = 0;
  cJSON_ArrayForEach (item, document_at(document, "joints")) {
    if (j == f->n) break;
    f->joints[j].threshold = document_number(item, "threshold");
    f->joints[j].peak = document_number(item, "collision_peak");
    f->joints[j++].drifted = document_truth(item, "drifted");
  }
}

void following_restore(struct following *f, const char *state)
{
  cJSON *document = document_open(state);
  const bool same = document && document_number(document, "revision") == (double)f->model->revision &&
                    isfinite(document_number(document, "history/spacing")) && restore_drift(f, document);
  if (same) {
    struct armdyn_drift_estimate now = { .change = f->change, .deviation = f->deviation };
    if (!armdyn_drift_read(f->drift, &now))
      for (size_t j = 0; j < f->n; j++) f->joints[j].drift = now.joints[j];
    document_copy_text(document, "begun_at", f->begun_at, sizeof f->begun_at);
    document_copy_text(document, "updated_at", f->updated_at, sizeof f->updated_at);
    document_copy_text(document, "drifted_at", f->drifted_at, sizeof f->drifted_at);
    document_copy_text(document, "contacts/last_at", f->contact_at, sizeof f->contact_at);
    f->contacts = count_at(document, "contacts/count");
    f->motions = count_at(document, "motions");
    f->samples = count_at(document, "samples");
    f->seconds = fmax(document_number(document, "seconds"), 0);
    restore_gaps(f, document);
    restore_history(f, document);
    restore_joints(f, document);
  }
  document_close(document);
}
