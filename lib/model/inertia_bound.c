#include <math.h>

#include "lib/model/compiled.h"

/* What lies beyond a joint, seen from its frame: mass, and the root of the second moment about the origin (all of it, so
 * of any position of the revolute joints and with the prismatic ones at 0). */
struct beyond {
  double mass, radius;
  size_t slides;
};

/* A body moved by p: by Minkowski's inequality its root grows by no more than that of its mass at p. */
static void add_link(struct beyond *x, const struct compiled_joint *joint)
{
  const double *s = joint->link.s;
  x->radius = hypot(x->radius, sqrt(fabs(s[0]) + fabs(s[1]) + fabs(s[2])));
  x->mass += fabs(joint->link.m);
}

static void move_inward(struct beyond *x, const struct compiled_joint *joint)
{
  x->radius += sqrt(x->mass) * sqrt(dot3(joint->parent.p, joint->parent.p));
  x->slides += joint->prismatic;
}

void inertia_bounds_compile(struct armdyn_robot *robot)
{
  const size_t n = robot->joint_count;
  struct beyond x = { 0 };
  for (size_t i = n; i-- > 0;) {
    const struct compiled_joint *joint = &robot->joints[i];
    struct inertia_bound *bound = &robot->bounds[i];
    add_link(&x, joint);
    const double square = x.radius * x.radius, mass = x.mass * (double)x.slides;
    /* (radius + sqrt(mass) sum |q|)^2 */
    *bound = joint->prismatic ? (struct inertia_bound){ x.mass, 0 }
             : x.slides       ? (struct inertia_bound){ 2 * square, 2 * mass }
                              : (struct inertia_bound){ square, 0 };
    bound->still += robot->coupled ? robot->coupled_rotor_inertia[i * n + i] : robot->rotor_inertia[i];
    move_inward(&x, joint);
  }
}
