/* The links and joints of a URDF as a checked tree, and a chain chosen in it. */
#ifndef API_URDF_TREE_H
#define API_URDF_TREE_H

#include <stdint.h>

#include "api/urdf/rigid.h"
#include "api/urdf/xml.h"

enum urdf_joint_type { URDF_FIXED, URDF_REVOLUTE, URDF_CONTINUOUS, URDF_PRISMATIC, URDF_FLOATING, URDF_PLANAR };

struct urdf_joint {
  const char *name;
  const xmlNode *node;
  enum urdf_joint_type type;
  size_t parent, child;      /* links */
  struct armdyn_pose origin; /* of the child link, in the parent link */
};

#define URDF_NONE SIZE_MAX

struct urdf_link {
  const char *name;
  const xmlNode *node;
  size_t joint; /* that holds it; URDF_NONE: the root */
  size_t children;
};

struct urdf_tree {
  const xmlNode *robot;
  size_t root, link_count, joint_count;
  struct urdf_link links[LIMIT_URDF_LINKS];
  struct urdf_joint joints[LIMIT_URDF_LINKS];
};

/* Joints from the root link to the tip, fixed ones included. */
struct urdf_chain {
  size_t root, tip; /* links */
  size_t length;
  size_t joints[LIMIT_URDF_LINKS];
};

/* Read every link and joint and check that they make one tree. False: faults say why. */
bool urdf_tree_read(struct xml_reader *x, const xmlNode *robot, struct urdf_tree *tree);

/* The chain from one link to another.
 *   root, tip  in  names of links; NULL: the root of the tree, and the only link below `root` without children
 * False with a fault at the query parameter root or tip, which lists the tips to choose from. */
bool urdf_chain_choose(struct xml_reader *x, const struct urdf_tree *tree, const char *root, const char *tip,
                       struct urdf_chain *chain);

#endif
