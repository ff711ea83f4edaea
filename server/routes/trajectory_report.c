/* GET /v1/trajectories/{trajectory}/report: the page is made anew from what is stored. */
#include "api/codec/trajectory_report.h"

#include <math.h>
#include <stdlib.h>

#include "api/codec/trajectory.h"
#include "server/app.h"
#include "server/data/motion_model.h"
#include "server/routes/handlers.h"
#include "server/routes/result_report.h"
#include "server/routes/results.h"
#include "server/work/baseline.h"

enum { SAMPLES = 2000, POINTS = LIMIT_WAYPOINTS + 2 };

/* Everything that one page needs, so that one exit releases it. */
struct page {
  struct store_result result;
  struct buffer text;
  cJSON *document; /* as GET answers it */
  const struct robot_entry *entry;
  struct armdyn_workspace *workspace;
  struct trajectory_request request;
  bool decoded;
  struct armdyn_limits limits[ARMDYN_JOINTS_MAX];
  struct armdyn_trajectory trajectory;
  size_t point_count;
  double times[POINTS], *points;
  struct trajectory_report report;
};

/* -- what is stored -- */

/* What was asked, and when its points are passed: members of the document. */
static enum armdyn_status read_document(struct page *page, const char *text)
{
  const struct armdyn_robot_description *robot = armdyn_robot_description(page->entry->robot);
  struct buffer request = BUFFER(MB(4));
  struct json_writer w = { .out = &request };
  if (!(page->document = document_open(text))) return ARMDYN_EMEMORY;
  document_write(&w, document_at(page->document, "request"));
  page->decoded =
      buffer_ok(&request) && !trajectory_request_decode(request.data, request.length, robot, &page->request, NULL);
  page->point_count = document_numbers(page->document, "waypoint_times", page->times, POINTS);
  buffer_release(&request);
  if (!page->decoded || page->point_count < 2) return ARMDYN_EIO;
  requested_limits_in_force(&page->request.limits, robot, page->limits);
  return ARMDYN_OK;
}

static enum armdyn_status open_page(struct page *page, const struct app *app, const char *id)
{
  enum armdyn_status status = store_result_get(app->store, trajectory_kind.name, id, &page->result);
  if (!status) status = result_document(app, &trajectory_kind, id, &page->text, NULL);
  if (!status) status = motion_model_get(app->robots, &page->result, &page->entry);
  if (status) return status;
  const size_t n = armdyn_robot_joint_count(page->entry->robot);
  if ((status = read_document(page, page->text.data))) return status;
  if ((status = stored_trajectory_read(app->store, id, n, &page->trajectory))) return status;
  page->workspace = armdyn_workspace_new(n);
  page->points = malloc(page->point_count * n * sizeof *page->points);
  if (!page->workspace || !page->points) return ARMDYN_EMEMORY;
  for (size_t i = 0; i < page->point_count; i++)
    armdyn_trajectory_state(&page->trajectory, page->times[i], page->points + i * n, NULL, NULL, NULL);
  return ARMDYN_OK;
}

static void close_page(struct page *page, const struct app *app)
{
  for (size_t m = 0; m < REPORT_MOTIONS; m++) {
    free(page->report.motions[m].rows);
    free(page->report.motions[m].power);
    free(page->report.motions[m].bus);
    free(page->report.motions[m].speed);
    free(page->report.motions[m].acceleration);
  }
  if (page->decoded) trajectory_request_release(&page->request);
  armdyn_trajectory_free(&page->trajectory);
  armdyn_workspace_free(page->workspace);
  robots_release(app->robots, page->entry);
  document_close(page->document);
  buffer_release(&page->text);
  store_result_release(&page->result);
  free(page->points);
}

/* -- what is computed -- */

