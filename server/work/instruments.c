#include "server/work/instruments.h"

#include <math.h>

static enum armdyn_status open_path(const struct filtered_path_order *order, struct instruments *instruments,
                                    struct armdyn_error *error)
{
  const enum armdyn_status status = filtered_path_open(order, &instruments->path, error);
  instruments->told.cutoff = instruments->path.cutoff;
  instruments->source = &instruments->path.source;
  return status;
}

static enum armdyn_status open_loop(struct work *work, const struct filtered_path_order *order, bool has_payloads,
                                    struct instruments *instruments, struct armdyn_error *error)
{
  const struct logged_loop_order asked = { order->request, work->robot, order->conditioning, order->logs,
                                           has_payloads };
  struct store *store;
  enum armdyn_status status = work_store(work, &store);
  if (!status) status = logged_loop_open(store, &asked, &instruments->logged, error);
  instruments->told.cutoff = NAN;
  instruments->loop = &instruments->logged.known;
  return status;
}

enum armdyn_status instruments_open(struct work *work, const struct filtered_path_order *order, bool has_payloads,
                                    struct instruments *instruments, struct armdyn_error *error)
{
  instruments->told.asked = order->request->estimator == ARMDYN_IV;
  if (order->request->has_loop) return open_loop(work, order, has_payloads, instruments, error);
  return instruments->told.asked ? open_path(order, instruments, error) : ARMDYN_OK;
}

void instruments_release(struct instruments *instruments)
{
  logged_loop_release(&instruments->logged);
  filtered_path_release(&instruments->path);
}
