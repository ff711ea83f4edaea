#include "server/gateway/map_plan.h"

#include <math.h>

struct planning {
  const struct register_map *map;
  const struct profile *profile;
  unsigned unit;
  map_visit *visit;
  void *context;
  bool ended;
  size_t total, first, page_points, page; /* what steps may name */
  double last[LIMIT_AXES];                /* torques of the sample before, as the controller understands them */
  struct armdyn_error *error;
};

static unsigned unit_of(int unit_id, unsigned unit)
{
  return unit_id < 0 ? unit : (unsigned)unit_id;
}

/* -- requests -- */

static int function_of(const struct planning *p, const struct map_request *r)
{
  static const int reading[] = { [MAP_HOLDING] = 3, [MAP_INPUT] = 4, [MAP_COIL] = 1, [MAP_DISCRETE] = 2 };
  if (r->kind > MAP_STEP_TOGGLE) return reading[r->space];
  if (r->space == MAP_COIL) return 5;
  return p->map->writing == MAP_WRITE_MULTIPLE || (p->map->writing == MAP_WRITE_AS_FITS && r->count > 1) ? 16 : 6;
}

static void visit_one(struct planning *p, struct map_request *r)
{
  if (p->ended) return;
  r->function = function_of(p, r);
  p->ended = !p->visit(p->context, r);
}

/* As many requests as the controller wants of it. */
static void visit(struct planning *p, struct map_request *r)
{
  if (r->kind > MAP_STEP_TOGGLE || p->map->writing != MAP_WRITE_SINGLE || r->count == 1) {
    visit_one(p, r);
    return;
  }
  struct map_request one = *r;
  one.count = 1;
  for (unsigned i = 0; i < r->count; i++) {
    one.address = r->address + i;
    one.words[0] = r->words[i];
    visit_one(p, &one);
  }
}

static enum armdyn_status request_of(const struct planning *p, const char *name, enum map_step_kind kind,
                                     const double *value, struct map_request *out)
{
  const struct map_field *f = map_field_of(p->map, name);
  *out = (struct map_request){ .kind = kind };
  if (!f) return armdyn_refuse(p->error, ARMDYN_EINPUT, "", "the register map has no field '%s'", name);
  bool bits = f->space == MAP_COIL || f->space == MAP_DISCRETE;
  *out = (struct map_request){ .kind = kind,
                               .unit = unit_of(f->unit_id, p->unit),
                               .address = (unsigned)(f->address - p->map->address_base),
                               .count = bits ? 1 : (unsigned)map_type_words(f->form.type),
                               .space = f->space,
                               .mask = f->mask ? (uint16_t)f->mask : UINT16_MAX,
                               .read_back = kind == MAP_STEP_WRITE && f->verify == MAP_READ_BACK };
  if (!value || map_field_encode(f, *value, out->words)) return ARMDYN_OK;
  return armdyn_refuse(p->error, ARMDYN_EINPUT, "", "field '%s' does not take %.9g", name, *value);
}

enum armdyn_status map_plan_field(const struct register_map *map, unsigned unit, const char *field, double value,
                                  map_visit *visitor, void *context, struct armdyn_error *error)
{
  struct planning p = { .map = map, .unit = unit, .visit = visitor, .context = context, .error = error };
  struct map_request r;
  enum armdyn_status rc = request_of(&p, field, MAP_STEP_WRITE, &value, &r);
  if (rc) return rc;
  snprintf(r.what, sizeof r.what, "%s = %.9g", field, value);
  visit(&p, &r);
  return ARMDYN_OK;
}

/* -- steps -- */

static double number_of(const struct planning *p, const struct map_value *value)
{
  switch (value->word) {
  case MAP_WORD_POINTS: return (double)p->total;
  case MAP_WORD_FIRST: return (double)p->first;
  case MAP_WORD_PAGE_POINTS: return (double)p->page_points;
  case MAP_WORD_PAGE: return (double)p->page;
  default: return value->number;
  }
}

static void say(struct map_request *r, const struct map_step *step, double number)
{
  char value[24];
  snprintf(value, sizeof value, "%.9g", number);
  const char *text = r->toggled ? "the toggled value" : value;
  static const struct {
    const char *before, *after;
  } texts[] = { { "", " = " },
                { "pulse of ", " = " },
                { "the other value of ", "" },
                { "wait until ", " = " },
                { "check that ", " = " },
                { "not yet: ", " = " } };
  snprintf(r->what, sizeof r->what, "%s%s%s%s", texts[r->kind].before, step->field, texts[r->kind].after,
           r->kind == MAP_STEP_TOGGLE ? "" : text);
}

