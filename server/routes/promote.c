/* Promoting an identification, of an arm or of friction: its parameters become a new revision of the robot. */
#include <math.h>
#include <stdlib.h>

#include "api/codec/promotion.h"
#include "api/codec/robot.h"
#include "armdyn/armdyn.h"
#include "server/app.h"
#include "server/http/idempotency.h"
#include "server/routes/handlers.h"
#include "server/routes/results.h"
#include "server/routes/robots.h"

enum { STATES = 1000 };
static const char unphysical_code[] = "not_physically_consistent";

struct promotion {
  struct exchange *x;
  struct promotion_request request;
  struct idempotency once;
  int64_t replayed; /* the revision that this request made before; 0: none */
  struct store_result result;
  struct promotion_source source;
  const struct robot_entry *base, *identified;
  struct armdyn_robot_description model;
  struct armdyn_robot *robot;
  double torque_change[ARMDYN_JOINTS_MAX];
  bool unphysical;
};

static bool refuse(struct promotion *p, const char *detail)
{
  answer_problem(p->x, PROBLEM_CONFLICT, "%s", detail);
  return false;
}

/* -- what stands against it -- */

static bool same_kinematics(const struct armdyn_robot_description *a, const struct armdyn_robot_description *b)
{
  if (a->joint_count != b->joint_count || a->convention != b->convention) return false;
  for (size_t i = 0; i < a->joint_count; i++) {
    const struct armdyn_joint *p = &a->joints[i], *q = &b->joints[i];
    if (strcmp(p->name, q->name) || p->type != q->type || p->a != q->a || p->alpha != q->alpha || p->d != q->d ||
        p->theta != q->theta || p->offset != q->offset || memcmp(&p->frame, &q->frame, sizeof p->frame) ||
        memcmp(p->axis, q->axis, sizeof p->axis) || p->drive.gear_ratio != q->drive.gear_ratio)
      return false;
  }
  return !memcmp(a->gravity, b->gravity, sizeof a->gravity);
}

/* A payload is known in the frame of a tool, and beyond what the arm weighed then. */
static bool same_arm(const struct armdyn_robot_description *a, const struct armdyn_robot_description *b)
{
  bool same = !memcmp(&a->tool, &b->tool, sizeof a->tool);
  for (size_t i = 0; i < a->joint_count; i++)
    same = same && !memcmp(&a->joints[i].link, &b->joints[i].link, sizeof a->joints[i].link);
  return same;
}

static bool is_acknowledged(const struct promotion *p, const char *code)
{
  for (size_t i = 0; i < p->request.acknowledge.count; i++)
    if (!strcmp(p->request.acknowledge.codes[i], code)) return true;
  return false;
}

static bool check_acknowledged(struct promotion *p)
{
  struct buffer extra = BUFFER(KB(16));
  struct json_writer w = { .out = &extra };
  size_t open = 0;
  json_key(&w, "unacknowledged"), json_begin_array(&w);
  for (size_t i = 0; i < p->source.warning_count; i++)
    if (!is_acknowledged(p, p->source.warnings[i])) json_write_text(&w, p->source.warnings[i]), open++;
  if (p->unphysical && !is_acknowledged(p, unphysical_code)) json_write_text(&w, unphysical_code), open++;
  json_end_array(&w);
  if (open && !p->request.dry_run)
    answer_problem_extra(p->x, PROBLEM_CONFLICT, extra.data,
                         "the identification has warnings; read them, and name those that you accept in `acknowledge`");
  buffer_release(&extra);
  return !open || p->request.dry_run;
}

/* -- the new model -- */

