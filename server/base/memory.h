/* How the service asks the system for memory and gives it back, so that one that is busy for years stays as large as it was. */
#ifndef SERVER_BASE_MEMORY_H
#define SERVER_BASE_MEMORY_H

#include <stddef.h>

/* First of all: the process may begin again, with the same argv. */
void memory_set_up(char **argv);
/* What was freed in gaps between blocks in use goes back to the system; now and then. */
void memory_give_back(void);
/* A new block that is filled at once: of some MB, it comes from the kernel in large pages where those are to be had, at a
 * fraction of the time. Returns the block, NULL too. */
void *memory_in_large_pages(void *block, size_t size);

#endif