static enum armdyn_status plan_step(struct planning *p, const struct map_step *step, enum map_step_kind kind)
{
  struct map_request r;
  const bool written = kind == MAP_STEP_WRITE || kind == MAP_STEP_PULSE;
  const struct map_value *value = written ? &step->value : &step->equal_to;
  const bool toggled = kind != MAP_STEP_TOGGLE && value->word == MAP_WORD_TOGGLED;
  const double number = number_of(p, value);
  enum armdyn_status rc = request_of(p, step->field, kind, toggled || kind == MAP_STEP_TOGGLE ? NULL : &number, &r);
  if (rc) return rc;
  r.toggled = toggled;
  r.hold_ms = kind == MAP_STEP_PULSE ? step->hold_ms : 0;
  r.timeout_ms = kind == MAP_STEP_WAIT || kind == MAP_STEP_NOT_YET ? step->timeout_ms : 0;
  say(&r, step, number);
  visit(p, &r);
  return ARMDYN_OK;
}

/* What is waited for after something was written, from this step on; the count: nothing is. */
static size_t awaited(const struct map_steps *steps, size_t from, bool written)
{
  for (size_t i = from; i < steps->count; i++) {
    if (steps->steps[i].kind <= MAP_STEP_TOGGLE) written = true;
    if (steps->steps[i].kind == MAP_STEP_WAIT) return written ? i : steps->count;
  }
  return steps->count;
}

/* An answer that stood there before it was asked for is none. Before a write, because what comes after it may be quick. */
static enum armdyn_status plan_not_yet(struct planning *p, const struct map_steps *steps, size_t from, bool written)
{
  const size_t i = awaited(steps, from, written);
  if (i == steps->count || steps->steps[i].equal_to.word == MAP_WORD_TOGGLED) return ARMDYN_OK;
  return plan_step(p, &steps->steps[i], MAP_STEP_NOT_YET);
}

static enum armdyn_status plan_steps(struct planning *p, const struct map_steps *steps, bool answers)
{
  enum armdyn_status rc = ARMDYN_OK;
  for (size_t i = 0; !rc && i < steps->count && !p->ended; i++) {
    rc = plan_step(p, &steps->steps[i], steps->steps[i].kind);
    if (!rc && answers && steps->steps[i].kind == MAP_STEP_WAIT) rc = plan_not_yet(p, steps, i + 1, false);
  }
  return rc;
}

enum armdyn_status map_plan_steps(const struct register_map *map, unsigned unit, const struct map_steps *steps,
                                  map_visit *visitor, void *context, struct armdyn_error *error)
{
  struct planning p = { .map = map, .unit = unit, .visit = visitor, .context = context, .error = error };
  return plan_steps(&p, steps, false);
}

/* -- what is said of a profile -- */

static enum armdyn_status plan_field(struct planning *p, const char *name, double value, bool stays)
{
  struct map_request r;
  if (!*name) return ARMDYN_OK;
  enum armdyn_status rc = request_of(p, name, MAP_STEP_WRITE, &value, &r);
  if (rc) return rc;
  const enum map_access access = map_field_of(p->map, name)->access;
  r.stays = stays && access == MAP_READ_WRITE;
  r.read_back = r.read_back || r.stays;
  snprintf(r.what, sizeof r.what, "%s = %.9g", name, value);
  visit(p, &r);
  return ARMDYN_OK;
}

/* Of a field that only the controller writes. */
static enum armdyn_status plan_told(struct planning *p, const char *name, double value, enum map_step_kind kind)
{
  enum { TOLD_MS = 2000 };
  struct map_request r;
  enum armdyn_status rc = request_of(p, name, kind, &value, &r);
  if (rc) return rc;
  r.stays = true;
  r.timeout_ms = kind == MAP_STEP_WAIT ? TOLD_MS : 0;
  snprintf(r.what, sizeof r.what, "%s = %.9g is told", name, value);
  visit(p, &r);
  return ARMDYN_OK;
}

static bool is_told(const struct register_map *map, const char *name)
{
  const struct map_field *f = map_field_of(map, name);
  return f && f->access == MAP_READ;
}

/* -- points -- */

/* The axis-th of a sample that moves this axis of the controller; its count when none does. */
static size_t axis_index(const struct profile_head *head, int axis)
{
  size_t a = 0;
  while (a < head->axis_count && head->axes[a].axis + 1 != (unsigned)axis) a++;
  return a;
}

/* Rounding to counts never goes beyond what the exact torque keeps: the nearest that is within the limit, and no step
 * that is beyond the limit of rate. */
static bool encode_torque(struct planning *p, size_t k, size_t a, const struct map_form *form, double torque,
                          uint16_t *words)
{
  static const double rounding = 1e-6;
  const struct profile_axis *axis = &p->profile->head.axes[a];
  double most = axis->torque_most * (1 + rounding), rate = axis->rate_most * p->profile->head.period_us * 1e-6;
  if (!map_encode(form, torque, words)) return false;
  double sent = map_decode(form, words);
  if (fabs(sent) > most) {
    if (!map_encode(form, torque - copysign(fabs(form->scale), torque), words)) return false;
    sent = map_decode(form, words);
  }
  double step = k ? fabs(sent - p->last[a]) : 0;
  p->last[a] = sent;
  return fabs(sent) <= most && !(step > rate * (1 + rounding) + rounding * fabs(sent));
}