static bool find_revisions(struct promotion *p)
{
  struct robots *robots = exchange_app(p->x)->robots;
  int64_t base = p->replayed ? p->request.base_revision : 0;
  enum armdyn_status status = robots_get(robots, p->result.robot, base, true, &p->base);
  if (!status) status = robots_get(robots, p->result.robot, p->result.revision, true, &p->identified);
  if (status == ARMDYN_ENOTFOUND) return refuse(p, "the robot of this identification is gone");
  if (status) {
    answer_status(p->x, status, NULL);
    return false;
  }
  if (p->base->revision != p->request.base_revision)
    return refuse(p, "base_revision is not the newest revision of the robot; look at what changed and ask again");
  if (!same_kinematics(armdyn_robot_description(p->base->robot), armdyn_robot_description(p->identified->robot)))
    return refuse(p, "the newest revision has other kinematics, gears or gravity than the one that was identified");
  if (p->source.has_payload &&
      !same_arm(armdyn_robot_description(p->base->robot), armdyn_robot_description(p->identified->robot)))
    return refuse(p, "the newest revision has another tool or other links than the one that the payload was identified "
                     "with; identify it again");
  return true;
}

static bool adopt(struct promotion *p)
{
  struct armdyn_error error = { "", "" };
  p->model = *armdyn_robot_description(p->base->robot);
  enum armdyn_status status = promotion_apply(&p->source, p->request.include.what, &p->model, &error);
  if (!status) status = armdyn_robot_new(&p->model, &p->robot, &error);
  if (status == ARMDYN_EINPUT) {
    char detail[sizeof error.message + sizeof error.pointer + 64];
    snprintf(detail, sizeof detail, "what was identified makes no model: %s %s", error.pointer, error.message);
    return refuse(p, detail);
  }
  if (status) answer_status(p->x, status, NULL);
  for (size_t j = 0; !status && j < p->model.joint_count; j++)
    p->unphysical |= armdyn_body_check(&p->model.joints[j].link, NULL) != ARMDYN_OK;
  p->unphysical |= !status && armdyn_body_check(&p->model.payload, NULL) != ARMDYN_OK;
  return !status;
}

/* -- how torques change: the largest differences over states all over the limits, the same ones at every call -- */

static double between(uint64_t *state, double low, double high)
{
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return low + (high - low) * (double)(*state >> 11) / 9007199254740992.0;
}

static double or_else(double limit, double otherwise)
{
  return isfinite(limit) ? limit : otherwise;
}

static bool compare_torques(struct promotion *p)
{
  const size_t n = p->model.joint_count;
  const struct armdyn_robot *robots[2] = { p->base->robot, p->robot };
  struct armdyn_workspace *workspace = armdyn_workspace_new(n);
  double q[ARMDYN_JOINTS_MAX], qd[ARMDYN_JOINTS_MAX], qdd[ARMDYN_JOINTS_MAX], tau[2][ARMDYN_JOINTS_MAX];
  uint64_t state = 1;
  if (!workspace) {
    answer_status(p->x, ARMDYN_EMEMORY, NULL);
    return false;
  }
  for (int k = 0; k < STATES; k++) {
    for (size_t j = 0; j < n; j++) {
      const struct armdyn_limits *l = &p->model.joints[j].limits;
      const double reach = p->model.joints[j].type == ARMDYN_REVOLUTE ? 3.14159265358979323846 : 0.5;
      const double speed = or_else(l->velocity, 1), acceleration = or_else(l->acceleration, 2);
      q[j] = between(&state, or_else(l->position[0], -reach), or_else(l->position[1], reach));
      qd[j] = between(&state, -speed, speed);
      qdd[j] = between(&state, -acceleration, acceleration);
    }
    for (int r = 0; r < 2; r++) armdyn_inverse_dynamics(robots[r], q, qd, qdd, NULL, workspace, tau[r]);
    for (size_t j = 0; j < n; j++) p->torque_change[j] = fmax(p->torque_change[j], fabs(tau[1][j] - tau[0][j]));
  }
  armdyn_workspace_free(workspace);
  return true;
}

/* -- the end -- */

