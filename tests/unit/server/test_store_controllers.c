#include "store_fixture.h"

TestSuite(controllers, .init = setup, .fini = teardown);

static struct store_controller a_controller(const char *name)
{
  struct store_controller controller = { .document = "{\"host\":\"10.0.0.7\"}" };
  snprintf(controller.name, sizeof controller.name, "%s", name);
  return controller;
}

Test(controllers, create_update_delete)
{
  struct store_controller c = a_controller("cell-4"), got;
  OK(store_controller_create(store, &c, NULL));
  cr_assert_eq(c.version, 1);
  cr_assert_gt(clock_parse(c.created_at), 0);
  IS(store_controller_create(store, &c, NULL), EEXISTS);
  c.document = "{\"host\":\"10.0.0.8\"}";
  IS(store_controller_update(store, &c, 2), ESTALE);
  OK(store_controller_update(store, &c, 1));
  cr_assert_eq(c.version, 2);
  reopen();
  OK(store_controller_get(store, "cell-4", &got));
  cr_assert_eq(got.version, 2);
  cr_assert_str_eq(got.document, c.document);
  cr_assert_str_eq(got.robot, "");
  store_controller_release(&got);
  IS(store_controller_delete(store, "cell-4", 1), ESTALE);
  OK(store_controller_delete(store, "cell-4", 2));
  IS(store_controller_delete(store, "cell-4", 2), ENOTFOUND);
  IS(store_controller_update(store, &c, 2), ENOTFOUND);
  memset(&got, 0xa5, sizeof got);
  IS(store_controller_get(store, "cell-4", &got), ENOTFOUND);
  store_controller_release(&got); /* of what was not found, too */
  OK(store_controller_create(store, &c, NULL));
  cr_assert_eq(c.version, 3); /* an old ETag never fits the new one */
}

Test(controllers, robot_must_exist)
{
  struct store_controller c = a_controller("cell-4"), got;
  snprintf(c.robot, sizeof c.robot, "r");
  IS(store_controller_create(store, &c, NULL), ECONFLICT);
  struct store_robot robot = a_robot("r");
  OK(store_robot_create(store, &robot, NULL));
  OK(store_controller_create(store, &c, NULL));
  OK(store_controller_get(store, "cell-4", &got));
  cr_assert_str_eq(got.robot, "r");
  store_controller_release(&got);
}

static void append(void *context, const struct store_controller *c)
{
  char *list = context;
  size_t length = strlen(list);
  snprintf(list + length, 200 - length, "%s@%s ", c->name, c->document);
}

Test(controllers, list_by_name)
{
  static const char *const names[] = { "b", "a", "d", "c" };
  char list[200] = "";
  for (size_t i = 0; i < COUNT(names); i++) {
    struct store_controller c = a_controller(names[i]);
    c.document = "1";
    OK(store_controller_create(store, &c, NULL));
  }
  struct store_query query = { .sort = "name", .ascending = true, .limit = 3 };
  OK(store_controller_list(store, &query, append, list));
  OK(store_controller_list(store, &query, append, list));
  cr_assert_str_eq(list, "a@1 b@1 c@1 d@1 ");
}

static struct store_result result;

static void setup_with_result(void)
{
  setup();
  result = stored_result();
}

TestSuite(transfers, .init = setup_with_result, .fini = teardown);

Test(transfers, are_kept_and_updated)
{
  struct store_transfer t = a_transfer("cell-4", result.id), got;
  t.tags = "{\"shift\":\"2\"}";
  OK(store_transfer_create(store, &t, NULL));
  IS(store_transfer_create(store, &t, NULL), EEXISTS);
  t.state = TRANSFER_LOADING;
  t.sent = 50;
  t.history = "[{\"state\":\"loading\"}]";
  memcpy(t.started_at, t.created_at, sizeof t.started_at);
  OK(store_transfer_update(store, &t));
  reopen();
  OK(store_transfer_get(store, t.id, &got));
  cr_assert_str_eq(got.controller, "cell-4");
  cr_assert_str_eq(got.trajectory, result.id);
  cr_assert_eq(got.state, TRANSFER_LOADING);
  cr_assert_eq(got.sent, 50);
  cr_assert_eq(got.total, 100);
  cr_assert_not(got.start_sent);
  cr_assert_str_eq(got.started_at, t.created_at);
  cr_assert_str_eq(got.finished_at, "");
  cr_assert_str_eq(got.request, t.request);
  cr_assert_str_eq(got.tags, t.tags);
  cr_assert_str_eq(got.history, t.history);
  cr_assert_null(got.problem);
  store_transfer_release(&got);
  id_make(t.id);
  IS(store_transfer_update(store, &t), ENOTFOUND);
  IS(store_transfer_get(store, t.id, &got), ENOTFOUND);
}

