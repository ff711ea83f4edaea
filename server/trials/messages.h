/* What the process that tests a controller tells `serve`: the types of its frames, each a JSON text but for the first. */
#ifndef SERVER_TRIALS_MESSAGES_H
#define SERVER_TRIALS_MESSAGES_H

enum trial_message {
  TRIAL_BEGUN = 1, /* the number of checks, as a decimal text */
  TRIAL_IDENTITY,
  TRIAL_FIGURES,
  TRIAL_CHECK, /* and its result: TRIAL_CHECK + CHECK_RIGHT, ... */
};

#endif
