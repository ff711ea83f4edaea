/* `armdyn code`: the equations of an arm as programs, of a model in a file or of a robot that a service has stored. */
#include <errno.h>
#include <getopt.h>
#include <sys/stat.h>

#include "api/codec/code.h"
#include "server/cmd/command.h"
#include "server/cmd/control.h"
#include "server/cmd/model.h"

enum { STATES = 10000, SEED = 1 };

static const char usage[] =
    "usage: armdyn code ROBOT --language LANGUAGE [options]\n\n"
    "Writes the equations of an arm as programs, each with a test, after evaluating them beside the kernels.\n"
    "ROBOT is the file of a model (MODEL.json), or the name of a robot in the service that runs on --data.\n\n"
    "  --language L      c, structured_text, python, matlab, latex or text\n"
    "  --function F,..   inverse_dynamics (default), gravity, friction, mass_matrix, coriolis, forward_kinematics,\n"
    "                    jacobian, regressor, collision_observer, payload_torque\n"
    "  --dialect D       of structured text: codesys (default), twincat or siemens\n"
    "  --precision P     float64 (default) or float32, of c and structured text\n"
    "  --parameters P    folded (default): numbers; symbols, base: an input p\n"
    "  --terms T,..      of inverse_dynamics: inertial, coriolis, gravity, friction; default: all\n"
    "  --out DIR         where the files go, default the present directory; -: to standard output\n"
    "  --data DIR        directory of the store; default: ARMDYN_DATA, or armdyn-data\n";

struct arguments {
  const char *robot, *language, *functions, *dialect, *precision, *parameters, *terms, *out, *data;
};

/* 0: go on; else the exit status + 1. */
static int read_arguments(int argc, char **argv, struct arguments *a)
{
  static const struct option known[] = { { "language", required_argument, NULL, 'l' },
                                         { "function", required_argument, NULL, 'f' },
                                         { "dialect", required_argument, NULL, 'i' },
                                         { "precision", required_argument, NULL, 'p' },
                                         { "parameters", required_argument, NULL, 'a' },
                                         { "terms", required_argument, NULL, 't' },
                                         { "out", required_argument, NULL, 'o' },
                                         { "data", required_argument, NULL, 'd' },
                                         { "help", no_argument, NULL, 'h' },
                                         { 0 } };
  const char *variable = getenv("ARMDYN_DATA");
  *a = (struct arguments){ .functions = "inverse_dynamics", .out = ".", .data = variable ? variable : "armdyn-data" };
  bool good = true;
  opterr = 0;
  for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;) {
    switch (c) {
    case 'l': a->language = optarg; break;
    case 'f': a->functions = optarg; break;
    case 'i': a->dialect = optarg; break;
    case 'p': a->precision = optarg; break;
    case 'a': a->parameters = optarg; break;
    case 't': a->terms = optarg; break;
    case 'o': a->out = optarg; break;
    case 'd': a->data = optarg; break;
    case 'h': fputs(usage, stdout); return 1;
    default: good = false;
    }
  }
  if (good && optind + 1 == argc && a->language) {
    a->robot = argv[optind];
    return 0;
  }
  fputs(usage, stderr);
  return 3;
}

/* -- the request, as a service would be asked -- */

static void write_text(struct json_writer *w, const char *key, const char *text)
{
  if (!text) return;
  json_key(w, key), json_write_text(w, text);
}

/* "a,b" */
static void write_list(struct json_writer *w, const char *key, const char *names)
{
  if (!names) return;
  json_key(w, key), json_begin_array(w);
  for (const char *at = names; *at;) {
    const size_t length = strcspn(at, ",");
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), at);
    json_write_text(w, name);
    at += length + (at[length] == ',');
  }
  json_end_array(w);
}

/* false: said on standard error. */
static bool make_request(const struct arguments *a, struct code_request *request)
{
  struct buffer text = BUFFER(KB(16));
  struct json_writer w = { .out = &text };
  struct faults *faults = calloc(1, sizeof *faults);
  json_begin_object(&w);
  write_list(&w, "functions", a->functions);
  write_text(&w, "language", a->language);
  write_text(&w, "dialect", a->dialect);
  write_text(&w, "precision", a->precision);
  write_text(&w, "parameters", a->parameters);
  write_list(&w, "terms", a->terms);
  json_end_object(&w);
  const bool room = faults && buffer_ok(&text);
  const bool good = room && !code_request_decode(text.data, text.length, request, faults);
  if (!room) fprintf(stderr, "armdyn code: out of memory\n");
  if (room && !good) fprintf(stderr, "armdyn code: %s %s\n", faults->items[0].where, faults->items[0].detail);
  buffer_release(&text);
  free(faults);
  return good;
}

