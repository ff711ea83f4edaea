#include "server/http/target.h"

static int hex_digit(char c)
{
  if (c >= '0' && c <= '9') return c - '0';
  c = (char)(c | 0x20);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decode one piece in place. No NUL may come of it; '+' is a space in queries only. */
static bool decode(char *text, bool plus_is_space)
{
  char *to = text;
  for (const char *from = text; *from; from++) {
    char c = *from;
    if (c == '%') {
      int high = hex_digit(from[1]), low = high < 0 ? -1 : hex_digit(from[2]);
      if (low < 0 || !(high | low)) return false;
      c = (char)(high << 4 | low);
      from += 2;
    } else if (c == '+' && plus_is_space) {
      c = ' ';
    }
    *to++ = c;
  }
  *to = '\0';
  return true;
}

/* End the piece at `text` where one of `stops` stands; the rest, or NULL. */
static char *cut(char *text, const char *stops)
{
  char *end = text + strcspn(text, stops);
  if (!*end) return NULL;
  *end = '\0';
  return end + 1;
}

static enum target_fault parse_query(char *query, struct target *target)
{
  for (char *next; query; query = next) {
    next = cut(query, "&");
    if (!*query) continue;
    char *value = cut(query, "=");
    if (!decode(query, true) || (value && !decode(value, true))) return TARGET_MALFORMED;
    if (target->parameter_count == PARAMETERS_MOST) return TARGET_CROWDED;
    target->parameters[target->parameter_count++] = (struct parameter){ query, value ? value : "" };
  }
  return TARGET_OK;
}

enum target_fault target_parse(char *text, struct target *target)
{
  target->segment_count = target->parameter_count = 0;
  if (text[0] != '/') return TARGET_MALFORMED;
  char *query = cut(text, "?");
  for (char *segment = text + 1, *next; segment; segment = next) {
    next = cut(segment, "/");
    if (!decode(segment, false)) return TARGET_MALFORMED;
    if (target->segment_count == SEGMENTS_MOST) return TARGET_UNKNOWN;
    target->segments[target->segment_count++] = segment;
  }
  return parse_query(query, target);
}

static bool is_known(const char *known, const char *name)
{
  size_t length = strlen(name);
  for (const char *p = known; p && *p; p += strspn(p, " ")) {
    size_t word = strcspn(p, " ");
    if (word == length && !memcmp(p, name, length)) return true;
    p += word;
  }
  return false;
}

/* Conditions of a list, each of which may be given several times. */
#define REPEATABLE "metric tag"

void target_check(const struct target *target, const char *known, struct faults *faults)
{
  for (size_t i = 0; i < target->parameter_count; i++) {
    const char *name = target->parameters[i].name;
    if (!is_known(known, name))
      fault_add(faults, FAULT_AT_PARAMETER, name, FAULT_UNKNOWN, "is not a parameter of this call");
    for (size_t k = 0; k < i && !is_known(REPEATABLE, name); k++) {
      if (strcmp(target->parameters[k].name, name)) continue;
      fault_add(faults, FAULT_AT_PARAMETER, name, FAULT_DUPLICATE, "is given more than once");
      break;
    }
  }
}

const char *target_parameter(const struct target *target, const char *name)
{
  for (size_t i = 0; i < target->parameter_count; i++)
    if (!strcmp(target->parameters[i].name, name)) return target->parameters[i].value;
  return NULL;
}