Test(transfers, need_their_trajectory)
{
  struct store_transfer t = a_transfer("cell-4", "01ARZ3NDEKTSV4RRFFQ69G5FAV");
  IS(store_transfer_create(store, &t, NULL), ECONFLICT);
}

/* Every state to every state: only final ones are never left. */
Test(transfers, final_states_are_never_left)
{
  static const char *const names[TRANSFER_STATE_COUNT] = { "queued",  "connecting", "loading",    "ready",
                                                           "armed",   "playing",    "holding",    "done",
                                                           "stopped", "failed",     "interrupted" };
  for (int from = 0; from < TRANSFER_STATE_COUNT; from++) {
    cr_assert_str_eq(transfer_state_name((enum transfer_state)from), names[from]);
    for (int to = 0; to < TRANSFER_STATE_COUNT; to++) {
      struct store_transfer t = a_transfer("cell-4", result.id), got;
      t.state = (enum transfer_state)from;
      OK(store_transfer_create(store, &t, NULL));
      t.state = (enum transfer_state)to;
      if (to >= TRANSFER_DONE) memcpy(t.finished_at, t.created_at, sizeof t.finished_at);
      bool final = from >= TRANSFER_DONE && to != from;
      cr_assert_eq(store_transfer_update(store, &t), final ? ARMDYN_ECONFLICT : ARMDYN_OK, "%s to %s", names[from],
                   names[to]);
      OK(store_transfer_get(store, t.id, &got));
      cr_assert_eq((int)got.state, final ? from : to);
      store_transfer_release(&got);
    }
  }
}

Test(transfers, start_is_claimed_once_for_ever)
{
  struct store_transfer t = a_transfer("cell-4", result.id), got;
  IS(store_transfer_claim_start(store, t.id), ENOTFOUND);
  OK(store_transfer_create(store, &t, NULL));
  OK(store_transfer_claim_start(store, t.id));
  IS(store_transfer_claim_start(store, t.id), ECONFLICT);
  t.state = TRANSFER_PLAYING; /* start_sent is still false in this copy: it must not take the claim back */
  OK(store_transfer_update(store, &t));
  reopen();
  IS(store_transfer_claim_start(store, t.id), ECONFLICT);
  OK(store_transfer_get(store, t.id, &got));
  cr_assert(got.start_sent);
  store_transfer_release(&got);
  struct store_transfer over = a_transfer("cell-4", result.id);
  over.state = TRANSFER_STOPPED;
  OK(store_transfer_create(store, &over, NULL));
  IS(store_transfer_claim_start(store, over.id), ECONFLICT);
}

static void append_transfer(void *context, const struct store_transfer *t)
{
  char *list = context;
  size_t length = strlen(list);
  snprintf(list + length, 200 - length, "%s/%s ", t->controller, transfer_state_name(t->state));
}

Test(transfers, list_and_unfinished)
{
  char list[200] = "";
  static const struct {
    const char *controller;
    enum transfer_state state;
  } all[] = { { "a", TRANSFER_DONE }, { "b", TRANSFER_PLAYING }, { "a", TRANSFER_READY }, { "a", TRANSFER_FAILED } };
  for (size_t i = 0; i < COUNT(all); i++) {
    struct store_transfer t = a_transfer(all[i].controller, result.id);
    t.state = all[i].state;
    OK(store_transfer_create(store, &t, NULL));
  }
  struct store_query every = { .limit = 10 };
  struct store_query of_a = query_of(2, COLUMNS(COLUMN("controller", "a")));
  struct store_query done = query_of(2, COLUMNS(COLUMN("controller", "a"), COLUMN("state", "done")));
  struct store_query playing = query_of(2, COLUMNS(COLUMN("state", "playing")));
  OK(store_transfer_list(store, &every, append_transfer, list));
  cr_assert_str_eq(list, "a/failed a/ready b/playing a/done ");
  *list = '\0';
  OK(store_transfer_list(store, &of_a, append_transfer, list));
  cr_assert_str_eq(list, "a/failed a/ready ");
  *list = '\0';
  OK(store_transfer_list(store, &done, append_transfer, list));
  OK(store_transfer_list(store, &playing, append_transfer, list));
  cr_assert_str_eq(list, "a/done b/playing ");
  *list = '\0';
  reopen();
  OK(store_transfer_unfinished(store, append_transfer, list));
  cr_assert_str_eq(list, "b/playing a/ready ");
}
