/* libarmdyn: dynamics of robot arms. Include this one header; link with `pkg-config --libs armdyn`.
 * Units are SI throughout; threads share robots and own workspaces. See deploy/doc/c-library.md. */
#ifndef ARMDYN_ARMDYN_H
#define ARMDYN_ARMDYN_H

#include "armdyn/adopt.h"
#include "armdyn/bootstrap.h"
#include "armdyn/chirp.h"
#include "armdyn/clearance.h"
#include "armdyn/closed_loop.h"
#include "armdyn/code.h"
#include "armdyn/collision.h"
#include "armdyn/constraint.h"
#include "armdyn/control.h"
#include "armdyn/derivatives.h"
#include "armdyn/diagnose.h"
#include "armdyn/drift.h"
#include "armdyn/dynamics.h"
#include "armdyn/electrical.h"
#include "armdyn/enclose.h"
#include "armdyn/excitation.h"
#include "armdyn/filter_test.h"
#include "armdyn/friction_test.h"
#include "armdyn/gears.h"
#include "armdyn/identify.h"
#include "armdyn/inverse_kinematics.h"
#include "armdyn/loads.h"
#include "armdyn/margins.h"
#include "armdyn/methods.h"
#include "armdyn/motion_fit.h"
#include "armdyn/parameter.h"
#include "armdyn/path_timing.h"
#include "armdyn/payload.h"
#include "armdyn/pendulum.h"
#include "armdyn/posture_modes.h"
#include "armdyn/quality.h"
#include "armdyn/regressor.h"
#include "armdyn/residuals.h"
#include "armdyn/response.h"
#include "armdyn/robot.h"
#include "armdyn/shape.h"
#include "armdyn/shaper.h"
#include "armdyn/shares.h"
#include "armdyn/simulate.h"
#include "armdyn/status.h"
#include "armdyn/study.h"
#include "armdyn/sweep.h"
#include "armdyn/terms.h"
#include "armdyn/trajectory.h"
#include "armdyn/tune.h"
#include "armdyn/vibration.h"
#include "armdyn/zones.h"

#define ARMDYN_VERSION "0.1.0"

/* The version of the library in use, e.g. "0.1.0". */
#ifdef __cplusplus
extern "C"
#endif
    const char *
    armdyn_version(void);

#endif
