/* Delays that are plain: the equations of a joint fit a torque better that is shifted by some samples. A shift at the end of
 * those that are tried is none: presliding and backlash fit the better the farther their torque is shifted. */
#include <math.h>

#include "armdyn/gears.h"
#include "armdyn/signals.h"
#include "lib/identify/unknowns.h"
#include "lib/identify/warnings.h"
#include "lib/math/triangle.h"

enum { SHIFTS = 10, ROWS = 1500 };

/* What the equations of joint i leave of its torque `shift` samples later, for 2 SHIFTS + 1 shifts, over what is left
 * without a shift. */
static enum armdyn_status joint_shifts(const struct armdyn_unknowns *u, const struct armdyn_motion *m, size_t i,
                                       size_t step, double *left)
{
  enum { RIGHT = 2 * SHIFTS + 1 };
  const size_t n = u->n, b = u->base_count, width = b + RIGHT, margin = SHIFTS * step;
  const size_t stride = (m->count - 2 * margin) / ROWS + 1, rows = (m->count - 2 * margin + stride - 1) / stride;
  struct armdyn_workspace *workspace = armdyn_workspace_new(n);
  double *Y = malloc(n * u->standard_count * sizeof *Y), *A = calloc(rows * width, sizeof *A),
         *R = calloc(width * width, sizeof *R), *scratch = malloc(2 * width * sizeof *scratch);
  const enum armdyn_status status = workspace && Y && A && R && scratch ? ARMDYN_OK : ARMDYN_EMEMORY;
  if (status) goto out;
  for (size_t row = 0; row < rows; row++) {
    const size_t k = margin + row * stride;
    unknowns_regressor(u, m->q + k * n, m->qd + k * n, m->qdd + k * n, workspace, Y);
    for (size_t c = 0; c < b; c++) {
      A[row * width + c] = Y[i * u->standard_count + armdyn_base_parameter_lead(u->base, c)];
    }
    for (size_t s = 0; s < RIGHT; s++) A[row * width + b + s] = m->tau[(k + s * step - margin) * n + i];
  }
  triangle_update(width, R, rows, A, scratch);
  for (size_t s = 0; s < RIGHT; s++) {
    left[s] = 0;
    for (size_t row = b; row <= b + s; row++) left[s] += R[row * width + b + s] * R[row * width + b + s];
  }
out:
  armdyn_workspace_free(workspace);
  free(Y);
  free(A);
  free(R);
  free(scratch);
  return status;
}

static struct armdyn_plain_delay plain_of(const double *left, double step)
{
  enum { RIGHT = 2 * SHIFTS + 1 };
  struct armdyn_plain_delay plain = { .delay = 0, .left = 1 };
  size_t best = SHIFTS;
  for (size_t s = 0; s < RIGHT; s++) best = left[s] < left[best] ? s : best;
  if (best == SHIFTS || best == 0 || best + 1 == RIGHT || !(left[SHIFTS] > 0)) return plain;
  const double bend = left[best - 1] - 2 * left[best] + left[best + 1];
  const double between = bend > 0 ? (left[best - 1] - left[best + 1]) / (2 * bend) : 0;
  plain.delay = ((double)best - SHIFTS + between) * step;
  plain.left = left[best] / left[SHIFTS];
  return plain;
}

enum armdyn_status armdyn_plain_delays(const struct armdyn_unknowns *unknowns, const struct armdyn_log *log,
                                       const struct armdyn_conditioning *conditioning, struct armdyn_plain_delay *out,
                                       struct armdyn_error *error)
{
  struct armdyn_motion motion;
  struct armdyn_gears *gears = NULL;
  double left[2 * SHIFTS + 1];
  enum armdyn_status status = armdyn_condition(unknowns->n, log, conditioning, &motion, error);
  if (status) return status;
  struct armdyn_motion outputs = motion;
  const size_t step = (size_t)fmax(1, round(0.004 * motion.rate));
  status = armdyn_gears_new(unknowns->robot, &gears, error);
  if (!status) status = armdyn_gears_take(gears, &outputs);
  for (size_t i = 0; i < unknowns->n && !status; i++) {
    out[i] = (struct armdyn_plain_delay){ .delay = 0, .left = 1 };
    if (motion.count < 4 * SHIFTS * step + 100) continue;
    status = joint_shifts(unknowns, &outputs, i, step, left);
    if (!status) out[i] = plain_of(left, (double)step / motion.rate);
  }
  armdyn_gears_free(gears);
  armdyn_motion_free(&motion);
  return status;
}

void armdyn_delay_warnings(const struct armdyn_plain_delay *plain, size_t n, bool searched,
                           struct armdyn_warnings *warnings)
{
  for (size_t i = 0; i < n; i++) {
    if (!(plain[i].left < ARMDYN_DELAY_WARNED)) continue;
    warn(warnings, ARMDYN_WARNING_CHANNEL_DELAY, (int)i,
         "the torque of joint %zu is logged about %.1f ms %s than its position; %s", i + 1, 1000 * fabs(plain[i].delay),
         plain[i].delay > 0 ? "later" : "earlier",
         searched
             ? "held-out parts do not confirm it, or it is longer than a quarter of a period of the torque filter: "
               "it was not taken out"
             : "let an identification find and take out the delay (find_torque_delay), or filter both alike");
  }
}