static enum armdyn_status encode_point(struct planning *p, size_t table, size_t k, uint16_t *words)
{
  static const char *const quantities[] = { "position", "torque", "velocity" };
  const struct map_points *points = &p->map->points;
  for (size_t i = 0; i < points->column_count; i++) {
    const struct map_column *c = &points->columns[i];
    if ((size_t)c->table != table) continue;
    size_t a = axis_index(&p->profile->head, c->axis);
    double value = c->quantity == MAP_POSITION   ? profile_position(p->profile, k, a)
                   : c->quantity == MAP_VELOCITY ? profile_velocity(p->profile, k, a)
                                                 : profile_torque(p->profile, k, a);
    if (c->quantity == MAP_TORQUE ? encode_torque(p, k, a, &c->form, value, words + c->at)
                                  : map_encode(&c->form, value, words + c->at))
      continue;
    return armdyn_refuse(p->error, ARMDYN_EINPUT, "",
                         "sample %zu, axis %d: the column of its %s does not take %.9g within every limit", k, c->axis,
                         quantities[c->quantity], value);
  }
  return ARMDYN_OK;
}

/* Points from .. to - 1 of the profile, which stand from the first place of the table on. */
static enum armdyn_status plan_table(struct planning *p, size_t table, size_t from, size_t to)
{
  const struct map_points *points = &p->map->points;
  const struct map_table *t = map_table_of(points, table);
  size_t stride = (size_t)t->stride, most = (size_t)p->map->write_most / stride;
  for (size_t at = from; at < to && !p->ended; at += most) {
    size_t count = to - at < most ? to - at : most;
    struct map_request r = { .kind = MAP_STEP_WRITE,
                             .unit = unit_of(t->unit_id, p->unit),
                             .address =
                                 (unsigned)(t->address - p->map->address_base) + (unsigned)((at - from) * stride),
                             .count = (unsigned)(count * stride),
                             .space = MAP_HOLDING,
                             .mask = UINT16_MAX,
                             .points = true,
                             .read_back = points->verify == MAP_READ_BACK,
                             .stays = points->verify == MAP_READ_BACK && !*points->index_field };
    snprintf(r.what, sizeof r.what, points->table_count ? "points %zu to %zu of table %zu" : "points %zu to %zu", at,
             at + count - 1, table);
    for (size_t k = 0; k < count; k++) {
      enum armdyn_status rc = encode_point(p, table, at + k, r.words + k * stride);
      if (rc) return rc;
    }
    visit(p, &r);
  }
  return ARMDYN_OK;
}

static enum armdyn_status plan_page(struct planning *p, size_t from, size_t to)
{
  const struct map_points *points = &p->map->points;
  p->first = from;
  p->page_points = to - from;
  p->page++;
  enum armdyn_status rc = plan_not_yet(p, &p->map->commands.page, 0, true);
  if (!rc) rc = plan_field(p, points->index_field, (double)from, false);
  for (size_t t = 0; !rc && t < map_table_count(points); t++) rc = plan_table(p, t, from, to);
  if (!rc) rc = plan_field(p, points->page_count_field, (double)(to - from), false);
  return rc ? rc : plan_steps(p, &p->map->commands.page, true);
}

static enum armdyn_status plan_commit(struct planning *p)
{
  const struct map_points *points = &p->map->points;
  const struct map_steps *commit = &p->map->commands.commit;
  const bool told = is_told(p->map, points->count_field);
  enum armdyn_status rc = plan_not_yet(p, commit, 0, !told && *points->count_field);
  if (!rc && !told) rc = plan_field(p, points->count_field, (double)p->total, true);
  if (!rc) rc = plan_steps(p, commit, true);
  return rc || !told ? rc : plan_told(p, points->count_field, (double)p->total, MAP_STEP_WAIT);
}

enum armdyn_status map_plan(const struct register_map *map, unsigned unit, const struct profile *profile,
                            map_visit *visitor, void *context, struct armdyn_error *error)
{
  const struct map_points *points = &map->points;
  const size_t total = profile->head.total, page = (size_t)points->count;
  const double period = profile->head.period_us * 1e-6;
  struct planning p = { .map = map, .profile = profile, .unit = unit, .visit = visitor, .context = context };
  p.total = total;
  p.error = error;
  if (!*points->index_field && total > page)
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "the profile has %zu points, the controller's table %zu", total,
                         page);
  enum armdyn_status rc = plan_steps(&p, &map->commands.begin, false); /* it may find all as it should be */
  if (!rc && is_told(map, points->period_field))
    rc = plan_told(&p, points->period_field, period, MAP_STEP_CHECK);
  else if (!rc)
    rc = plan_field(&p, points->period_field, period, true);
  for (size_t at = 0; !rc && at < total && !p.ended; at += page)
    rc = plan_page(&p, at, total - at < page ? total : at + page);
  return rc ? rc : plan_commit(&p);
}
