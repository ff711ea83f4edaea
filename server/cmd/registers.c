/* The registers of a controller, for whoever programs it: what stands where, what every command does in every state, and
 * what its errors mean. */
#include <getopt.h>

#include "server/cmd/command.h"
#include "server/cmd/structured_text.h"
#include "server/protocol/registers.h"

static const char usage[] =
    "usage: armdyn registers [--base N] [--format markdown|csv|st]\n\n"
    "Prints the holding registers, commands, states and errors of register protocol v2.\n\n"
    "  --base N     first register of the block, from 0, default 1000 (\"base\" of the controller's entry)\n"
    "  --format F   markdown: all tables; csv: the registers, for tools; st: a function block for the\n"
    "               controller, in structured text (IEC 61131-3), with a bench to try it. Default markdown\n";

static const char *const writers[] = { [BY_CONTROLLER] = "r", [BY_GATEWAY] = "w" };
static const char *const types[] = {
  [REGISTER_U16] = "u16", [REGISTER_U32] = "u32", [REGISTER_F32] = "float32", [REGISTER_WORDS] = "words"
};

/* Where a block begins, and what has to be added to that. */
static const struct {
  unsigned offset;
  const char *more, *title;
} blocks[] = { [BLOCK_FIXED] = { 0, "", "" },
               [BLOCK_PLACE] = { PROTOCOL_PLACES, " + 128 k", "window k: " },
               [BLOCK_MEASURED] = { PROTOCOL_PLACES, " + 128 N", "" } };

static void print_range(unsigned first, unsigned count, const char *more)
{
  printf("%u", first);
  if (count > 1) printf("..%u", first + count - 1);
  fputs(more, stdout);
}

static void print_registers(unsigned base)
{
  puts("| offset | register | | type | name | meaning |\n|---|---|---|---|---|---|");
  for (size_t i = 0; i < protocol_register_count; i++) {
    const struct register_row *row = &protocol_registers[i];
    unsigned offset = blocks[row->block].offset + row->offset;
    fputs("| +", stdout);
    print_range(offset, row->count, blocks[row->block].more);
    fputs(" | ", stdout);
    print_range(base + offset, row->count, blocks[row->block].more);
    printf(" | %s | %s | %s%s | %s |\n", writers[row->writer], types[row->type], blocks[row->block].title, row->title,
           row->meaning);
  }
}

static void print_transitions(void)
{
  fputs("\n| command |", stdout);
  for (unsigned s = 0; s < PHASE_COUNT; s++) printf(" %u %s |", s, protocol_phase_name(s));
  fputs("\n|---|", stdout);
  for (unsigned s = 0; s < PHASE_COUNT; s++) fputs("---|", stdout);
  for (unsigned c = 1; c < COMMAND_COUNT; c++) {
    printf("\n| %u %s |", c, protocol_command_name(c));
    for (unsigned s = 0; s < PHASE_COUNT; s++) {
      struct protocol_transition t = protocol_transition(c, (enum controller_phase)s);
      const char *note = t.in_streams ? " (a)" : t.at_rest ? " (b)" : "";
      printf(" %s%s |", t.allowed ? protocol_phase_name(t.to) : "error 1", note);
    }
  }
  puts("\n\n(a) of streams alone, else error 1; (b) acknowledged at once, the state changes when the arm is at rest.");
}

static void print_states_and_errors(void)
{
  puts("\n| state | meaning |\n|---|---|");
  for (unsigned s = 0; s < PHASE_COUNT; s++)
    printf("| %u %s | %s |\n", s, protocol_phase_name(s), protocol_phase_meaning(s));
  puts("\n| error | text | meaning |\n|---|---|---|");
  for (unsigned e = 0; e < CONTROLLER_ERROR_COUNT; e++)
    printf("| %u | %s | %s |\n", e, protocol_error_text(e), protocol_error_meaning(e));
}

static void print_markdown(unsigned base)
{
  print_registers(base);
  print_transitions();
  print_states_and_errors();
}

static void print_csv(unsigned base)
{
  static const char *const per[] = { [BLOCK_FIXED] = "", [BLOCK_PLACE] = "128 k", [BLOCK_MEASURED] = "128 N" };
  puts("register,count,offset,plus,written_by,type,name,meaning");
  for (size_t i = 0; i < protocol_register_count; i++) {
    const struct register_row *row = &protocol_registers[i];
    unsigned offset = blocks[row->block].offset + row->offset;
    printf("%u,%u,%u,%s,%s,%s,\"%s%s\",\"%s\"\n", base + offset, row->count, offset, per[row->block],
           row->writer == BY_CONTROLLER ? "controller" : "armdyn", types[row->type], blocks[row->block].title,
           row->title, row->meaning);
  }
}

static const struct {
  const char *name;
  void (*print)(unsigned base);
} formats[] = { { "markdown", print_markdown }, { "csv", print_csv }, { "st", structured_text_print } };

/* status 2: refused. */
static int read_arguments(int argc, char **argv, unsigned *base, size_t *format, bool *help)
{
  static const struct option options[] = { { "help", no_argument, NULL, 'h' },
                                           { "base", required_argument, NULL, 'b' },
                                           { "format", required_argument, NULL, 'f' },
                                           { NULL, 0, NULL, 0 } };
  const unsigned base_most = 65536 - protocol_span(1);
  opterr = 0; /* we say it ourselves */
  for (int c; (c = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
    char *end = NULL;
    unsigned long number = c == 'b' ? strtoul(optarg, &end, 10) : 0;
    switch (c) {
    case 'h': *help = true; return 0;
    case 'b':
      *base = (unsigned)number;
      if (*optarg && !*end && number <= base_most) break;
      fprintf(stderr, "armdyn registers: --base does not take '%s': a number from 0 to %u\n", optarg, base_most);
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
  unsigned base = PROTOCOL_BASE;
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
