#include "api/codec/diagnosis.h"

static void write_errors(struct json_writer *w, double error, const double *joint_error, size_t joints)
{
  json_key(w, "error"), json_write_number(w, error);
  json_key(w, "joint_error"), json_write_table(w, joint_error, &joints, 1);
}

static void write_finding(struct json_writer *w, const struct armdyn_finding *f,
                          const struct armdyn_robot_description *robot)
{
  json_begin_object(w);
  json_key(w, "mistakes"), json_begin_array(w);
  for (size_t k = 0; k < f->mistake_count; k++) json_write_text(w, armdyn_mistake_code(f->mistakes[k]));
  json_end_array(w);
  write_errors(w, f->error, f->joint_error, robot->joint_count);
  json_key(w, "explains"), json_write_truth(w, f->explains);
  json_key(w, "ambiguous"), json_write_truth(w, f->ambiguous);
  if (f->reordered) {
    json_key(w, "order"), json_begin_array(w);
    for (size_t i = 0; i < robot->joint_count; i++) json_write_text(w, robot->joints[f->order[i]].name);
    json_end_array(w);
  }
  json_key(w, "lessons"), json_begin_array(w);
  for (size_t k = 0; k < f->mistake_count; k++) json_write_text(w, armdyn_mistake_lesson(f->mistakes[k]));
  json_end_array(w);
  json_end_object(w);
}

static const char *verdict(const struct armdyn_diagnosis *d)
{
  if (d->agrees) return "agrees";
  if (d->finding_count && d->findings[0].explains) return "explained";
  return d->finding_count && d->findings[0].ambiguous ? "ambiguous" : "unexplained";
}

void diagnosis_encode(struct buffer *out, const struct armdyn_diagnosis *diagnosis,
                      const struct armdyn_robot_description *robot, long long revision)
{
  struct json_writer w = { .out = out };
  json_begin_object(&w);
  json_key(&w, "revision"), json_write_integer(&w, revision);
  json_key(&w, "verdict"), json_write_text(&w, verdict(diagnosis));
  write_errors(&w, diagnosis->error, diagnosis->joint_error, robot->joint_count);
  json_key(&w, "findings"), json_begin_array(&w);
  for (size_t i = 0; i < diagnosis->finding_count; i++) write_finding(&w, &diagnosis->findings[i], robot);
  json_end_array(&w);
  json_key(&w, "unseen"), json_begin_array(&w);
  for (size_t i = 0; i < diagnosis->unseen_count; i++) json_write_text(&w, armdyn_mistake_code(diagnosis->unseen[i]));
  json_end_array(&w);
  json_end_object(&w);
}
