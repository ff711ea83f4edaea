#include "server/work/learning.h"

#include <stdlib.h>
#include <string.h>

static bool open_learning(struct simulation_learning *learning, const struct armdyn_robot *robot, bool frictionless,
                          size_t count, const double *rates)
{
  learning->robot = robot;
  learning->choice = (struct armdyn_parameter_choice){ .frictionless = frictionless };
  learning->count = count;
  learning->values = calloc((LEARNING_TIMES + 2) * count, sizeof *learning->values);
  if (!learning->values) return false;
  learning->rates = learning->values + LEARNING_TIMES * count;
  learning->model = learning->rates + count;
  memcpy(learning->rates, rates, count * sizeof *rates);
  armdyn_parameters(robot, &learning->choice, learning->model);
  return true;
}

bool learning_take(struct simulation_learning *learning, const struct armdyn_loop_sample *sample,
                   const struct armdyn_robot *robot, bool frictionless, double duration)
{
  size_t count;
  const double *rates, *parameters = armdyn_controller_parameters(sample->controller, &count, &rates);
  const double t = sample->plant->t;
  if (!parameters || learning->times == LEARNING_TIMES) return true;
  const double due = duration * (double)learning->times / (LEARNING_TIMES - 1);
  if (t < due * (1 - 1e-12)) return true;
  if (!learning->values && !open_learning(learning, robot, frictionless, count, rates)) return false;
  memcpy(learning->values + learning->times * count, parameters, count * sizeof *parameters);
  learning->t[learning->times++] = t;
  return true;
}

void learning_release(struct simulation_learning *learning)
{
  free(learning->values);
  *learning = (struct simulation_learning){ .count = 0 };
}
