/* Joint torques of a two-joint arm that lifts a payload, with nothing but libarmdyn.
 *
 *   cc inverse_dynamics.c $(pkg-config --cflags --libs armdyn) -o inverse_dynamics */
#include <stdio.h>
#include <stdlib.h>

#include <armdyn/armdyn.h>

/* Two links of half a metre that move in the vertical plane x-z: the base frame of joint 1 is turned about x. */
static void describe(struct armdyn_robot_description *arm)
{
  armdyn_robot_description_init(arm);
  arm->convention = ARMDYN_MDH;
  arm->joint_count = 2;
  arm->joints[0].alpha = 1.5707963267948966;
  arm->joints[1].a = 0.5;
  for (int i = 0; i < 2; i++) {
    struct armdyn_joint *joint = &arm->joints[i];
    joint->link = (struct armdyn_body){
      .mass = 4,
      .com = { 0.25, 0, 0 },
      .inertia = { .xx = 0.005, .yy = 0.085, .zz = 0.085 },
    };
    joint->drive.rotor_inertia = 1e-4;
    joint->drive.gear_ratio = 80;
    joint->friction.coulomb = (struct armdyn_directed){ .positive = 1.2, .negative = 1.2 };
    joint->friction.viscous = (struct armdyn_directed){ .positive = 0.8, .negative = 0.8 };
  }
  arm->tool.translation[0] = 0.5;
  arm->payload.mass = 2;
}

int main(void)
{
  struct armdyn_robot_description *description = malloc(sizeof *description);
  struct armdyn_workspace *workspace = armdyn_workspace_new(2);
  struct armdyn_robot *robot = NULL;
  struct armdyn_error error;
  int rc = EXIT_FAILURE;
  if (!description || !workspace) goto out;

  describe(description);
  if (armdyn_robot_new(description, &robot, &error)) {
    fprintf(stderr, "%s: %s\n", error.pointer, error.message);
    goto out;
  }

  const double q[2] = { 0, 0.5 }, qd[2] = { 1, -0.5 }, qdd[2] = { 2, 1 };
  const double push[6] = { 0, 0, 0, 0, 0, -15 }; /* [moment; force]: 15 N downwards on the tool, base axes */
  const struct armdyn_load load = { .wrench = push, .wrench_frame = ARMDYN_WRENCH_BASE };
  double tau[2], inertial[2], coriolis[2], gravity[2], friction[2], external[2];
  const struct armdyn_torque_parts parts = { inertial, coriolis, gravity, friction, external, NULL };
  armdyn_inverse_dynamics_parts(robot, q, qd, qdd, &load, workspace, tau, &parts);

  puts("joint    torque  inertial  coriolis   gravity  friction  external   N m");
  for (int i = 0; i < 2; i++) {
    printf("%5d %9.4f %9.4f %9.4f %9.4f %9.4f %9.4f\n", i + 1, tau[i], inertial[i], coriolis[i], gravity[i],
           friction[i], external[i]);
  }
  rc = EXIT_SUCCESS;
out:
  armdyn_robot_free(robot);
  armdyn_workspace_free(workspace);
  free(description);
  return rc;
}
