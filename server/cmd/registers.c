/* The registers of a controller, for whoever programs it: as a table, and as the skeleton of its program. */
#include <getopt.h>

#include "server/cmd/command.h"
#include "server/cmd/registers_skeleton.h"
#include "server/gateway/registers.h"

static const char usage[] =
    "usage: armdyn registers [--base N] [--format markdown|csv|st]\n\n"
    "Prints the holding registers of register protocol v1.\n\n"
    "  --base N     first register of the block, from 0, default 1000 (\"base\" of the controller's entry)\n"
    "  --format F   markdown: a table; csv: the same for tools; st: a skeleton of the controller's program in "
    "structured\n"
    "               text (IEC 61131-3). Default markdown\n";

static const char *const writers[] = { [BY_CONTROLLER] = "controller", [BY_GATEWAY] = "armdyn" };
static const char *const types[] = {
  [REGISTER_U16] = "u16", [REGISTER_U32] = "u32", [REGISTER_F32] = "float32", [REGISTER_WORDS] = "words"
};

static void print_range(unsigned first, unsigned count, const char *dash)
{
  if (count > 1)
    printf("%u%s%u", first, dash, first + count - 1);
  else
    printf("%u", first);
}

static void print_markdown(unsigned base)
{
  puts("| registers | offset | written by | type | name | meaning |\n|---|---|---|---|---|---|");
  for (size_t i = 0; i < register_row_count; i++) {
    const struct register_row *row = &register_rows[i];
    fputs("| ", stdout);
    print_range(base + row->offset, row->count, "..");
    fputs(" | +", stdout);
    print_range(row->offset, row->count, "..");
    printf(" | %s | %s | %s | %s |\n", writers[row->writer], types[row->type], row->title, row->meaning);
  }
}

static void print_csv(unsigned base)
{
  puts("register,count,offset,written_by,type,name,meaning");
  for (size_t i = 0; i < register_row_count; i++) {
    const struct register_row *row = &register_rows[i];
    printf("%u,%u,%u,%s,%s,\"%s\",\"%s\"\n", base + row->offset, row->count, row->offset, writers[row->writer],
           types[row->type], row->title, row->meaning);
  }
}

static void print_st(unsigned base)
{
  static const char *const names[] = {
#define X(name, offset, count, writer, type, title, meaning) #name,
    REGISTER_LIST(X)
#undef X
  };
  puts("(* Controller's side of register protocol v1. R is the block of holding registers that the Modbus TCP server "
       "of\n"
       "   this controller offers; where the comments say so, put what your drives and your cell need. *)");
  printf("VAR_GLOBAL CONSTANT\n  BASE : UINT := %u; (* holding register of R[0], counted from 0 *)\n", base);
  for (size_t i = 0; i < register_row_count; i++)
    printf("  R_%s : UINT := %u; (* %s: %s *)\n", names[i], register_rows[i].offset, types[register_rows[i].type],
           register_rows[i].title);
  for (int command = COMMAND_BEGIN; command <= COMMAND_STREAM; command++)
    printf("  C_%s : WORD := %d;\n", controller_command_name((enum controller_command)command), command);
  for (int phase = 0; phase < PHASE_COUNT; phase++)
    printf("  S_%s : WORD := %d;\n", controller_phase_name((enum controller_phase)phase), phase);
  puts("END_VAR");
  for (size_t i = 0; i < registers_skeleton_lines; i++) puts(registers_skeleton[i]);
}

static const struct {
  const char *name;
  void (*print)(unsigned base);
} formats[] = { { "markdown", print_markdown }, { "csv", print_csv }, { "st", print_st } };

/* status 2: refused. */
static int read_arguments(int argc, char **argv, unsigned *base, size_t *format, bool *help)
{
  static const struct option options[] = { { "help", no_argument, NULL, 'h' },
                                           { "base", required_argument, NULL, 'b' },
                                           { "format", required_argument, NULL, 'f' },
                                           { NULL, 0, NULL, 0 } };
  opterr = 0; /* we say it ourselves */
  for (int c; (c = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
    char *end = NULL;
    unsigned long number = c == 'b' ? strtoul(optarg, &end, 10) : 0;
    switch (c) {
    case 'h': *help = true; return 0;
    case 'b':
      *base = (unsigned)number;
      if (*optarg && !*end && number <= 65536 - REGISTERS_SPAN) break;
      fprintf(stderr, "armdyn registers: --base does not take '%s': a number from 0 to %d\n", optarg,
              65536 - REGISTERS_SPAN);
      return 2;
    case 'f':
      for (*format = 0; *format < sizeof formats / sizeof *formats; ++*format)
        if (!strcmp(formats[*format].name, optarg)) break;
      if (*format < sizeof formats / sizeof *formats) break;
      fprintf(stderr, "armdyn registers: there is no format '%s': markdown, csv, st\n", optarg);
      return 2;
    default:
      fprintf(stderr, "armdyn registers: there is no option '%s'; --help tells more\n", argv[optind - 1]);
      return 2;
    }
  }
  if (optind == argc) return 0;
  fprintf(stderr, "armdyn registers: there is no argument '%s'; --help tells more\n", argv[optind]);
  return 2;
}

int command_registers(int argc, char **argv)
{
  unsigned base = REGISTERS_BASE;
  size_t format = 0;
  bool help = false;
  int status = read_arguments(argc, argv, &base, &format, &help);
  if (status) return status;
  if (help)
    fputs(usage, stdout);
  else
    formats[format].print(base);
  return 0;
}
