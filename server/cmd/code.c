/* `armdyn code`: the equations of an arm as programs, of a model in a file or of a robot that a service has stored. */
#include <errno.h>
#include <math.h>
#include <sys/stat.h>

#include "api/codec/code.h"
#include "api/json/document.h"
#include "server/cmd/command.h"
#include "server/cmd/control.h"
#include "server/cmd/flags.h"
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
    "  --error-bound T   leave out what matters less than this torque, N m (N), within the limits; or T1,T2,.. of each "
    "joint\n"
    "  --trajectory ID   of a stored robot: along this motion, instead of within the limits\n"
    "  --out DIR         where the files go, default the present directory; -: to standard output\n"
    "  --data DIR        directory of the store; default: ARMDYN_DATA, or armdyn-data\n";

struct arguments {
  const char *robot, *language, *functions, *dialect, *precision, *parameters, *terms, *bound, *trajectory, *out, *data;
};

/* 0: go on; else the exit status + 1. */
static int read_arguments(int argc, char **argv, struct arguments *a)
{
  *a = (struct arguments){ .functions = "inverse_dynamics", .out = ".", .data = FLAG_DATA_DEFAULT };
  const struct flag flags[] = { { "language", &a->language, NULL },
                                { "function", &a->functions, NULL },
                                { "dialect", &a->dialect, NULL },
                                { "precision", &a->precision, NULL },
                                { "parameters", &a->parameters, NULL },
                                { "terms", &a->terms, NULL },
                                { "error-bound", &a->bound, NULL },
                                { "trajectory", &a->trajectory, NULL },
                                { "out", &a->out, NULL },
                                { "data", &a->data, NULL },
                                { 0 } };
  int rest;
  const int wrong = flags_read(argc, argv, flags, usage, &rest);
  if (wrong) return wrong;
  if (rest != 1 || !a->language) return flags_refuse(usage);
  a->robot = argv[argc - 1];
  return 0;
}

/* -- the request, as a service would be asked -- */

static void write_text(struct json_writer *w, const char *key, const char *text)
{
  if (!text) return;
  json_key(w, key), json_write_text(w, text);
}

/* "a,b"; numbers as such where they are some */
static void write_list(struct json_writer *w, const char *key, const char *items, bool numbers)
{
  if (!items) return;
  json_key(w, key), json_begin_array(w);
  for (const char *at = items; *at;) {
    const size_t length = strcspn(at, ",");
    char item[64], *end;
    snprintf(item, sizeof item, "%.*s", (int)(length < sizeof item ? length : sizeof item - 1), at);
    const double number = strtod(item, &end);
    if (numbers && *item && !*end && isfinite(number))
      json_write_number(w, number);
    else
      json_write_text(w, item);
    at += length + (at[length] == ',');
  }
  json_end_array(w);
}

static void write_request(const struct arguments *a, struct buffer *text)
{
  struct json_writer w = { .out = text };
  const bool one = a->bound && !strchr(a->bound, ',');
  char *end = NULL;
  const double bound = one ? strtod(a->bound, &end) : 0;
  json_begin_object(&w);
  write_list(&w, "functions", a->functions, false);
  write_text(&w, "language", a->language);
  write_text(&w, "dialect", a->dialect);
  write_text(&w, "precision", a->precision);
  write_text(&w, "parameters", a->parameters);
  write_list(&w, "terms", a->terms, false);
  if (one && *a->bound && !*end && isfinite(bound))
    json_key(&w, "error_bound"), json_write_number(&w, bound);
  else if (one)
    write_text(&w, "error_bound", a->bound);
  else
    write_list(&w, "error_bound", a->bound, true);
  write_text(&w, "trajectory", a->trajectory);
  json_end_object(&w);
}

/* joints: of the robot; 0: not known yet. false: said on standard error. */
static bool read_request(const struct buffer *text, size_t joints, struct code_request *request)
{
  struct faults *faults = calloc(1, sizeof *faults);
  const bool room = faults && buffer_ok(text);
  const bool good = room && !code_request_decode(text->data, text->length, joints, request, faults);
  if (!room) fprintf(stderr, "armdyn code: out of memory\n");
  if (room && !good) fprintf(stderr, "armdyn code: %s %s\n", faults->items[0].where, faults->items[0].detail);
  free(faults);
  return good;
}

/* -- the files -- */

/* Where a file goes; NULL: said on standard error. */
static FILE *open_file(const struct arguments *a, const char *name, char *path, size_t size)
{
  const bool standard = !strcmp(a->out, "-");
  snprintf(path, size, "%s/%s", a->out, name);
  FILE *out = standard ? stdout : fopen(path, "wb");
  if (!out) fprintf(stderr, "armdyn code: cannot write %s: %s\n", path, strerror(errno));
  return out;
}

static bool close_file(FILE *out, const char *path)
{
  bool good = !ferror(out);
  if (out == stdout ? fflush(out) : fclose(out)) good = false;
  if (!good) fprintf(stderr, "armdyn code: cannot write %s: %s\n", path, strerror(errno));
  if (good && out != stdout) printf("%s\n", path);
  return good;
}

static void write_file(void *context, const char *bytes, size_t length)
{
  fwrite(bytes, 1, length, context); /* ferror tells at the end */
}

