/* The gateway's own look at a motion: two slides along z carry a ball of 0.1 m, 1 m of way in a second; its clearance from a
 * ceiling is known without computing. */
#include "server/gateway/guard.h"

#include <criterion/criterion.h>
#include <math.h>

#include "server/gateway/source.h"

enum { SAMPLES = 1001 };

static struct armdyn_robot_description slides(void)
{
  struct armdyn_robot_description d;
  armdyn_robot_description_init(&d);
  snprintf(d.name, sizeof d.name, "slides");
  d.convention = ARMDYN_FRAMES;
  d.joint_count = 2;
  for (size_t j = 0; j < 2; j++) {
    armdyn_joint_init(&d.joints[j]);
    snprintf(d.joints[j].name, sizeof d.joints[j].name, "s%zu", j + 1);
    d.joints[j].type = ARMDYN_PRISMATIC;
    d.joints[j].axis[2] = 1;
    d.joints[j].link.mass = 1;
    d.joints[j].limits.torque = 100;
  }
  d.body_count = 1;
  d.bodies[0] = (struct armdyn_part_body){ 1, { .kind = ARMDYN_SPHERE, .radius = 0.1 } };
  return d;
}

static struct profile rising(const struct armdyn_robot_description *robot, enum sample_format format)
{
  static struct faults faults;
  const char text[] =
      "{\"name\":\"c\",\"host\":\"h\",\"robot\":\"slides\",\"profile\":{\"protocol\":\"armdyn-v2\",\"axes\":["
      "{\"joint\":\"s2\",\"axis\":1,\"sign\":-1,\"position_scale\":1000,\"position_offset\":7},"
      "{\"joint\":\"s1\",\"axis\":2}]}}";
  struct controller_description c;
  struct axis_map map;
  struct profile p;
  faults.count = 0;
  cr_assert_eq(controller_decode(text, strlen(text), &c, &faults), ARMDYN_OK, "%s", faults.items[0].detail);
  cr_assert_eq(axis_map_make(&c, robot, &map, &faults), ARMDYN_OK);
  cr_assert_eq(profile_init(&p, &map, format, 1000, SAMPLES, NULL), ARMDYN_OK);
  for (size_t k = 0; k < SAMPLES; k++)
    profile_put(&p, &map, k, (double[]){ 0.4e-3 * (double)k, 0.6e-3 * (double)k }, (double[]){ 0, 0 });
  profile_finish(&p);
  return p;
}

/* As it is sent, and opened again. */
static struct guard *arrived(const struct guard *sent, const struct profile *profile)
{
  const size_t size = guard_size(sent), length = sent->cell.length;
  char *bytes = malloc(size + length);
  memcpy(bytes, sent, size);
  memcpy(bytes + size, sent->cell.text, length);
  struct guard *guard = guard_open(bytes, size + length, profile);
  cr_assert(guard);
  cr_assert_null(guard_open(bytes, size + length - 1, profile));
  cr_assert_null(guard_open(bytes, sizeof *sent - 1, profile));
  free(bytes);
  return guard;
}

static struct guard_cell ceiling_at(double height)
{
  struct guard_cell cell = { .name = "hall", .revision = 1, .text = malloc(200) };
  cell.length =
      (size_t)snprintf(cell.text, 200,
                       "{\"name\":\"hall\",\"bodies\":[{\"name\":\"ceiling\",\"half_space\":{\"normal\":[0,0,-1],"
                       "\"offset\":%.9g}}]}",
                       -height);
  return cell;
}

static bool never(void *context)
{
  ++*(int *)context;
  return true;
}

static bool at_once(void *context)
{
  (void)context;
  return false;
}

static struct guard *guard_of(const struct profile *profile, const struct armdyn_robot_description *robot,
                              const double *q)
{
  struct guard *sent = guard_new(profile, &robot, 1, q);
  cr_assert(sent);
  sent->cell = ceiling_at(1.2);
  struct guard *guard = arrived(sent, profile);
  guard_free(sent);
  return guard;
}

