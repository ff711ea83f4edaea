/* The part that a controller's arm holds, against the one that a motion was planned for: feed-forward for a part that is not
 * there lifts the arm, within all limits. */
#ifndef SERVER_TRANSFERS_HELD_PART_H
#define SERVER_TRANSFERS_HELD_PART_H

#include "server/transfers/prepared.h"

/* Do the motion's payload, tool and gravity belong to what the arm holds now, or is the difference acknowledged? Remembers in
 * p->held what that was. false: p->why says why. */
bool held_part_agrees(struct prepared_transfer *p);

/* While this is locked, what arms hold does not change, and no transfer begins. */
void held_part_lock(void);
void held_part_unlock(void);
/* Does the arm hold what held_part_agrees saw? To be asked under the lock. false: p->why says why. */
bool held_part_stayed(struct prepared_transfer *p);

#endif
