/* Torques of base parameters, and what they leave of the measured ones. */
#include "lib/identify/condition.h"
#include "lib/identify/training.h"

enum armdyn_status armdyn_predict(const struct armdyn_unknowns *unknowns, const double *beta,
                                  const struct armdyn_motion *motion, double *tau)
{
  const struct armdyn_unknowns *u = unknowns;
  const size_t n = u->n, b = u->base_count;
  double *Y = malloc(n * (u->standard_count + b) * sizeof *Y);
  struct armdyn_workspace *workspace = armdyn_workspace_new(n);
  const enum armdyn_status status = Y && workspace ? ARMDYN_OK : ARMDYN_EMEMORY;
  if (status) goto out;
  double *Yb = Y + n * u->standard_count;
  for (size_t k = 0; k < motion->count; k++) {
    unknowns_regressor(u, motion->q + k * n, motion->qd + k * n, motion->qdd + k * n, workspace, Y);
    armdyn_base_columns(u->base, Y, n, Yb);
    for (size_t i = 0; i < n; i++) {
      double sum = 0;
      for (size_t j = 0; j < b; j++) sum += Yb[i * b + j] * beta[j];
      tau[k * n + i] = sum;
    }
  }
out:
  armdyn_workspace_free(workspace);
  free(Y);
  return status;
}

enum armdyn_status armdyn_predict_filtered(const struct armdyn_unknowns *unknowns, const double *beta,
                                           const struct armdyn_motion *motion, double *tau)
{
  if (!(motion->torque_cutoff > 0)) return armdyn_predict(unknowns, beta, motion, tau);
  const size_t n = unknowns->n, edge = lowpass_edge(motion->rate, motion->torque_cutoff);
  const size_t before = edge < motion->before ? edge : motion->before;
  const size_t after = edge < motion->after ? edge : motion->after;
  struct armdyn_motion wide = *motion;
  wide.count = before + motion->count + after;
  wide.q -= before * n;
  wide.qd -= before * n;
  wide.qdd -= before * n;
  double *all = malloc((wide.count * n + 1) * sizeof *all);
  enum armdyn_status status = all ? armdyn_predict(unknowns, beta, &wide, all) : ARMDYN_EMEMORY;
  if (!status && wide.count > 1) {
    status = armdyn_lowpass(wide.count, n, motion->rate, motion->torque_cutoff, all, NULL);
  }
  if (!status) memcpy(tau, all + before * n, motion->count * n * sizeof *tau);
  free(all);
  return status;
}

enum armdyn_status residuals_of(const struct armdyn_unknowns *unknowns, const double *beta,
                                const struct armdyn_motion *motion, double *residuals)
{
  const enum armdyn_status status = armdyn_predict_filtered(unknowns, beta, motion, residuals);
  for (size_t k = 0; k < motion->count * unknowns->n && !status; k++) residuals[k] = motion->tau[k] - residuals[k];
  return status;
}
