/* From the document of an identification to the changes of a model. */
#include <criterion/criterion.h>
#include <math.h>

#include "api/codec/promotion.h"

static const char document[] = "{\"parameters\":{\"standard\":["
                               "{\"joint\":\"a\",\"name\":\"coulomb.positive\",\"value\":2,\"std\":0.25},"
                               "{\"joint\":\"a\",\"name\":\"coulomb.negative\",\"value\":3,\"std\":0.5},"
                               "{\"joint\":\"a.b\",\"name\":\"viscous\",\"value\":4,\"std\":0.125},"
                               "{\"joint\":\"a.b\",\"name\":\"position.0.order\",\"value\":7,\"std\":null},"
                               "{\"joint\":\"a.b\",\"name\":\"position.0.phase\",\"value\":1,\"std\":null},"
                               "{\"joint\":\"a.b\",\"name\":\"position.0\",\"value\":0.5,\"std\":0.0625}]}}";

static void two_joints(struct armdyn_robot_description *d)
{
  armdyn_robot_description_init(d);
  d->joint_count = 2;
  snprintf(d->joints[0].name, sizeof d->joints[0].name, "a");
  snprintf(d->joints[1].name, sizeof d->joints[1].name, "a.b");
}

/* Every number that changes is told with its deviation: each direction its own, one for both, and lines over the angle. */
Test(promotion, changes_have_their_deviations)
{
  static struct armdyn_robot_description before, after;
  static struct promotion_source source;
  const double none[2] = { 0, 0 };
  const char *const changes[] = {
    "{\"pointer\":\"/joints/0/friction/coulomb/positive\",\"old\":0,\"new\":2,\"std\":0.25}",
    "{\"pointer\":\"/joints/0/friction/coulomb/negative\",\"old\":0,\"new\":3,\"std\":0.5}",
    "{\"pointer\":\"/joints/1/friction/viscous/positive\",\"old\":0,\"new\":4,\"std\":0.125}",
    "{\"pointer\":\"/joints/1/friction/viscous/negative\",\"old\":0,\"new\":4,\"std\":0.125}",
    "{\"pointer\":\"/joints/1/friction/position/0/amplitude\",\"old\":null,\"new\":0.5,\"std\":0.0625}",
    "{\"pointer\":\"/joints/1/friction/position/0/order\",\"old\":null,\"new\":7,\"std\":null}",
    "{\"pointer\":\"/joints/1/friction/position/0/phase\",\"old\":null,\"new\":1,\"std\":null}",
  };
  struct buffer text = BUFFER(MB(1));
  two_joints(&before);
  two_joints(&after);
  cJSON *tree = document_open(document);
  cr_assert_eq(promotion_source_read(tree, &source), ARMDYN_OK);
  document_close(tree);
  cr_assert_eq(promotion_apply(&source, PROMOTE_ALL, &after, NULL), ARMDYN_OK);
  const struct promotion_answer answer = { .old = &before, .new = &after, .source = &source, .torque_change = none };
  promotion_answer_encode(&answer, &text);
  size_t told = 0;
  for (const char *at = text.data; (at = strstr(at, "\"pointer\"")); at++) told++;
  cr_assert_eq(told, sizeof changes / sizeof *changes, "%s", text.data);
  for (size_t k = 0; k < sizeof changes / sizeof *changes; k++)
    cr_assert(strstr(text.data, changes[k]), "%s is not in %s", changes[k], text.data);
  buffer_release(&text);
}

/* A parameter that no model has is refused, not left out. */
Test(promotion, refuses_what_is_no_parameter)
{
  static struct promotion_source source;
  cJSON *tree = document_open("{\"parameters\":{\"standard\":[{\"joint\":\"a\",\"name\":\"glue\",\"value\":1}]}}");
  cr_assert_eq(promotion_source_read(tree, &source), ARMDYN_EINPUT);
  document_close(tree);
}
