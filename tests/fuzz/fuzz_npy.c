/* .npy: a table that is read lies within the file or its own memory, and written it reads the same, bit for bit. */
#include "api/npy/npy.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static struct faults faults;
  struct npy_table table, again;
  struct buffer out = BUFFER(MB(64));
  char *bytes = copy_of(data, size);
  faults.count = 0;
  enum armdyn_status status = npy_read(bytes, size, 100000, &table, &faults);
  require_reason(status, &faults);
  if (!status) {
    const size_t shape[] = { table.rows, table.columns }, count = table.rows * table.columns;
    if (!table.memory && count) REQUIRE((const char *)(table.data + count) == bytes + size);
    npy_write(&out, table.data, shape, 2);
    REQUIRE(buffer_ok(&out));
    REQUIRE(npy_read(out.data, out.length, 100000, &again, &faults) == ARMDYN_OK && !again.memory);
    REQUIRE(again.rows == table.rows && again.columns == table.columns);
    if (count) REQUIRE(memcmp(again.data, table.data, count * sizeof *table.data) == 0);
    npy_release(&table);
    npy_release(&again);
  }
  buffer_release(&out);
  free(bytes);
  return 0;
}
