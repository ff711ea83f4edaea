#include "api/urdf/tree.h"

#include <ctype.h>

enum { LINK_NAME_MOST = 255 };

static const char *const type_names[] = {
  [URDF_FIXED] = "fixed",         [URDF_REVOLUTE] = "revolute", [URDF_CONTINUOUS] = "continuous",
  [URDF_PRISMATIC] = "prismatic", [URDF_FLOATING] = "floating", [URDF_PLANAR] = "planar",
};
enum { TYPES = sizeof type_names / sizeof *type_names };

/* A required attribute that is not empty; NULL with a fault. */
static const char *required(struct xml_reader *x, const xmlNode *node, const char *attribute)
{
  const char *value = xml_attribute(node, attribute);
  if (value && *value) return value;
  xml_fault(x, node, value ? attribute : NULL, FAULT_REQUIRED, "<%s> needs the attribute %s", (const char *)node->name,
            attribute);
  return NULL;
}

/* The name of a link or joint, "" with a fault. */
static const char *name_of(struct xml_reader *x, const xmlNode *node, size_t longest)
{
  const char *name = required(x, node, "name");
  if (!name) return "";
  for (const char *c = name; *c; c++)
    if (iscntrl((unsigned char)*c)) {
      xml_fault(x, node, "name", FAULT_PATTERN, "must have no control characters");
      return "";
    }
  if (strlen(name) > longest)
    xml_fault(x, node, "name", FAULT_LENGTH, "must be at most %zu bytes long, got %zu", longest, strlen(name));
  return name;
}

static size_t find_link(const struct urdf_tree *tree, const char *name)
{
  for (size_t i = 0; i < tree->link_count; i++)
    if (strcmp(tree->links[i].name, name) == 0) return i;
  return URDF_NONE;
}

static bool too_many(struct xml_reader *x, const xmlNode *node, size_t count)
{
  if (count < LIMIT_URDF_LINKS) return false;
  xml_fault(x, node, NULL, FAULT_MAXIMUM, "a URDF may have %d links and as many joints at most", LIMIT_URDF_LINKS);
  return true;
}

static bool read_links(struct xml_reader *x, struct urdf_tree *tree)
{
  for (const xmlNode *node = xml_child(tree->robot, "link"); node; node = xml_next(node, "link")) {
    if (too_many(x, node, tree->link_count)) return false;
    const char *name = name_of(x, node, LINK_NAME_MOST);
    if (*name && find_link(tree, name) != URDF_NONE)
      xml_fault(x, node, "name", FAULT_DUPLICATE, "another link is called '%.64s' too", name);
    tree->links[tree->link_count++] = (struct urdf_link){ name, node, URDF_NONE, 0 };
  }
  if (!tree->link_count) xml_fault(x, tree->robot, NULL, FAULT_REQUIRED, "<robot> has no <link>");
  return tree->link_count > 0;
}

/* The link that <parent link=""> or <child link=""> names; URDF_NONE with a fault. */
static size_t end_of(struct xml_reader *x, const struct urdf_tree *tree, const xmlNode *joint, const char *element)
{
  const xmlNode *end = xml_child(joint, element);
  if (!end) {
    xml_fault(x, joint, NULL, FAULT_REQUIRED, "a joint needs <%s link=\"...\"/>", element);
    return URDF_NONE;
  }
  const char *name = required(x, end, "link");
  if (!name) return URDF_NONE;
  size_t link = find_link(tree, name);
  if (link == URDF_NONE) xml_fault(x, end, "link", FAULT_INCONSISTENT, "there is no link '%.64s'", name);
  return link;
}

static void read_type(struct xml_reader *x, struct urdf_joint *joint)
{
  const char *type = required(x, joint->node, "type");
  for (size_t t = 0; type && t < TYPES; t++)
    if (strcmp(type, type_names[t]) == 0) {
      joint->type = (enum urdf_joint_type)t;
      return;
    }
  if (type)
    xml_fault(x, joint->node, "type", FAULT_ENUM,
              "must be fixed, revolute, continuous or prismatic (floating and planar off the chain), got '%.64s'",
              type);
}

static void read_joint(struct xml_reader *x, struct urdf_tree *tree, struct urdf_joint *joint)
{
  const xmlNode *origin = xml_child(joint->node, "origin");
  joint->name = name_of(x, joint->node, ARMDYN_NAME_SIZE - 1);
  for (const struct urdf_joint *other = tree->joints; *joint->name && other < joint; other++)
    if (strcmp(other->name, joint->name) == 0) {
      xml_fault(x, joint->node, "name", FAULT_DUPLICATE, "another joint is called '%.64s' too", joint->name);
      break;
    }
  read_type(x, joint);
  if (origin) {
    xml_numbers(x, origin, "xyz", "m", 3, joint->origin.translation);
    xml_numbers(x, origin, "rpy", "rad", 3, joint->origin.rpy);
  }
  joint->parent = end_of(x, tree, joint->node, "parent");
  joint->child = end_of(x, tree, joint->node, "child");
  if (joint->parent == URDF_NONE || joint->child == URDF_NONE) return;
  struct urdf_link *child = &tree->links[joint->child];
  if (child->joint != URDF_NONE)
    xml_fault(x, xml_child(joint->node, "child"), "link", FAULT_INCONSISTENT,
              "link '%.64s' hangs on joint '%.64s' already: loops cannot be taken", child->name,
              tree->joints[child->joint].name);
  else
    child->joint = (size_t)(joint - tree->joints);
  tree->links[joint->parent].children++;
}

