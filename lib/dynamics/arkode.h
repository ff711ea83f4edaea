/* SUNDIALS' ARKODE by the names that version 7 has (Debian 13), also over version 6 (Debian 12). */
#ifndef LIB_DYNAMICS_ARKODE_H
#define LIB_DYNAMICS_ARKODE_H

#include <arkode/arkode_erkstep.h>
#include <nvector/nvector_serial.h>
#include <stdbool.h>

#if SUNDIALS_VERSION_MAJOR < 7
#define SUN_COMM_NULL            NULL
#define ARKodeEvolve             ERKStepEvolve
#define ARKodeFree               ERKStepFree
#define ARKodeGetNumSteps        ERKStepGetNumSteps
#define ARKodeReset              ERKStepReset
#define ARKodeSStolerances       ERKStepSStolerances
#define ARKodeSetFixedStep       ERKStepSetFixedStep
#define ARKodeSetMaxErrTestFails ERKStepSetMaxErrTestFails
#define ARKodeSetMinStep         ERKStepSetMinStep
#define ARKodeSetStopTime        ERKStepSetStopTime
#define ARKodeSetUserData        ERKStepSetUserData

static inline void arkode_say_nothing(int code, const char *module, const char *function, char *message, void *context)
{
  (void)code, (void)module, (void)function, (void)message, (void)context;
}
#endif

/* Faults are told by status; nothing is printed. False: no memory. */
static inline bool arkode_make_quiet(SUNContext context, void *stepper)
{
#if SUNDIALS_VERSION_MAJOR < 7
  (void)context;
  return !ERKStepSetErrHandlerFn(stepper, arkode_say_nothing, NULL);
#else
  (void)stepper;
  return !SUNContext_ClearErrHandlers(context);
#endif
}

#endif
