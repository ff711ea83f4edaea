/* CSV: a table that is read and written reads the same, bit for bit; refusals have reasons. */
#include <math.h>

#include "api/csv/csv.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static struct faults faults;
  static const struct csv_columns columns = {
    3, { { .name = "q1", .required = true }, { .name = "q2", .required = true }, { .name = "fx" } }
  };
  struct csv_table table, again;
  struct buffer out = BUFFER(MB(64));
  char *text = copy_of(data, size);
  faults.count = 0;
  enum armdyn_status status = csv_read(text, size, &columns, 100000, &table, &faults);
  require_reason(status, &faults);
  if (!status) {
    size_t count = table.rows * columns.count;
    for (size_t i = 0; i < count; i++) REQUIRE(isfinite(table.data[i]));
    buffer_text(&out, "q1,q2,fx\r\n");
    csv_write_rows(&out, table.data, table.rows, columns.count);
    REQUIRE(csv_read(out.data, out.length, &columns, 100000, &again, &faults) == ARMDYN_OK);
    REQUIRE(again.rows == table.rows);
    if (count) REQUIRE(memcmp(again.data, table.data, count * sizeof *table.data) == 0);
    free(table.data);
    free(again.data);
  }
  buffer_release(&out);
  free(text);
  return 0;
}
