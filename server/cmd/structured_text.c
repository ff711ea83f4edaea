#include "server/cmd/structured_text.h"

#include <stdio.h>

#include "server/base/embed.h"
#include "server/protocol/registers.h"

EMBED(controller_program, "examples/controllers/controller.st");

static void print_constant(const char *kind, const char *name, unsigned value, const char *type, const char *comment)
{
  printf("  %s_%s : %s := %u; (* %s *)\n", kind, name, type, value, comment);
}

void structured_text_print(unsigned base)
{
  printf("(* The controller's side of register protocol v%d: a function block, and a bench to try it.\n"
         "   Registers[0] is holding register %u, counted from 0. *)\n"
         "VAR_GLOBAL CONSTANT\n",
         PROTOCOL_VERSION, base);
  for (size_t i = 0; i < protocol_register_count; i++) {
    const struct register_row *row = &protocol_registers[i];
    if (row->block == BLOCK_FIXED) print_constant("R", row->name, row->offset, "UINT", row->title);
  }
  for (unsigned c = COMMAND_BEGIN; c < COMMAND_COUNT; c++)
    print_constant("C", protocol_command_name(c), c, "WORD", "command");
  for (unsigned s = 0; s < PHASE_COUNT; s++)
    print_constant("S", protocol_phase_name(s), s, "WORD", protocol_phase_meaning(s));
#define X(name, number, text, meaning) print_constant("E", #name, number, "WORD", text);
  PROTOCOL_ERRORS(X)
#undef X
  puts("END_VAR");
  fputs(controller_program, stdout);
}
