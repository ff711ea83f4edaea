#include "server/store/rehearsals.h"

#include "server/base/rehearsal.h"
#include "server/store/store.h"

static _Thread_local struct loan *borrowed;

struct sql *rehearsal_sql(void)
{
  return borrowed ? loan_sql(borrowed) : NULL;
}

enum armdyn_status rehearsal_write(struct writer *writer, writer_apply *apply, void *argument)
{
  const enum armdyn_status status = borrowed ? ARMDYN_OK : writer_borrow(writer, &borrowed);
  return status ? status : loan_try(borrowed, apply, argument);
}

void store_rehearse(void)
{
  rehearsal_set(true);
}

void store_rehearsal_end(void)
{
  rehearsal_set(false);
  if (borrowed) writer_return(borrowed);
  borrowed = NULL;
}
