/* .npy and CSV. The .npy files are built here byte by byte, as the format's description has them. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>

#include "api/csv/csv.h"
#include "api/npy/npy.h"

static struct faults faults;

/* -- .npy -- */

struct file {
  _Alignas(64) char bytes[1024];
  size_t length;
};

/* A file of version `major`.0 with this dictionary, then `size` bytes of data. */
static void build(struct file *file, int major, const char *dictionary, const void *data, size_t size)
{
  size_t start = major == 1 ? 10 : 12, header = strlen(dictionary) + 1;
  memset(file->bytes, 0, sizeof file->bytes);
  memcpy(file->bytes, "\x93NUMPY", 6);
  file->bytes[6] = (char)major;
  while ((start + header) % 64) header++;
  file->bytes[8] = (char)(header & 0xff), file->bytes[9] = (char)(header >> 8);
  memset(file->bytes + start, ' ', header);
  memcpy(file->bytes + start, dictionary, strlen(dictionary));
  file->bytes[start + header - 1] = '\n';
  memcpy(file->bytes + start + header, data, size);
  file->length = start + header + size;
}

static const double numbers[6] = { 1, 2, 3, 4, 5.5, -6 };

static void expect_table(const struct file *file, const double expected[6])
{
  struct npy_table table;
  faults.count = 0;
  cr_assert_eq(npy_read(file->bytes, file->length, 100, &table, &faults), ARMDYN_OK, "%s", faults.items[0].detail);
  cr_assert(table.rows == 3 && table.columns == 2);
  for (int i = 0; i < 6; i++) cr_assert_eq(table.data[i], expected[i]);
  npy_release(&table);
}

Test(npy, versions_types_and_orders)
{
  static struct file file;
  const float narrow[6] = { 1, 2, 3, 4, 5.5F, -6 };
  const double turned[6] = { 1, 4, 2, 5.5, 3, -6 };
  for (int version = 1; version <= 3; version++) {
    build(&file, version, "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }", numbers, sizeof numbers);
    expect_table(&file, numbers);
    build(&file, version, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }", narrow, sizeof narrow);
    expect_table(&file, numbers);
    build(&file, version, "{\"shape\":(3,2),\"fortran_order\":True,\"descr\":\"<f8\"}", numbers, sizeof numbers);
    expect_table(&file, turned);
  }
}

Test(npy, numbers_are_used_where_they_lie_when_they_are_aligned)
{
  static struct file file;
  struct npy_table table;
  build(&file, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }", numbers, sizeof numbers);
  cr_assert_eq(npy_read(file.bytes, file.length, 100, &table, &faults), ARMDYN_OK);
  cr_assert(!table.memory && (const char *)table.data == file.bytes + file.length - sizeof numbers);
  memmove(file.bytes + 1, file.bytes, file.length);
  cr_assert_eq(npy_read(file.bytes + 1, file.length, 100, &table, &faults), ARMDYN_OK);
  cr_assert(table.memory && table.data[5] == -6);
  npy_release(&table);
}

