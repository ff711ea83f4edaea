#include <pthread.h>

#include "api/codec/robot.h"
#include "api/limits.h"
#include "server/robots/cache.h"
#include "store_fixture.h"

static struct robots *robots;

static void start(void)
{
  setup();
  robots = robots_new(store);
  cr_assert_not_null(robots);
}

static void end(void)
{
  robots_free(robots);
  teardown();
}

TestSuite(cache, .init = start, .fini = end);

/* A pendulum whose mass tells models apart. */
static char *model(const char *name, double mass)
{
  static struct armdyn_robot_description d;
  struct buffer out = BUFFER(LIMIT_MODEL_BODY);
  armdyn_robot_description_init(&d);
  d.joint_count = 1;
  armdyn_joint_init(&d.joints[0]);
  snprintf(d.name, sizeof d.name, "%s", name);
  snprintf(d.joints[0].name, sizeof d.joints[0].name, "j1");
  d.joints[0].a = 1;
  d.joints[0].link.mass = mass;
  robot_encode(&d, &out);
  char *text = buffer_take(&out, NULL);
  cr_assert_not_null(text);
  return text;
}

/* Creates the robot when expected is 0, else updates it. */
static void put(const char *name, double mass, int64_t expected)
{
  struct store_robot robot = a_robot(name);
  robot.document = model(name, mass);
  OK(expected ? store_robot_update(store, &robot, expected) : store_robot_create(store, &robot, NULL));
  free(robot.document);
  robots_changed(robots, name);
}

static double mass_of(const struct robot_entry *entry)
{
  return armdyn_robot_description(entry->robot)->joints[0].link.mass;
}

/* What the cache says the mass is; -1 when it has to read the store and may not. */
static double get(const char *name, int64_t revision, bool may_block)
{
  const struct robot_entry *entry;
  enum armdyn_status status = robots_get(robots, name, revision, may_block, &entry);
  if (status == ARMDYN_EUNAVAILABLE) return -1;
  OK(status);
  double mass = mass_of(entry);
  robots_release(robots, entry);
  return mass;
}

Test(cache, reads_once_and_hits_ever_after)
{
  put("a", 3, 0);
  const struct robot_entry *one, *two;
  IS(robots_get(robots, "a", 0, false, &one), EUNAVAILABLE);
  OK(robots_get(robots, "a", 0, true, &one));
  OK(robots_get(robots, "a", 1, false, &two));
  cr_assert_eq(one, two);
  cr_assert_eq(one->revision, 1);
  cr_assert_gt(clock_parse(one->row.created_at), 0);
  cr_assert_eq(mass_of(one), 3);
  robots_release(robots, one);
  robots_release(robots, two);
  robots_release(robots, NULL);
  IS(robots_get(robots, "b", 0, true, &one), ENOTFOUND);
  IS(robots_get(robots, "a", 2, true, &one), ENOTFOUND);
}

Test(cache, a_revision_asked_by_number_becomes_the_newest_when_that_is_asked)
{
  put("a", 3, 0);
  cr_assert_eq(get("a", 1, true), 3);
  cr_assert_eq(get("a", 0, false), -1); /* not known to be the newest */
  cr_assert_eq(get("a", 0, true), 3);
  cr_assert_eq(get("a", 0, false), 3);
}

Test(cache, changes_are_seen_and_old_revisions_stay)
{
  const struct robot_entry *held;
  put("a", 3, 0);
  OK(robots_get(robots, "a", 0, true, &held));
  put("a", 4, 1);
  cr_assert_eq(get("a", 0, false), -1);
  cr_assert_eq(get("a", 0, true), 4);
  cr_assert_eq(get("a", 1, true), 3);
  cr_assert_eq(mass_of(held), 3); /* lives while it is held */
  robots_release(robots, held);
  OK(store_robot_delete(store, "a", 2, false));
  robots_changed(robots, "a");
  for (int64_t revision = 0; revision <= 2; revision++) IS(robots_get(robots, "a", revision, true, &held), ENOTFOUND);
}