static bool read_joints(struct xml_reader *x, struct urdf_tree *tree)
{
  for (const xmlNode *node = xml_child(tree->robot, "joint"); node; node = xml_next(node, "joint")) {
    if (too_many(x, node, tree->joint_count)) return false;
    struct urdf_joint *joint = &tree->joints[tree->joint_count++];
    *joint = (struct urdf_joint){ .node = node, .parent = URDF_NONE, .child = URDF_NONE };
    read_joint(x, tree, joint);
  }
  return true;
}

/* Every link has at most one joint above it by now: who never comes to a root when climbing is on a loop. */
static void check_loops(struct xml_reader *x, const struct urdf_tree *tree)
{
  for (size_t i = 0; i < tree->link_count; i++) {
    size_t at = i, steps = 0;
    while (tree->links[at].joint != URDF_NONE && steps <= tree->link_count)
      at = tree->joints[tree->links[at].joint].parent, steps++;
    if (steps <= tree->link_count) continue;
    xml_fault(x, tree->links[i].node, NULL, FAULT_INCONSISTENT,
              "link '%.64s' is on a loop of joints, or hangs on one: a URDF must be a tree", tree->links[i].name);
    return; /* the others of the loop say the same */
  }
}

static void check_roots(struct xml_reader *x, struct urdf_tree *tree)
{
  tree->root = URDF_NONE;
  for (size_t i = 0; i < tree->link_count; i++) {
    if (tree->links[i].joint != URDF_NONE) continue;
    if (tree->root == URDF_NONE)
      tree->root = i;
    else
      xml_fault(x, tree->links[i].node, NULL, FAULT_INCONSISTENT,
                "'%.64s' and '%.64s' are both links that no joint holds: a URDF has one root",
                tree->links[tree->root].name, tree->links[i].name);
  }
}

bool urdf_tree_read(struct xml_reader *x, const xmlNode *robot, struct urdf_tree *tree)
{
  tree->robot = robot;
  tree->link_count = tree->joint_count = 0;
  if (!xml_is(robot, "robot")) {
    xml_fault(x, robot, NULL, FAULT_TYPE, "the root element of a URDF is <robot>, got <%.64s>",
              (const char *)robot->name);
    return false;
  }
  if (!read_links(x, tree) || !read_joints(x, tree) || x->fault_count) return false;
  check_loops(x, tree);
  if (!x->fault_count) check_roots(x, tree);
  return !x->fault_count;
}

/* -- chains -- */

static bool is_below(const struct urdf_tree *tree, size_t link, size_t root)
{
  while (link != root && tree->links[link].joint != URDF_NONE) link = tree->joints[tree->links[link].joint].parent;
  return link == root;
}

/* The only tip below a link; URDF_NONE with a fault that lists them. */
static size_t only_tip(struct xml_reader *x, const struct urdf_tree *tree, size_t root)
{
  char names[160] = "";
  size_t tip = URDF_NONE, count = 0, used = 0;
  for (size_t i = 0; i < tree->link_count; i++) {
    if (tree->links[i].children || !is_below(tree, i, root)) continue;
    tip = i;
    const char *name = tree->links[i].name, *comma = count++ ? ", " : "";
    if (used + strlen(name) + 8 < sizeof names) {
      snprintf(names + used, sizeof names - used, "%s%s", comma, name);
      used += strlen(comma) + strlen(name);
    } else if (used < sizeof names - 6) {
      snprintf(names + used, sizeof names - used, "%s...", comma);
      used = sizeof names;
    }
  }
  if (count == 1) return tip;
  fault_add(x->faults, FAULT_AT_PARAMETER, "tip", FAULT_REQUIRED, "the robot has %zu tips, choose one: %s", count,
            names);
  x->fault_count++;
  return URDF_NONE;
}

/* The link that a query parameter names, or `otherwise` without it; URDF_NONE with a fault. */
static size_t asked_link(struct xml_reader *x, const struct urdf_tree *tree, const char *parameter, const char *name,
                         size_t otherwise)
{
  size_t link = name ? find_link(tree, name) : otherwise;
  if (!name || link != URDF_NONE) return link;
  fault_add(x->faults, FAULT_AT_PARAMETER, parameter, FAULT_INCONSISTENT, "there is no link '%.64s'", name);
  x->fault_count++;
  return link;
}

bool urdf_chain_choose(struct xml_reader *x, const struct urdf_tree *tree, const char *root, const char *tip,
                       struct urdf_chain *chain)
{
  chain->root = asked_link(x, tree, "root", root, tree->root);
  chain->tip = asked_link(x, tree, "tip", tip, URDF_NONE);
  if (x->fault_count) return false;
  if (!tip) chain->tip = only_tip(x, tree, chain->root);
  if (chain->tip == URDF_NONE) return false;
  if (!is_below(tree, chain->tip, chain->root)) {
    fault_add(x->faults, FAULT_AT_PARAMETER, "tip", FAULT_INCONSISTENT, "link '%.64s' is not below '%.64s'", tip,
              tree->links[chain->root].name);
    x->fault_count++;
    return false;
  }
  chain->length = 0;
  for (size_t at = chain->tip; at != chain->root; at = tree->joints[tree->links[at].joint].parent) chain->length++;
  size_t place = chain->length;
  for (size_t at = chain->tip; at != chain->root; at = tree->joints[tree->links[at].joint].parent)
    chain->joints[--place] = tree->links[at].joint;
  return true;
}