Test(npy, what_is_refused)
{
  static const struct {
    int version;
    const char *dictionary;
    enum armdyn_status status;
    const char *says;
  } cases[] = {
    { 1, "{'descr': '>f8', 'fortran_order': False, 'shape': (3, 2)}", ARMDYN_EINPUT, "big-endian" },
    { 1, "{'descr': '<i8', 'fortran_order': False, 'shape': (3, 2)}", ARMDYN_EINPUT, "integer" },
    { 1, "{'descr': '<c16', 'fortran_order': False, 'shape': (3, 2)}", ARMDYN_EINPUT, "complex" },
    { 1, "{'descr': '|O', 'fortran_order': False, 'shape': (3, 2)}", ARMDYN_EINPUT, "no number type" },
    { 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (6,)}", ARMDYN_EINPUT, "1 dimension" },
    { 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 3, 2)}", ARMDYN_EINPUT, "3 dimensions" },
    { 1, "{'descr': '<f8', 'fortran_order': False, 'shape': ()}", ARMDYN_EINPUT, "0 dimensions" },
    { 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 3)}", ARMDYN_ESYNTAX, "48 bytes" },
    { 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 4)}", ARMDYN_ESYNTAX, "does not go" },
    { 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999999, 2)}", ARMDYN_ESYNTAX,
      "not {'descr'" },
    { 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (6)}", ARMDYN_ESYNTAX, "not {'descr'" },
    { 1, "{'descr': '<f8', 'fortran_order': False}", ARMDYN_ESYNTAX, "not {'descr'" },
    { 1, "{'descr': '<f8', 'descr': '<f8', 'shape': (3, 2)}", ARMDYN_ESYNTAX, "not {'descr'" },
    { 1, "{'descr': '<f8', 'fortran_order': 0, 'shape': (3, 2)}", ARMDYN_ESYNTAX, "not {'descr'" },
    { 1, "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3, 2)}", ARMDYN_ESYNTAX, "structured" },
    { 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2)} + x", ARMDYN_ESYNTAX, "not {'descr'" },
    { 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (-3, 2)}", ARMDYN_ESYNTAX, "not {'descr'" },
    { 1, "__import__('os').system('x')", ARMDYN_ESYNTAX, "not {'descr'" },
    { 4, "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2)}", ARMDYN_ESYNTAX, "version 4.0" },
  };
  static struct file file;
  struct npy_table table;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    build(&file, cases[i].version, cases[i].dictionary, numbers, sizeof numbers);
    faults.count = 0;
    cr_assert_eq(npy_read(file.bytes, file.length, 100, &table, &faults), cases[i].status, "%s", cases[i].dictionary);
    cr_assert_eq(faults.count, 1);
    cr_assert_not_null(strstr(faults.items[0].detail, cases[i].says), "%s", faults.items[0].detail);
  }
  build(&file, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2)}", numbers, sizeof numbers);
  cr_assert_eq(npy_read(file.bytes, file.length, 2, &table, &faults), ARMDYN_ELIMIT);
  for (size_t cut = 0; cut < file.length; cut++)
    cr_assert_eq(npy_read(file.bytes, cut, 100, &table, &faults), ARMDYN_ESYNTAX, "cut to %zu bytes", cut);
}

/* The header that numpy.save itself writes for np.zeros((2, 3)). */
Test(npy, is_written_as_numpy_writes_it)
{
  static const char numpy[] = "\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }"
                              "                                                          \n";
  struct buffer out = BUFFER(KB(4));
  npy_write(&out, numbers, (const size_t[]){ 2, 3 }, 2);
  cr_assert_eq(out.length, 128 + sizeof numbers);
  cr_assert_eq(memcmp(out.data, numpy, 128), 0);
  cr_assert_eq(memcmp(out.data + 128, numbers, sizeof numbers), 0);
  buffer_clear(&out);
  npy_write_header(&out, (const size_t[]){ 7 }, 1);
  cr_assert_not_null(strstr(out.data + 10, "'shape': (7,), }"));
  cr_assert_eq(out.length % 64, 0);
  buffer_release(&out);
}

/* -- CSV -- */

static const struct csv_columns columns = {
  3, { { .name = "q1", .required = true }, { .name = "q2", .required = true }, { .name = "fx" } }
};

static enum armdyn_status read(const char *text, struct csv_table *table)
{
  faults.count = 0;
  return csv_read(text, strlen(text), &columns, 1000, table, &faults);
}

Test(csv, columns_in_any_order_quotes_line_ends_and_byte_order_mark)
{
  static const char *const texts[] = {
    "q1,q2\n1,2\n-3.5,4e-1\n",
    "q2,q1\r\n2,1\r\n4e-1,-3.5",
    "\xef\xbb\xbf\"q1\" , \"q2\"\n 1,\t2\n\"-3.5\",\"+0.4\"\n",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct csv_table table;
    cr_assert_eq(read(texts[i], &table), ARMDYN_OK, "%s: %s", texts[i], faults.items[0].detail);
    cr_assert(table.rows == 2 && table.present[0] && table.present[1] && !table.present[2]);
    cr_assert(table.data[0] == 1 && table.data[1] == 2 && table.data[2] == 0);
    cr_assert(table.data[3] == -3.5 && table.data[4] == 0.4);
    free(table.data);
  }
}

