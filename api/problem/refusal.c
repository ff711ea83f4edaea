#include "api/problem/refusal.h"

#include <stdarg.h>

bool refusal_say(struct refusal *why, enum problem problem, const char *detail, ...)
{
  va_list arguments;
  why->problem = problem;
  why->status = ARMDYN_OK;
  va_start(arguments, detail);
  vsnprintf(why->detail, sizeof why->detail, detail, arguments);
  va_end(arguments);
  return false;
}

bool refusal_at(struct refusal *why, const char *pointer, enum fault_code code, const char *detail)
{
  fault_add(why->faults, FAULT_AT_POINTER, pointer, code, "%s", detail);
  return refusal_say(why, PROBLEM_INVALID, "%s", "");
}

bool refusal_status(struct refusal *why, enum armdyn_status status)
{
  refusal_say(why, problem_of_status(status), "%s", "");
  why->status = status;
  return false;
}
