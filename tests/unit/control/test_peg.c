/* A peg in a hole in three dimensions: a Puma without dry friction in its joints, that does not know where the hole is. Peg of
 * 20 mm, clearance of 0.1 mm in diameter, friction 0.2, chamfer 0.5 mm; the hole is up to 1 mm beside and up to 1 degree askew
 * of where the law believes it, every other one just so much. 100 of them with ARMDYN_SOAK=1, a sample of them otherwise. */
#include "tests/support/sanitized.h"
#include "tests/unit/control/loops.h"

static const double CLEARANCE = 1e-4, PEG = 0.02, DEPTH = 0.02, CHAMFER = 5e-4;
static const double OFFSET = 1e-3, TILT = M_PI / 180, DURATION = 8;

struct insertion {
  struct scene *scene;
  const struct armdyn_hole *hole;
  double balance, first;
  bool begun;
};

static bool watch(void *context, const struct armdyn_loop_sample *sample)
{
  struct insertion *i = context;
  double pose[16], depth = 0, off = sample->plant->kinetic + sample->plant->potential - sample->work;
  armdyn_forward_kinematics(i->scene->plant, sample->plant->q, i->scene->workspace, pose, NULL);
  for (int k = 0; k < 3; k++) depth += (i->hole->center[k] - pose[4 * k + 3]) * i->hole->axis[k];
  for (int k = 0; k < ARMDYN_ELEMENTS; k++) {
    const struct armdyn_element_energy *e = &sample->account->elements[k];
    off += e->stored - sample->account->stored_at_start[k] + e->dissipated - e->supplied;
  }
  if (!i->begun) i->begun = true, i->first = off;
  i->balance = fmax(i->balance, fabs(off - i->first));
  return depth < 0.95 * DEPTH; /* it is in: the rest is rest */
}

/* The tool points down where the peg is 2 mm above the hole that the law believes in. */
static void stand(struct scene *scene)
{
  static const double pose[6] = { 0.3, -0.9, 0.4, 0, 0, 0.2 };
  double tool[16];
  an_arm(scene, "puma560");
  scene->description.tool.translation[2] += 0.12; /* the peg's tip */
  scene->description.payload = (struct armdyn_body){ 0 };
  scene->arm = scene->description;
  memcpy(scene->q, pose, sizeof pose);
  scene->load.frictionless = scene->control.frictionless = true;
  scene_open(scene, ARMDYN_LAW_HYBRID, 4, 1000);
  for (int k = 0; k < 40; k++) {
    armdyn_forward_kinematics(scene->model, scene->q, scene->workspace, tool, NULL);
    const double outward = tool[2] * cos(pose[0]) + tool[6] * sin(pose[0]);
    scene->q[4] -= 0.5 * atan2(outward, -tool[10]);
  }
  armdyn_forward_kinematics(scene->model, scene->q, scene->workspace, tool, NULL);
  cr_assert_float_eq(tool[10], -1, 1e-9, "the tool points down: %g", tool[10]);
  memcpy(scene->center, scene->q, sizeof scene->q);
}

static void law(struct scene *scene)
{
  struct armdyn_gains *gains = &scene->control.gains;
  for (int i = 0; i < 6; i++) {
    gains->stiffness[i] = i < 3 ? 20 : 2e4;
    gains->damping[i] = i < 3 ? 4 : 1000;
    gains->force_ki[i] = 0;
  }
  gains->selection[5] = 1, gains->force[5] = -30, gains->damping[5] = 1500;
  scene->control.search = (struct armdyn_search){ .radius = 1.3e-3, .pitch = 4e-4, .speed = 6e-3, .fall = 8e-4 };
}

static struct armdyn_hole a_hole(struct scene *scene, struct dice *dice, bool farthest)
{
  const double part = dice_uniform(dice, 0, 1), where = dice_uniform(dice, -M_PI, M_PI);
  const double lean = dice_uniform(dice, 0, 1), whither = dice_uniform(dice, -M_PI, M_PI);
  const double beside = OFFSET * (farthest ? 1 : sqrt(part)), askew = TILT * (farthest ? 1 : lean);
  double tool[16];
  armdyn_forward_kinematics(scene->model, scene->q, scene->workspace, tool, NULL);
  return (struct armdyn_hole){
    .center = { tool[3] + beside * cos(where), tool[7] + beside * sin(where), tool[11] - 2e-3 },
    .axis = { sin(askew) * cos(whither), sin(askew) * sin(whither), cos(askew) },
    .diameter = PEG + CLEARANCE,
    .depth = DEPTH,
    .chamfer = CHAMFER,
    .peg_diameter = PEG,
    .peg_length = 0.1,
    .surface = { 1e7, 3e3, 0.2, 2e-3 },
  };
}

/* Is the peg in, at last? The energies of the plant balance on the way. */
static bool inserted(struct scene *scene, const struct armdyn_hole *hole, double duration)
{
  const struct armdyn_elements elements = { .hole = *hole, .has_hole = true };
  struct insertion i = { .scene = scene, .hole = &elements.hole };
  struct armdyn_error error = { 0 };
  scene->loop.elements = &elements;
  scene->loop.plant_motion.relative_tolerance = scene->loop.plant_motion.absolute_tolerance = 1e-8;
  scene->loop.plant_motion.q = scene->q, scene->loop.plant_motion.qd = scene->qd;
  scene->loop.plant_motion.duration = duration, scene->loop.plant_motion.load = &scene->load;
  scene->loop.model = scene->model, scene->loop.plant = scene->plant, scene->loop.control = &scene->control;
  scene->loop.reference = wanted_at, scene->loop.reference_context = scene;
  const enum armdyn_status status = armdyn_loop_simulate(&scene->loop, watch, &i, NULL, &error);
  cr_assert(status == ARMDYN_OK || status == ARMDYN_ECANCELLED, "%s", error.message);
  cr_assert_lt(i.balance, 1e-5, "%g J", i.balance);
  return status == ARMDYN_ECANCELLED;
}

Test(peg, finds_its_hole)
{
  static struct scene scene;
  const char *soak = getenv("ARMDYN_SOAK");
  const int rounds = soak && *soak ? 100 : SANITIZED ? 1 : 4;
  struct dice dice = { 2026 };
  int in = 0;
  stand(&scene);
  law(&scene);
  for (int k = 0; k < rounds; k++) {
    const struct armdyn_hole hole = a_hole(&scene, &dice, k % 2 == 0);
    in += inserted(&scene, &hole, DURATION);
  }
  cr_assert_geq(in, rounds - rounds / 100, "%d of %d", in, rounds);
  scene_close(&scene);
}

/* So there is something to be found: without a search it stands on the face, 1 mm beside. */
Test(peg, without_a_search_it_stands_beside_its_hole)
{
  static struct scene scene;
  struct dice dice = { 2026 };
  stand(&scene);
  law(&scene);
  const struct armdyn_hole hole = a_hole(&scene, &dice, true);
  scene.control.search = (struct armdyn_search){ .radius = 0 };
  cr_assert_not(inserted(&scene, &hole, SANITIZED ? 0.5 : 2));
  scene_close(&scene);
}