Test(csv, faults_name_columns_and_cells)
{
  static const struct {
    const char *text;
    enum armdyn_status status;
    enum fault_code code;
    size_t row, column; /* SIZE_MAX: the whole document */
  } cases[] = {
    { "q1\n1\n", ARMDYN_EINPUT, FAULT_REQUIRED, SIZE_MAX, 0 },
    { "q1,q2,q3\n1,2,3\n", ARMDYN_EINPUT, FAULT_UNKNOWN, SIZE_MAX, 0 },
    { "q1,q2,q1\n1,2,3\n", ARMDYN_EINPUT, FAULT_DUPLICATE, SIZE_MAX, 0 },
    { "q1,q2\n1,2\n1,x\n", ARMDYN_EINPUT, FAULT_TYPE, 1, 1 },
    { "q1,q2\n1,\n", ARMDYN_EINPUT, FAULT_REQUIRED, 0, 1 },
    { "q1,q2\nnan,1\n", ARMDYN_EINPUT, FAULT_FINITE, 0, 0 },
    { "q1,q2\n-Inf,1\n", ARMDYN_EINPUT, FAULT_FINITE, 0, 0 },
    { "q1,q2\n1e999,1\n", ARMDYN_EINPUT, FAULT_FINITE, 0, 0 },
    { "q1,q2\n1e13,1\n", ARMDYN_EINPUT, FAULT_MAXIMUM, 0, 0 },
    { "q1,q2\n0x10,1\n", ARMDYN_EINPUT, FAULT_TYPE, 0, 0 },
    { "q1,q2\n1,2\n3\n", ARMDYN_EINPUT, FAULT_LENGTH, 1, 1 },
    { "q1,q2\n1,2,3\n", ARMDYN_EINPUT, FAULT_LENGTH, 0, 2 },
    { "q1,q2\n\"1,2\n", ARMDYN_ESYNTAX, FAULT_SYNTAX, SIZE_MAX, 0 },
    { "q1,q2\n1\"2\",3\n", ARMDYN_ESYNTAX, FAULT_SYNTAX, SIZE_MAX, 0 },
    { "", ARMDYN_ESYNTAX, FAULT_SYNTAX, SIZE_MAX, 0 },
    { "\nq1,q2\n", ARMDYN_ESYNTAX, FAULT_SYNTAX, SIZE_MAX, 0 },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct csv_table table;
    const struct fault *fault = &faults.items[0];
    cr_assert_eq(read(cases[i].text, &table), cases[i].status, "%s", cases[i].text);
    cr_assert_eq(faults.count, 1, "%s", cases[i].text);
    cr_assert_eq(fault->code, cases[i].code, "%s: %s", cases[i].text, fault->detail);
    if (cases[i].row == SIZE_MAX) continue;
    cr_assert(fault->place == FAULT_AT_CELL && fault->row == cases[i].row && fault->column == cases[i].column, "%s",
              cases[i].text);
  }
}

Test(csv, lines_and_rows_are_bounded)
{
  struct csv_table table;
  char *text = malloc(LIMIT_CSV_LINE + 16);
  memcpy(text, "q1,q2\n1,", 8);
  memset(text + 8, ' ', LIMIT_CSV_LINE);
  text[LIMIT_CSV_LINE + 8] = '1';
  cr_assert_eq(csv_read(text, LIMIT_CSV_LINE + 9, &columns, 1000, &table, &faults), ARMDYN_ESYNTAX);
  free(text);
  static const char two[] = "q1,q2\n1,2\n3,4\n";
  cr_assert_eq(csv_read(two, sizeof two - 1, &columns, 1, &table, &faults), ARMDYN_ELIMIT);
}

Test(csv, what_is_written_reads_back_to_the_same_bits)
{
  enum { ROWS = 200 };
  double data[ROWS * 3];
  uint64_t state = 5;
  struct buffer out = BUFFER(MB(1));
  struct csv_table table;
  for (int i = 0; i < ROWS * 3; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    data[i] = ldexp((double)(int64_t)state, (int)(state >> 58) - 90);
  }
  buffer_text(&out, "q1,q2,fx\r\n");
  csv_write_rows(&out, data, ROWS, 3);
  cr_assert_eq(csv_read(out.data, out.length, &columns, ROWS, &table, &faults), ARMDYN_OK);
  cr_assert(table.rows == ROWS && memcmp(table.data, data, sizeof data) == 0);
  free(table.data);
  buffer_release(&out);
}