/* The new revision, and the alias that stands for it: both or neither. false: answered. */
static bool keep(struct promotion *p, struct store_robot *row)
{
  struct app *app = exchange_app(p->x);
  struct buffer document = BUFFER(MB(4));
  struct store_alias alias = { .revision = 0 };
  robot_encode(&p->model, &document);
  snprintf(row->name, sizeof row->name, "%s", p->model.name);
  snprintf(row->reason, sizeof row->reason, "%s", p->request.reason);
  memcpy(row->identification, p->result.id, sizeof row->identification);
  row->document = document.data;
  snprintf(alias.robot, sizeof alias.robot, "%s", p->model.name);
  snprintf(alias.alias, sizeof alias.alias, "%s", p->request.alias);
  snprintf(alias.reason, sizeof alias.reason, "%s", p->request.reason);
  enum armdyn_status status = document.failure;
  if (!status)
    status = store_robot_promote(app->store, row, p->request.base_revision, *alias.alias ? &alias : NULL,
                                 idempotency_key(&p->once));
  if (status == ARMDYN_ESTALE || status == ARMDYN_ENOTFOUND)
    refuse(p, "the robot was changed meanwhile; look at what changed and ask again");
  else if (status)
    answer_status(p->x, status, NULL);
  else
    robots_changed(app->robots, row->name);
  buffer_release(&document);
  return !status;
}

static void finish(struct promotion *p)
{
  struct store_robot row = { .unphysical = p->unphysical, .revision = p->replayed };
  struct buffer body = BUFFER(MB(4));
  if (!p->request.dry_run && !p->replayed && !keep(p, &row)) return;
  const struct promotion_answer answer = { .old = armdyn_robot_description(p->base->robot),
                                           .new = &p->model,
                                           .source = &p->source,
                                           .base_revision = p->request.base_revision,
                                           .revision = row.revision,
                                           .torque_change = p->torque_change,
                                           .physically_consistent = !p->unphysical };
  promotion_answer_encode(&answer, &body);
  answer_json(p->x, 200, &body);
}

/* false: answered. */
static bool begin_once(struct promotion *p)
{
  char *href = NULL;
  if (p->request.dry_run) return true;
  enum idempotency_verdict verdict = idempotency_begin(p->x, false, &p->once, &href);
  const char *number = href ? strrchr(href, '/') : NULL;
  if (number) p->replayed = strtoll(number + 1, NULL, 10);
  free(href);
  return verdict != IDEMPOTENCY_REFUSED;
}

enum outcome identification_promote(struct exchange *x)
{
  size_t length;
  const struct job_kind *kind = exchange_about(x);
  const char *body = exchange_body(x, &length), *id = exchange_segment(x, kind->name);
  struct promotion *p = calloc(1, sizeof *p);
  enum armdyn_status status = ARMDYN_EMEMORY;
  if (p) status = promotion_request_decode(body, length, &p->request, exchange_faults(x));
  if (status) {
    answer_status(x, status, NULL);
    free(p);
    return ANSWERED;
  }
  p->x = x;
  if (p->request.dry_run) exchange_keeps_nothing(x);
  if (*p->request.alias && !alias_is_good(p->request.alias)) {
    fault_add(exchange_faults(x), FAULT_AT_POINTER, "/alias", FAULT_PATTERN,
              "must be neither a number nor latest, got %s", p->request.alias);
    answer_problem(x, PROBLEM_INVALID, NULL);
    free(p);
    return ANSWERED;
  }
  struct store *store = exchange_app(x)->store;
  if (result_found(x, kind, store_result_get(store, kind->name, id, &p->result))) {
    cJSON *document = document_open(p->result.document);
    status = promotion_source_read(document, &p->source);
    document_close(document);
    if (status)
      answer_status(x, status, NULL);
    else if (begin_once(p) && find_revisions(p) && adopt(p) && check_acknowledged(p) && compare_torques(p))
      finish(p);
    idempotency_end(x, &p->once);
    store_result_release(&p->result);
  }
  robots_release(exchange_app(x)->robots, p->base);
  robots_release(exchange_app(x)->robots, p->identified);
  armdyn_robot_free(p->robot);
  free(p);
  return ANSWERED;
}
