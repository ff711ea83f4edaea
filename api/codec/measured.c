#include "api/codec/measured.h"

#include <math.h>

static const char *unit_of(const struct playback *p, size_t j)
{
  return p->robot->joints[j].type == ARMDYN_PRISMATIC ? "m" : "rad";
}

/* That was farthest from its plan. There is one tolerance for all joints, so the greatest number is the worst. */
static size_t worst_joint(const struct playback *p)
{
  size_t worst = 0;
  for (size_t j = 1; j < p->robot->joint_count; j++)
    if (p->position[j].max > p->position[worst].max) worst = j;
  return worst;
}

static void write_deviation(struct json_writer *w, const struct playback *p, size_t j)
{
  json_member_text(w, "joint", p->robot->joints[j].name);
  json_member_text(w, "unit", unit_of(p, j));
  json_member_number(w, "deviation", p->position[j].worst);
  json_member_number(w, "deviation_at", p->position[j].worst_at);
}

static void write_worst(struct json_writer *w, const struct playback *p)
{
  json_key(w, "worst_deviation"), json_begin_object(w);
  write_deviation(w, p, worst_joint(p));
  json_member_number(w, "tolerance", p->tolerance);
  json_end_object(w);
}

static void write_joints(struct json_writer *w, const struct playback *p)
{
  json_key(w, "joints"), json_begin_array(w);
  for (size_t j = 0; j < p->robot->joint_count; j++) {
    json_begin_object(w);
    write_deviation(w, p, j);
    json_member_number(w, "deviation_rms", p->position[j].rms);
    json_end_object(w);
  }
  json_end_array(w);
}

static double measured_time(const struct playback *p)
{
  double sum = 0;
  for (size_t i = 0; i < p->part_count; i++) sum += p->parts[i].to - p->parts[i].from;
  return sum;
}

void measured_encode(const struct playback *p, struct buffer *out)
{
  struct json_writer w = { .out = out };
  json_begin_object(&w);
  json_key(&w, "samples"), json_write_integer(&w, (long long)p->samples);
  json_member_number(&w, "measured_time", measured_time(p));
  json_member_text(&w, "torque_source", p->commanded ? "command" : "sensor");
  json_member_number(&w, "mechanical_energy_measured",
                     p->commanded ? NAN : p->mechanical.measured + p->mechanical.braking_measured);
  json_member_number(&w, "electrical_energy_modelled_from_measured",
                     p->commanded || !p->has_electrical ? NAN : p->electrical.measured);
  write_worst(&w, p);
  write_joints(&w, p);
  json_end_object(&w);
}
