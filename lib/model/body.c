#include <math.h>

#include "armdyn/robot.h"
#include "lib/math/linear.h"

/* A real body's second moment about its centre of mass, tr(I)/2 1 - I, has no negative eigenvalue; in principal moments
 * that is the triangle inequality, and it makes the inertia positive semidefinite too.
 * Catalogue numbers are rounded, and a thin rod sits on the boundary: 1e-9 of the trace is forgiven. */
enum armdyn_status armdyn_body_check(const struct armdyn_body *body, struct armdyn_error *error)
{
  if (!(body->mass >= 0)) {
    return armdyn_refuse(error, ARMDYN_EUNPHYSICAL, "/mass", "must be >= 0, got %g", body->mass);
  }
  const struct armdyn_inertia *I = &body->inertia;
  const double elements[6] = { I->xx, I->yy, I->zz, I->xy, I->xz, I->yz };
  double moments[3];
  eigenvalues3(elements, moments);
  const double tolerance = 1e-9 * (fabs(moments[0]) + fabs(moments[1]) + fabs(moments[2]));
  if (!(moments[0] >= -tolerance)) {
    return armdyn_refuse(error, ARMDYN_EUNPHYSICAL, "/inertia",
                         "must be positive semidefinite, its smallest principal moment is %g kg m^2", moments[0]);
  }
  if (!(moments[0] + moments[1] >= moments[2] - tolerance)) {
    return armdyn_refuse(error, ARMDYN_EUNPHYSICAL, "/inertia",
                         "must keep the triangle inequality, its principal moments are %g, %g and %g kg m^2, and "
                         "%g + %g < %g",
                         moments[0], moments[1], moments[2], moments[0], moments[1], moments[2]);
  }
  return ARMDYN_OK;
}
