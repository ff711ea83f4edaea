/* Signatures of webhooks: the sample that Standard Webhooks' own libraries are tested with. */
#include <criterion/criterion.h>

#include "server/webhooks/signature.h"

static const char secret[] = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", id[] = "msg_p5jXN8AQM9LWM0D4loKWxJek",
                  timestamp[] = "1614265330", body[] = "{\"test\": 2432232314}";

Test(signature, of_the_published_sample)
{
  char signature[SIGNATURE_SIZE];
  cr_assert(signature_make(secret, id, timestamp, body, sizeof body - 1, signature));
  cr_expect_str_eq(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

Test(signature, of_another_message_is_another_one)
{
  char signature[SIGNATURE_SIZE], other[SIGNATURE_SIZE];
  cr_assert(signature_make(secret, id, timestamp, body, sizeof body - 1, signature));
  cr_assert(signature_make(secret, id, "1614265331", body, sizeof body - 1, other));
  cr_expect_str_neq(signature, other);
  cr_assert(signature_make(secret, id, timestamp, body, sizeof body - 2, other));
  cr_expect_str_neq(signature, other);
}

Test(signature, secrets_that_are_none)
{
  char signature[SIGNATURE_SIZE];
  cr_expect_not(signature_make("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", id, timestamp, body, 1, signature));
  cr_expect_not(signature_make("whsec_?", id, timestamp, body, 1, signature));
}
