#include "tests/bench/kdl.h"

#include <algorithm>

#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>

struct kdl {
  KDL::Chain chain;
  unsigned n;
  KDL::ChainIdSolver_RNE inverse;
  KDL::ChainFdSolver_RNE forward;
  KDL::ChainDynParam dynamics;
  KDL::JntArray q, qd, qdd, tau;
  KDL::JntSpaceInertiaMatrix M;
  KDL::Wrenches wrenches;

  kdl(const KDL::Chain &of, const KDL::Vector &gravity)
      : chain(of), n(of.getNrOfJoints()), inverse(chain, gravity), forward(chain, gravity), dynamics(chain, gravity), q(n),
        qd(n), qdd(n), tau(n), M(n), wrenches(chain.getNrOfSegments(), KDL::Wrench::Zero())
  {
  }
};

static KDL::Segment segment_of(const armdyn_joint &joint)
{
  const bool turns = joint.type == ARMDYN_REVOLUTE;
  const auto frame = KDL::Frame::DH(joint.a, joint.alpha, joint.d + (turns ? 0 : joint.offset),
                                    joint.theta + (turns ? joint.offset : 0));
  const auto &I = joint.link.inertia;
  const KDL::RigidBodyInertia body(joint.link.mass, KDL::Vector(joint.link.com[0], joint.link.com[1], joint.link.com[2]),
                                   KDL::RotationalInertia(I.xx, I.yy, I.zz, I.xy, I.xz, I.yz));
  return KDL::Segment(KDL::Joint(turns ? KDL::Joint::RotZ : KDL::Joint::TransZ), frame, body);
}

kdl *kdl_new(const struct armdyn_robot_description *robot)
{
  if (robot->convention != ARMDYN_DH || robot->has_transmission || robot->payload.mass != 0) return nullptr;
  KDL::Chain chain;
  for (size_t i = 0; i < robot->joint_count; i++) {
    const armdyn_friction &f = robot->joints[i].friction;
    if (robot->joints[i].drive.rotor_inertia != 0 || f.coulomb.positive != 0 || f.viscous.positive != 0) return nullptr;
    chain.addSegment(segment_of(robot->joints[i]));
  }
  return new kdl(chain, KDL::Vector(robot->gravity[0], robot->gravity[1], robot->gravity[2]));
}

void kdl_free(kdl *k)
{
  delete k;
}

static void set(KDL::JntArray &to, const double *from)
{
  std::copy_n(from, to.rows(), to.data.data());
}

static void get(const KDL::JntArray &from, double *to)
{
  std::copy_n(from.data.data(), from.rows(), to);
}

void kdl_inverse_dynamics(kdl *k, const double *q, const double *qd, const double *qdd, double *tau)
{
  set(k->q, q);
  set(k->qd, qd);
  set(k->qdd, qdd);
  k->inverse.CartToJnt(k->q, k->qd, k->qdd, k->wrenches, k->tau);
  get(k->tau, tau);
}

void kdl_mass_matrix(kdl *k, const double *q, double *mass_matrix)
{
  set(k->q, q);
  k->dynamics.JntToMass(k->q, k->M);
  std::copy_n(k->M.data.data(), (size_t)k->n * k->n, mass_matrix); /* symmetric: the order does not matter */
}

void kdl_forward_dynamics(kdl *k, const double *q, const double *qd, const double *tau, double *qdd)
{
  set(k->q, q);
  set(k->qd, qd);
  set(k->tau, tau);
  k->forward.CartToJnt(k->q, k->qd, k->tau, k->wrenches, k->qdd);
  get(k->qdd, qdd);
}