static bool print_file(const struct arguments *a, struct armdyn_code *code, size_t file)
{
  char name[ARMDYN_CODE_NAME_SIZE], path[4096];
  armdyn_code_file_name(code, file, name);
  FILE *out = open_file(a, name, path, sizeof path);
  if (!out) return false;
  const struct armdyn_sink sink = { write_file, out };
  const bool printed = !armdyn_code_print(code, file, &sink);
  if (!printed) fprintf(stderr, "armdyn code: out of memory\n");
  return close_file(out, path) && printed;
}

/* -- of a model in a file -- */

/* One function: made, proven, printed. */
static bool write_program(const struct arguments *a, const struct armdyn_robot *robot,
                          const struct code_request *request, size_t k)
{
  struct armdyn_code_request asked;
  struct armdyn_code *code = NULL;
  struct armdyn_code_proof proof = { 0 };
  struct armdyn_error error = { "", "out of memory" };
  code_request_of(request, k, armdyn_robot_description(robot)->name, NULL, &asked);
  enum armdyn_status status = armdyn_code_new(robot, &asked, &code, &error);
  if (!status) status = armdyn_code_prove(code, STATES, SEED, &proof);
  bool good = !status;
  if (status) fprintf(stderr, "armdyn code: %s %s\n", error.pointer, error.message);
  if (good && !proof.holds) {
    fprintf(stderr, "armdyn code: %s would be up to %.3g off, more than %.3g: not written\n",
            armdyn_code_function_names[request->functions[k]], proof.largest_difference, proof.tolerance);
    good = false;
  }
  for (size_t file = 0; good && file < armdyn_code_file_count(code); file++) good = print_file(a, code, file);
  armdyn_code_free(code);
  return good;
}

static bool write_of_file(const struct arguments *a, const struct buffer *asked, struct code_request *request)
{
  struct buffer text = BUFFER(LIMIT_ANSWER);
  struct armdyn_robot *robot = model_read("code", a->robot, &text) ? model_robot("code", a->robot, &text) : NULL;
  bool good = robot && read_request(asked, armdyn_robot_joint_count(robot), request);
  if (good && *request->trajectory) {
    fprintf(stderr, "armdyn code: --trajectory needs a robot of the service that has the trajectory, not a file\n");
    good = false;
  }
  for (size_t k = 0; good && k < request->function_count; k++) good = write_program(a, robot, request, k);
  armdyn_robot_free(robot);
  buffer_release(&text);
  return good;
}

/* -- of a robot that a service has, which keeps the proof -- */

static bool write_answer(const struct arguments *a, const cJSON *answer)
{
  const cJSON *file;
  bool good = document_text(answer, "files/0/source");
  cJSON_ArrayForEach (file, document_at(answer, "files")) {
    char path[4096];
    const char *source = document_text(file, "source");
    FILE *out = good ? open_file(a, document_text(file, "name"), path, sizeof path) : NULL;
    if (out) fputs(source, out);
    good = out && close_file(out, path);
  }
  return good;
}

static void say_refusal(const struct arguments *a, long http, const cJSON *answer)
{
  const char *where = document_text(answer, "errors/0/pointer"), *detail = document_text(answer, "errors/0/detail");
  if (!detail) detail = document_text(answer, "detail");
  if (http == 404)
    fprintf(stderr, "armdyn code: there is no file %s, and the service has no robot of this name\n", a->robot);
  else
    fprintf(stderr, "armdyn code: %s %s\n", where ? where : "", detail ? detail : "the service refused");
}

static bool write_of_service(const struct arguments *a, const struct buffer *asked)
{
  struct buffer text = BUFFER(LIMIT_ANSWER);
  struct armdyn_error error = { "", "" };
  cJSON *answer = NULL;
  char path[256];
  long http = 0;
  bool good = false;
  if (strcspn(a->robot, "/?#%") != strlen(a->robot)) {
    fprintf(stderr, "armdyn code: cannot read %s: %s\n", a->robot, strerror(ENOENT));
    return false;
  }
  snprintf(path, sizeof path, "/v1/robots/%.200s/code", a->robot);
  const enum armdyn_status status = control_call(a->data, "POST", path, asked->data, &http, &text, &error);
  if (status) {
    fprintf(stderr, "armdyn code: there is no file %s, and as the name of a robot: %s\n", a->robot, error.message);
  } else {
    document_parse(text.data, text.length, NULL, &answer);
    good = http == 200 && write_answer(a, answer);
    if (http != 200) say_refusal(a, http, answer);
  }
  document_close(answer);
  buffer_release(&text);
  return good;
}

int command_code(int argc, char **argv)
{
  struct arguments a;
  struct code_request request;
  struct stat file;
  struct buffer asked = BUFFER(KB(16));
  int result = read_arguments(argc, argv, &a);
  if (result) return result - 1;
  write_request(&a, &asked);
  buffer_append(&asked, "", 1); /* ends the text */
  asked.length--;
  if (!read_request(&asked, 0, &request))
    result = 2;
  else
    result = (stat(a.robot, &file) ? write_of_service(&a, &asked) : write_of_file(&a, &asked, &request)) ? 0 : 1;
  buffer_release(&asked);
  return result;
}