/* What is put into a model for one call is a robot of its own, of the same revision. */
Test(cache, a_payload_makes_another_robot)
{
  const struct overrides loaded = { .has_payload = true, .payload = { .mass = 2 } }, none = { 0 };
  const struct robot_entry *plain, *own, *same;
  put("a", 3, 0);
  OK(robots_get(robots, "a", 0, true, &plain));
  OK(robots_get_with(robots, "a", 0, &loaded, &own));
  OK(robots_get_with(robots, "a", 0, &none, &same));
  cr_assert_eq(same, plain);
  cr_assert_neq(own->robot, plain->robot);
  cr_assert_eq(armdyn_robot_description(own->robot)->payload.mass, 2);
  cr_assert_eq(armdyn_robot_description(plain->robot)->payload.mass, 0);
  cr_assert(own->revision == 1 && mass_of(own) == 3 && !strcmp(own->row.created_at, plain->row.created_at));
  robots_release(robots, own);
  cr_assert_eq(mass_of(plain), 3);
  robots_release(robots, plain);
  robots_release(robots, same);
}

Test(cache, what_is_only_rehearsed_is_for_nobody_else)
{
  put("a", 3, 0);
  cr_assert_eq(get("a", 0, true), 3);
  store_rehearse();
  put("a", 4, 1);
  put("b", 5, 0);
  cr_assert_eq(get("a", 0, true), 4);
  cr_assert_eq(get("a", 2, true), 4);
  cr_assert_eq(get("b", 0, true), 5);
  store_rehearsal_end();
  const struct robot_entry *entry;
  cr_assert_eq(get("a", 0, false), 3);
  IS(robots_get(robots, "a", 2, true, &entry), ENOTFOUND);
  IS(robots_get(robots, "b", 0, true, &entry), ENOTFOUND);
}

Test(cache, is_bounded_and_drops_what_was_not_used_for_longest)
{
  char name[ARMDYN_NAME_SIZE];
  struct store_robot robot = a_robot("");
  for (int i = 0; i < LIMIT_ROBOTS_CACHED + 1; i++) {
    snprintf(robot.name, sizeof robot.name, "r%d", i);
    robot.document = model(robot.name, i);
    OK(store_robot_create(store, &robot, NULL));
    free(robot.document);
  }
  for (int i = 0; i < LIMIT_ROBOTS_CACHED; i++) {
    snprintf(name, sizeof name, "r%d", i);
    cr_assert_eq(get(name, 0, true), i);
  }
  cr_assert_eq(get("r0", 0, false), 0); /* used again: r1 is the oldest now */
  snprintf(name, sizeof name, "r%d", LIMIT_ROBOTS_CACHED);
  cr_assert_eq(get(name, 0, true), LIMIT_ROBOTS_CACHED);
  cr_assert_eq(get("r0", 0, false), 0);
  cr_assert_eq(get("r1", 0, false), -1);
  cr_assert_eq(get("r2", 0, false), 2);
  cr_assert_eq(get("r1", 0, true), 1);
  cr_assert_eq(get("r2", 0, false), 2);
  cr_assert_eq(get("r3", 0, false), -1);
}

Test(cache, a_stored_model_that_cannot_be_read_is_an_internal_error)
{
  const struct robot_entry *entry;
  struct store_robot robot = a_robot("a");
  robot.document = "{\"not\":\"a model\"}";
  OK(store_robot_create(store, &robot, NULL));
  IS(robots_get(robots, "a", 0, true, &entry), EINTERNAL);
}

enum { REVISIONS = 30 };

/* Never an older model than one that was seen before, and what was answered before the call. */
static void *read_newest(void *argument)
{
  double last = 0;
  (void)argument;
  while (last < REVISIONS) {
    double now = get("a", 0, true);
    cr_assert_geq(now, last);
    last = now;
  }
  return NULL;
}

Test(cache, readers_never_go_back_while_a_writer_updates)
{
  pthread_t readers[3];
  put("a", 1, 0);
  for (size_t i = 0; i < COUNT(readers); i++) pthread_create(&readers[i], NULL, read_newest, NULL);
  for (int revision = 1; revision < REVISIONS; revision++) {
    put("a", revision + 1, revision);
    cr_assert_eq(get("a", 0, true), revision + 1);
  }
  for (size_t i = 0; i < COUNT(readers); i++) pthread_join(readers[i], NULL);
}
