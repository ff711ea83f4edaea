// Verdicts of another planner: does OMPL's RRT-connect find a way in a minute? Problems on stdin as tests/support/ways.py writes
// them, a line each on stdout: seconds, or -1. Nothing of armdyn is in it: frames by products of matrices, distances of segments
// by closed forms and by ternary search, which is right as they are convex.
#include <ompl/base/spaces/RealVectorStateSpace.h>
#include <ompl/geometric/SimpleSetup.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/util/Console.h>
#include <ompl/util/RandomNumbers.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <iostream>
#include <vector>

namespace ob = ompl::base;
namespace og = ompl::geometric;
using Eigen::Vector3d;

static const double A_MINUTE = 60, STEP = 5e-4; // s; of the space's extent: about 1 cm of the tool
static const unsigned long SEED = 1;

struct Capsule {
  int joint;
  Vector3d from, to;
  double radius;
};
struct Box {
  Vector3d half;
  Eigen::Isometry3d at;
};
struct HalfSpace {
  Vector3d normal;
  double offset;
};
struct World {
  std::vector<std::array<double, 4>> links; // a, alpha, d, theta
  std::vector<std::array<double, 2>> limits;
  std::vector<Capsule> capsules;
  std::vector<Box> boxes;
  std::vector<HalfSpace> spaces;
};

static double fromBox(const Vector3d &point, const Box &box)
{
  const Vector3d out = ((box.at.inverse() * point).cwiseAbs() - box.half).cwiseMax(0);
  return out.norm();
}

// The least of a function that is convex on [0, 1].
template <class F> static double least(F of)
{
  double low = 0, high = 1;
  for (int i = 0; i < 40; i++) {
    const double left = low + (high - low) / 3, right = high - (high - low) / 3;
    if (of(left) < of(right))
      high = right;
    else
      low = left;
  }
  return of((low + high) / 2);
}

static double segmentFromBox(const Vector3d &a, const Vector3d &b, const Box &box)
{
  return least([&](double t) { return fromBox(a + t * (b - a), box); });
}

static double fromSegment(const Vector3d &point, const Vector3d &a, const Vector3d &b)
{
  const double square = (b - a).squaredNorm();
  const double part = square > 0 ? std::clamp((point - a).dot(b - a) / square, 0.0, 1.0) : 0;
  return (point - a - part * (b - a)).norm();
}

static double segments(const Vector3d &a, const Vector3d &b, const Vector3d &c, const Vector3d &d)
{
  return least([&](double t) { return fromSegment(a + t * (b - a), c, d); });
}

static bool isFree(const World &world, const double *q)
{
  std::vector<Eigen::Isometry3d> frames;
  Eigen::Isometry3d at = Eigen::Isometry3d::Identity();
  for (size_t j = 0; j < world.links.size(); j++) {
    const auto &[a, alpha, d, theta] = world.links[j];
    at = at * Eigen::AngleAxisd(q[j] + theta, Vector3d::UnitZ()) * Eigen::Translation3d(a, 0, d) *
         Eigen::AngleAxisd(alpha, Vector3d::UnitX());
    frames.push_back(at);
  }
  std::vector<std::array<Vector3d, 2>> ends;
  for (const Capsule &c : world.capsules) ends.push_back({ frames[c.joint] * c.from, frames[c.joint] * c.to });
  for (size_t i = 0; i < ends.size(); i++) {
    const Capsule &c = world.capsules[i];
    for (const Box &box : world.boxes)
      if (segmentFromBox(ends[i][0], ends[i][1], box) <= c.radius) return false;
    for (const HalfSpace &s : world.spaces)
      if (std::min(s.normal.dot(ends[i][0]), s.normal.dot(ends[i][1])) - s.offset <= c.radius) return false;
    for (size_t k = 0; k < i; k++)
      if (c.joint - world.capsules[k].joint > 1 &&
          segments(ends[i][0], ends[i][1], ends[k][0], ends[k][1]) <= c.radius + world.capsules[k].radius)
        return false;
  }
  return true;
}

static double solve(const World &world, const std::vector<double> &start, const std::vector<double> &goal)
{
  const size_t n = world.links.size();
  auto space = std::make_shared<ob::RealVectorStateSpace>(n);
  ob::RealVectorBounds bounds(n);
  for (size_t j = 0; j < n; j++) bounds.setLow(j, world.limits[j][0]), bounds.setHigh(j, world.limits[j][1]);
  space->setBounds(bounds);
  og::SimpleSetup setup(space);
  setup.setStateValidityChecker([&world](const ob::State *state) {
    return isFree(world, state->as<ob::RealVectorStateSpace::StateType>()->values);
  });
  setup.getSpaceInformation()->setStateValidityCheckingResolution(STEP);
  ob::ScopedState<> from(space), to(space);
  for (size_t j = 0; j < n; j++) from[j] = start[j], to[j] = goal[j];
  setup.setStartAndGoalStates(from, to);
  setup.setPlanner(std::make_shared<og::RRTConnect>(setup.getSpaceInformation()));
  const bool solved = setup.solve(A_MINUTE) == ob::PlannerStatus::EXACT_SOLUTION;
  return solved ? setup.getLastPlanComputationTime() : -1;
}

static Vector3d readVector()
{
  double x, y, z;
  std::cin >> x >> y >> z;
  return { x, y, z };
}

int main()
{
  World world;
  std::string word;
  ompl::msg::setLogLevel(ompl::msg::LOG_ERROR);
  ompl::RNG::setSeed(SEED);
  while (std::cin >> word) {
    if (word == "joint") {
      double a, alpha, d, theta, low, high;
      std::cin >> a >> alpha >> d >> theta >> low >> high;
      world.links.push_back({ a, alpha, d, theta }), world.limits.push_back({ low, high });
    } else if (word == "capsule") {
      Capsule c;
      std::cin >> c.joint;
      c.from = readVector(), c.to = readVector();
      std::cin >> c.radius;
      world.capsules.push_back(c);
    } else if (word == "cell") {
      world.boxes.clear(), world.spaces.clear();
    } else if (word == "box") {
      const Vector3d size = readVector(), at = readVector(), rpy = readVector();
      const Eigen::Isometry3d pose = Eigen::Translation3d(at) * Eigen::AngleAxisd(rpy[2], Vector3d::UnitZ()) *
                                     Eigen::AngleAxisd(rpy[1], Vector3d::UnitY()) *
                                     Eigen::AngleAxisd(rpy[0], Vector3d::UnitX());
      world.boxes.push_back({ size / 2, pose });
    } else if (word == "half_space") {
      const Vector3d normal = readVector();
      double offset;
      std::cin >> offset;
      world.spaces.push_back({ normal.normalized(), offset });
    } else if (word == "problem") {
      std::vector<double> ends[2];
      for (auto &end : ends)
        for (size_t j = 0; j < world.links.size(); j++) {
          double x;
          std::cin >> x;
          end.push_back(x);
        }
      std::cout << solve(world, ends[0], ends[1]) << std::endl;
    }
  }
}