/* -- the robot -- */

/* A file that is there, else a stored robot. */
static struct armdyn_robot *find_robot(const struct arguments *a)
{
  struct buffer text = BUFFER(LIMIT_ANSWER);
  struct stat file;
  struct armdyn_error error = { "", "" };
  char path[256];
  long http = 0;
  bool found = false;
  if (!stat(a->robot, &file)) {
    found = model_read("code", a->robot, &text);
  } else if (strcspn(a->robot, "/?#%") != strlen(a->robot)) {
    fprintf(stderr, "armdyn code: cannot read %s: %s\n", a->robot, strerror(errno));
  } else {
    snprintf(path, sizeof path, "/v1/robots/%.200s", a->robot);
    const enum armdyn_status status = control_call(a->data, "GET", path, NULL, &http, &text, &error);
    found = !status && http == 200;
    if (!found) {
      fprintf(stderr, "armdyn code: there is no file %s, and as the name of a robot: %s\n", a->robot,
              status ? error.message : "the service has none of this name");
    }
  }
  struct armdyn_robot *robot = found ? model_robot("code", a->robot, &text) : NULL;
  buffer_release(&text);
  return robot;
}

/* -- the files -- */

static void write_file(void *context, const char *bytes, size_t length)
{
  fwrite(bytes, 1, length, context); /* ferror tells at the end */
}

static bool print_file(const struct arguments *a, struct armdyn_code *code, size_t file)
{
  char name[ARMDYN_CODE_NAME_SIZE], path[4096];
  const bool standard = !strcmp(a->out, "-");
  armdyn_code_file_name(code, file, name);
  snprintf(path, sizeof path, "%s/%s", a->out, name);
  FILE *out = standard ? stdout : fopen(path, "wb");
  bool good = out;
  if (out) {
    const struct armdyn_sink sink = { write_file, out };
    good = !armdyn_code_print(code, file, &sink) && !ferror(out);
    if (standard ? fflush(out) : fclose(out)) good = false;
  }
  if (!good) fprintf(stderr, "armdyn code: cannot write %s: %s\n", standard ? name : path, strerror(errno));
  if (good && !standard) printf("%s\n", path);
  return good;
}

/* One function: made, proven, printed. */
static bool write_program(const struct arguments *a, const struct armdyn_robot *robot,
                          const struct code_request *request, size_t k)
{
  struct armdyn_code_request asked;
  struct armdyn_code *code = NULL;
  struct armdyn_code_proof proof = { 0 };
  struct armdyn_error error = { "", "out of memory" };
  code_request_of(request, k, armdyn_robot_description(robot)->name, &asked);
  enum armdyn_status status = armdyn_code_new(robot, &asked, &code, &error);
  if (!status) status = armdyn_code_prove(code, STATES, SEED, &proof);
  bool good = !status;
  if (status) fprintf(stderr, "armdyn code: %s\n", error.message);
  if (good && !proof.holds) {
    fprintf(stderr, "armdyn code: %s would be up to %.3g off, more than %.3g: not written\n",
            armdyn_code_function_names[request->functions[k]], proof.largest_difference, proof.tolerance);
    good = false;
  }
  for (size_t file = 0; good && file < armdyn_code_file_count(code); file++) good = print_file(a, code, file);
  armdyn_code_free(code);
  return good;
}

int command_code(int argc, char **argv)
{
  struct arguments a;
  struct code_request request;
  int wrong = read_arguments(argc, argv, &a);
  if (wrong) return wrong - 1;
  if (!make_request(&a, &request)) return 2;
  struct armdyn_robot *robot = find_robot(&a);
  bool good = robot;
  for (size_t k = 0; good && k < request.function_count; k++) good = write_program(&a, robot, &request, k);
  armdyn_robot_free(robot);
  return good ? 0 : 1;
}