Test(guard, holds_the_positions_that_are_sent_against_the_cell)
{
  const struct armdyn_robot_description robot = slides();
  struct profile profile = rising(&robot, FORMAT_POSITION_TORQUE);
  struct armdyn_error error;
  int pauses = 0;
  /* at the end the ball's upper edge is at 1.1 m, through a sign, a scale and an offset */
  struct guard *guard = guard_of(&profile, &robot, NULL);
  cr_assert_eq(guard_check(guard, 0, 1000, never, &pauses, &error), ARMDYN_OK, "%s", error.message);
  cr_assert_eq(pauses, 2, "%d", pauses);
  guard->proved = 0.0999; /* it looks no more exactly than it must */
  cr_assert_eq(guard_check(guard, 0, 1000, never, &pauses, &error), ARMDYN_OK, "%s", error.message);
  guard->proved = 0;
  guard->deviation = 0.0501; /* of two slides */
  cr_assert_eq(guard_check(guard, 0, 1000, never, &pauses, &error), ARMDYN_ELIMIT);
  cr_assert_str_eq(error.message, "s2 may touch ceiling at 1.000 s: the clearance is -0.0002 m");
  guard->deviation = 0;
  cr_assert_eq(guard_check(guard, 0, 1000, at_once, NULL, &error), ARMDYN_ECANCELLED);
  guard_free(guard);

  /* what is sent counts, not what was planned: one sample of the words leads up, and is checked between samples too */
  protocol_put_float(profile.words + 600 * 8, 7 - 1000 * 0.9F);
  guard = guard_of(&profile, &robot, NULL);
  cr_assert_eq(guard_check(guard, 0, 1000, never, &pauses, &error), ARMDYN_ELIMIT);
  cr_assert_str_eq(error.message, "s2 may touch ceiling at 0.600 s: the clearance is -0.0400 m");
  cr_assert_eq(guard_check(guard, 601, 1000, never, &pauses, &error), ARMDYN_OK, "what is left is clear: %s",
               error.message);
  guard->touches.count = 1;
  guard->touches.items[0] = (struct armdyn_touch){ "s2", "ceiling", 0.599, 0.601, 0 };
  cr_assert_eq(guard_check(guard, 0, 1000, never, &pauses, &error), ARMDYN_OK,
               "a window of time is one of the whole "
               "motion: %s",
               error.message);
  guard->touches.items[0].to = 0.6;
  cr_assert_eq(guard_check(guard, 0, 1000, never, &pauses, &error), ARMDYN_ELIMIT);
  guard_free(guard);
  profile_release(&profile);
}

Test(guard, takes_the_newest_cell_and_only_its_own)
{
  const struct armdyn_robot_description robot = slides();
  struct profile profile = rising(&robot, FORMAT_TORQUE);
  static double q[2 * SAMPLES];
  struct armdyn_error error;
  int pauses = 0;
  for (size_t k = 0; k < SAMPLES; k++) q[2 * k] = 0.4e-3 * (double)k, q[2 * k + 1] = 0.6e-3 * (double)k;
  struct guard *guard = guard_of(&profile, &robot, q); /* words of torques alone: the positions come with it */
  struct guard_cell other = ceiling_at(0.5), taken;
  cr_assert_eq(guard_check(guard, 0, 1000, never, &pauses, &error), ARMDYN_OK, "%s", error.message);
  snprintf(other.name, sizeof other.name, "elsewhere");
  cr_assert_eq(guard_offer(guard, &other), ARMDYN_OK);
  cr_assert_not(guard_take_newer(guard, &taken));
  snprintf(other.name, sizeof other.name, "hall");
  cr_assert(!guard_offer(guard, &other) && !guard_offer(guard, &other));
  cr_assert(guard_take_newer(guard, &taken) && !strcmp(taken.text, other.text));
  guard_cell_release(&guard->cell);
  guard->cell = taken;
  cr_assert_eq(guard_check(guard, 0, 1000, never, &pauses, &error), ARMDYN_ELIMIT);
  cr_assert_eq(guard_check(guard, 5000, 1000, never, &pauses, &error), ARMDYN_ELIMIT, "past the end it rests there");
  guard->cell.revision = 0;
  cr_assert_eq(guard_check(guard, 0, 1000, never, &pauses, &error), ARMDYN_EINPUT);
  guard_cell_release(&other);
  guard_free(guard);
  profile_release(&profile);
}