static enum armdyn_status add_motion(struct page *page, const char *name, const struct armdyn_trajectory *trajectory)
{
  const struct armdyn_robot *robot = page->entry->robot;
  const struct armdyn_electrical_model *drives = &page->request.cost.drives;
  const size_t n = armdyn_robot_joint_count(robot), width = 1 + 5 * n;
  struct report_motion *motion = &page->report.motions[page->report.motion_count++];
  double tool[TOOL_COLUMNS];
  *motion = (struct report_motion){ .name = name, .count = SAMPLES + 1 };
  motion->rows = malloc(motion->count * width * sizeof *motion->rows);
  motion->power = calloc(motion->count, sizeof *motion->power);
  motion->bus = calloc(motion->count, sizeof *motion->bus);
  motion->speed = calloc(motion->count, sizeof *motion->speed);
  motion->acceleration = calloc(motion->count, sizeof *motion->acceleration);
  if (!motion->rows || !motion->power || !motion->bus || !motion->speed || !motion->acceleration) return ARMDYN_EMEMORY;
  for (size_t k = 0; k <= SAMPLES; k++) {
    double *row = motion->rows + k * width;
    armdyn_trajectory_sample(robot, trajectory, armdyn_trajectory_duration(trajectory) * (double)k / (double)SAMPLES,
                             page->workspace, row);
    for (size_t j = 0; j < n; j++) motion->power[k] += row[1 + 4 * n + j];
    armdyn_electrical_power(robot, drives, row + 1 + n, row + 1 + 3 * n, NULL, NULL, NULL, &motion->bus[k]);
    tool_motion(robot, row + 1, row + 1 + n, row + 1 + 2 * n, page->workspace, tool);
    motion->speed[k] = tool_motion_length(tool + TOOL_VELOCITY);
    motion->acceleration[k] = tool_motion_length(tool + TOOL_ACCELERATION);
  }
  enum armdyn_status status = armdyn_trajectory_energy(robot, trajectory, &motion->energy);
  if (status) return status;
  status = armdyn_trajectory_electrical_energy(robot, drives, trajectory, &motion->electrical, NULL);
  if (status != ARMDYN_EINPUT) return status;
  free(motion->bus); /* the drives' data are not complete */
  motion->bus = NULL;
  return ARMDYN_OK;
}

static enum armdyn_status add_baselines(struct page *page)
{
  enum armdyn_status status = ARMDYN_OK;
  for (size_t k = 0; k < BASELINES && !status; k++) {
    struct armdyn_trajectory motion;
    bool feasible;
    if (page->request.method == (enum trajectory_method)baseline_profiles[k]) continue; /* it is one itself */
    if (!baseline_plan(page->entry->robot, baseline_profiles[k], page->points, page->times, page->point_count,
                       page->limits, page->request.tool_speed_max, &motion, &feasible))
      continue;
    status = add_motion(page, armdyn_profile_name(baseline_profiles[k]), &motion);
    armdyn_trajectory_free(&motion);
  }
  return status;
}

static enum armdyn_status make_page(struct page *page, enum report_language language, struct buffer *out)
{
  page->report = (struct trajectory_report){
    .language = language,
    .robot = armdyn_robot_description(page->entry->robot),
    .id = page->result.id,
    .created_at = page->result.created_at,
    .revision = page->result.revision,
    .document = page->document,
    .limits = page->limits,
  };
  enum armdyn_status status = add_motion(page, "this motion", &page->trajectory);
  if (!status) status = add_baselines(page);
  if (status) return status;
  trajectory_report_write(&page->report, out);
  return out->failure;
}

enum outcome trajectory_report(struct exchange *x)
{
  struct app *app = exchange_app(x);
  const char *id = exchange_segment(x, trajectory_kind.name);
  struct buffer body = BUFFER(MB(8));
  enum report_language language;
  if (!report_language_asked(x, &language)) return ANSWERED;
  struct page *page = calloc(1, sizeof *page);
  enum armdyn_status status = ARMDYN_EMEMORY;
  if (page) {
    page->text = (struct buffer)BUFFER(MB(4));
    status = open_page(page, app, id);
    if (!status) status = make_page(page, language, &body);
    close_page(page, app);
  }
  free(page);
  if (status == ARMDYN_ENOTFOUND)
    answer_problem(x, PROBLEM_NOT_FOUND, "there is no trajectory '%.64s'", id);
  else if (status)
    answer_status(x, status, NULL);
  else
    answer_bytes(x, 200, "text/html; charset=utf-8", &body);
  buffer_release(&body);
  return ANSWERED;
}
