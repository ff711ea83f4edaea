/* `armdyn controller-test`: holds a controller against the register protocol. */
#include <getopt.h>
#include <unistd.h>

#include "server/cmd/command.h"
#include "server/conformance/conformance.h"
#include "server/http/address.h"
#include "server/protocol/registers.h"

static const char usage[] =
    "usage: armdyn controller-test HOST:PORT [--base N] [--unit N] [--allow-motion] [--restart COMMAND] [--only "
    "TEXT]\n\n"
    "Holds a controller against register protocol v2 and says what to mend: every command in every state, stale and "
    "torn\n"
    "windows, foreign profiles, checksums, late commands, lost heartbeats, restarts; measures its scan time and how "
    "fast\n"
    "it takes windows. Whatever is loaded in the controller is lost. Exit status 0: nothing is wrong, 1: something "
    "is.\n"
    "\n"
    "  --base N           first register of the block, default 1000\n"
    "  --unit N           Modbus unit, default 1\n"
    "  --allow-motion     also arm and start profiles that hold every axis where it stands, with torque 0. DRIVES GO "
    "ON AND\n"
    "                     BRAKES OPEN: keep clear of the arm. Without it ARM, START and RESUME are never sent\n"
    "  --only TEXT        the checks in whose name TEXT stands, after the identity\n"
    "  --restart COMMAND  what the shell must do to restart the controller; without it a person is asked, in a "
    "terminal\n";

static int refuse(const char *what, const char *value)
{
  fprintf(stderr, "armdyn controller-test: %s '%s'; --help tells more\n", what, value);
  return 2;
}

static bool read_number(const char *text, unsigned most, unsigned *out)
{
  char *end;
  unsigned long number = strtoul(text, &end, 10);
  if (*text < '0' || *text > '9' || *end || number > most) return false;
  *out = (unsigned)number;
  return true;
}

int command_controller_test(int argc, char **argv)
{
  static const struct option options[] = { { "help", no_argument, NULL, 'h' },
                                           { "base", required_argument, NULL, 'b' },
                                           { "unit", required_argument, NULL, 'u' },
                                           { "allow-motion", no_argument, NULL, 'm' },
                                           { "restart", required_argument, NULL, 'r' },
                                           { "only", required_argument, NULL, 'o' },
                                           { NULL, 0, NULL, 0 } };
  struct conformance_options o = { .unit = 1, .base = PROTOCOL_BASE, .ask = isatty(STDIN_FILENO) };
  struct address address;
  opterr = 0; /* we say it ourselves */
  for (int c; (c = getopt_long(argc, argv, "h", options, NULL)) != -1;) switch (c) {
    case 'h': fputs(usage, stdout); return 0;
    case 'b':
      if (!read_number(optarg, 65535, &o.base)) return refuse("--base does not take", optarg);
      break;
    case 'u':
      if (!read_number(optarg, 255, &o.unit)) return refuse("--unit does not take", optarg);
      break;
    case 'm': o.allow_motion = true; break;
    case 'o': o.only = optarg; break;
    case 'r': o.restart = optarg; break;
    default: return refuse("there is no option", argv[optind - 1]);
    }
  if (optind + 1 != argc) return refuse("it needs one HOST:PORT, not", optind < argc ? argv[optind + 1] : "");
  if (!address_parse(argv[optind], &address) || !*address.host) return refuse("no HOST:PORT:", argv[optind]);
  o.host = address.host;
  o.port = address.port;
  return conformance_print(&o, stdout);
}
