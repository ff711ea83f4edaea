#include "api/json/reader.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>

#include "api/json/number.h"
#include "api/wire/utf8.h"

enum { EXCERPT_SIZE = 48 };

void json_reader_init(struct json_reader *r, const char *text, size_t length, struct faults *faults)
{
  memset(r, 0, offsetof(struct json_reader, path)); /* of which enter() begins every place anew */
  r->text = r->at = text;
  r->end = text + length;
  r->faults = faults;
  if (faults) r->faults_before = faults->count;
}

enum armdyn_status json_reader_status(const struct json_reader *r)
{
  return r->status ? r->status : r->fault_count ? ARMDYN_EINPUT : ARMDYN_OK;
}

void json_break_off(struct json_reader *r, enum armdyn_status status)
{
  if (!r->status) r->status = status;
}

/* -- places -- */

static size_t put(char *out, size_t size, size_t at, char c)
{
  if (at + 1 < size) out[at] = c;
  return at + 1;
}

/* One reference token of a pointer: "/" and the key, with ~ and / escaped (RFC 6901). */
static size_t put_key(char *out, size_t size, size_t at, struct json_slice raw)
{
  char key[256];
  json_slice_decode(raw, key, sizeof key);
  at = put(out, size, at, '/');
  for (const char *c = key; *c; c++) {
    if (*c == '~' || *c == '/') at = put(out, size, at, '~');
    at = put(out, size, at, *c == '~' ? '0' : *c == '/' ? '1' : *c);
  }
  return at;
}

/* The RFC 6901 pointer of the present value; truncated to size. */
static void json_pointer(const struct json_reader *r, char *out, size_t size)
{
  size_t at = 0;
  for (size_t i = 0; i < r->depth; i++) {
    const struct json_frame *frame = &r->path[i];
    if (!frame->started || (!frame->array && !frame->key.data)) break;
    if (!frame->array) {
      at = put_key(out, size, at, frame->key);
      continue;
    }
    char digits[24];
    snprintf(digits, sizeof digits, "/%zu", frame->index);
    for (const char *c = digits; *c; c++) at = put(out, size, at, *c);
  }
  if (size) out[at < size ? at : size - 1] = '\0';
}

void json_fault(struct json_reader *r, const char *below, enum fault_code code, const char *format, ...)
{
  if (r->status) return; /* the place where reading ended is all there is to say */
  r->fault_count++;
  if (!r->faults) return;
  if (r->faults->count >= LIMIT_FAULTS) { /* only counted, and quickly: a body may be wrong in a million places */
    r->faults->count++;
    return;
  }
  char where[sizeof r->faults->items->where], detail[sizeof r->faults->items->detail];
  json_pointer(r, where, sizeof where);
  size_t length = strlen(where);
  snprintf(where + length, sizeof where - length, "%s", below ? below : "");
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(detail, sizeof detail, format, arguments);
  va_end(arguments);
  fault_add(r->faults, FAULT_AT_POINTER, where, code, "%s", detail);
}

/* The text is not JSON: what was found before does not count any more, only the place where reading ended does. */
static bool syntax(struct json_reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool syntax(struct json_reader *r, const char *format, ...)
{
  if (r->status) return false;
  r->status = ARMDYN_ESYNTAX;
  if (!r->faults) return false;
  size_t line = 1;
  const char *line_start = r->text;
  for (const char *c = r->text; c < r->at; c++)
    if (*c == '\n') line++, line_start = c + 1;
  char where[sizeof r->faults->items->where], detail[160];
  json_pointer(r, where, sizeof where);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(detail, sizeof detail, format, arguments);
  va_end(arguments);
  r->faults->count = r->faults_before;
  fault_add(r->faults, FAULT_AT_POINTER, where, FAULT_SYNTAX, "line %zu, column %zu (byte %zu): %s", line,
            (size_t)(r->at - line_start) + 1, (size_t)(r->at - r->text), detail);
  return false;
}

const char *json_excerpt(struct json_slice raw, char *out, size_t size)
{
  if (raw.length && (*raw.data == '[' || *raw.data == '{')) {
    snprintf(out, size, "%s", *raw.data == '[' ? "a list" : "an object");
    return out;
  }
  size_t most = size < EXCERPT_SIZE ? size : EXCERPT_SIZE;
  if (raw.length < most) {
    memcpy(out, raw.data, raw.length);
    out[raw.length] = '\0';
    return out;
  }
  size_t length = most - 4;
  while (length && ((unsigned char)raw.data[length] & 0xc0) == 0x80) length--; /* no half characters */
  memcpy(out, raw.data, length);
  memcpy(out + length, "...", 4);
  return out;
}

/* -- tokens -- */

static void skip_space(struct json_reader *r)
{
  while (r->at < r->end && (*r->at == ' ' || *r->at == '\n' || *r->at == '\r' || *r->at == '\t')) r->at++;
}

/* How the next character is called in a message. */
static const char *next_name(const struct json_reader *r, char out[16])
{
  if (r->at >= r->end) return "the end of the text";
  unsigned char c = (unsigned char)*r->at;
  snprintf(out, 16, c > ' ' && c < 0x7f ? "'%c'" : "byte 0x%02x", c);
  return out;
}

static bool literal(const struct json_reader *r, const char *word)
{
  size_t length = strlen(word);
  return (size_t)(r->end - r->at) >= length && memcmp(r->at, word, length) == 0;
}

enum json_kind json_peek(struct json_reader *r)
{
  if (r->status) return JSON_NOTHING;
  skip_space(r);
  char name[16];
  switch (r->at < r->end ? *r->at : '\0') {
  case '{': return JSON_OBJECT;
  case '[': return JSON_ARRAY;
  case '"': return JSON_TEXT;
  case 't':
  case 'f': return JSON_TRUTH;
  case 'n': return JSON_NULL;
  case '-':
  case '0':
  case '1':
  case '2':
  case '3':
  case '4':
  case '5':
  case '6':
  case '7':
  case '8':
  case '9': return JSON_NUMBER;
  default: break;
  }
  if (r->at == r->end && r->depth == 0)
    syntax(r, "the text is empty; a JSON value is expected");
  else if (literal(r, "NaN") || literal(r, "Infinity"))
    syntax(r, "JSON has no NaN and no Infinity; every number must be finite");
  else if (literal(r, "\xef\xbb\xbf"))
    syntax(r, "a byte order mark is not allowed; send plain UTF-8");
  else
    syntax(r, "a value is expected, got %s", next_name(r, name));
  return JSON_NOTHING;
}

bool json_peek_nested(struct json_reader *r)
{
  if (json_peek(r) != JSON_ARRAY) return false;
  const char *c = r->at + 1;
  while (c < r->end && (*c == ' ' || *c == '\n' || *c == '\r' || *c == '\t')) c++;
  return c < r->end && *c == '[';
}

/* Four hexadecimal digits, or -1. */
static int hex4(const char *at, const char *end)
{
  if (end - at < 4) return -1;
  int value = 0;
  for (int i = 0; i < 4; i++) {
    char c = at[i];
    int digit = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

/* The code point of an escape that starts with a backslash at `at`, and its length; -1 when it is malformed. */
static int escape(const char *at, const char *end, size_t *length)
{
  static const char names[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
  if (end - at < 2) return -1;
  const char *name = at[1] ? strchr(names, at[1]) : NULL;
  *length = 2;
  if (name) return meanings[name - names];
  if (at[1] != 'u') return -1;
  int unit = hex4(at + 2, end);
  *length = 6;
  if (unit < 0xd800 || unit > 0xdfff) return unit;
  if (unit > 0xdbff || end - at < 12 || at[6] != '\\' || at[7] != 'u') return -1;
  int low = hex4(at + 8, end);
  *length = 12;
  return low < 0xdc00 || low > 0xdfff ? -1 : 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
}

/* A string; at the opening quote. */
static bool scan_text(struct json_reader *r, struct json_slice *raw)
{
  const char *start = ++r->at;
  while (r->at < r->end) {
    unsigned char c = (unsigned char)*r->at;
    size_t length = 1;
    if (c == '"') {
      *raw = (struct json_slice){ start, (size_t)(r->at - start) };
      r->at++;
      return true;
    }
    if (c < 0x20) return syntax(r, "a control character inside a text must be escaped, got byte 0x%02x", c);
    if (c == '\\') {
      if (escape(r->at, r->end, &length) < 0)
        return syntax(r,
                      "a malformed escape; \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uXXXX (surrogates in pairs) exist");
    } else if (c >= 0x80) {
      length = utf8_length(r->at, r->end);
      if (!length) return syntax(r, "not UTF-8: byte 0x%02x", c);
    }
    r->at += length;
  }
  return syntax(r, "a text is not closed by a quote");
}

static bool scan_number(struct json_reader *r, double *value)
{
  const char *behind = number_parse(r->at, r->end, value);
  char excerpt[EXCERPT_SIZE];
  if (behind && isfinite(*value)) {
    r->at = behind;
    return true;
  }
  if (behind) {
    struct json_slice raw = { r->at, (size_t)(behind - r->at) };
    return syntax(r, "%s is beyond the largest number, 1.7976931348623157e308",
                  json_excerpt(raw, excerpt, sizeof excerpt));
  }
  const char *digit = r->at + (*r->at == '-');
  if (digit < r->end && *digit == 'I') return syntax(r, "JSON has no Infinity; every number must be finite");
  if (r->end - digit >= 2 && digit[0] == '0' && digit[1] >= '0' && digit[1] <= '9')
    return syntax(r, "a number must not have leading zeros");
  return syntax(r,
                "a malformed number; JSON writes 12, -0.5, 1e-3, with digits on both sides of the point and at most %d "
                "characters",
                LIMIT_NUMBER_LENGTH);
}

static bool scan_word(struct json_reader *r, const char *word)
{
  if (!literal(r, word)) return syntax(r, "'%s' is expected", word);
  r->at += strlen(word);
  return true;
}

/* -- structure -- */

static const char *const kind_names[] = {
  [JSON_NOTHING] = "a value", [JSON_NULL] = "null",    [JSON_TRUTH] = "true or false", [JSON_NUMBER] = "a number",
  [JSON_TEXT] = "a text",     [JSON_ARRAY] = "a list", [JSON_OBJECT] = "an object",
};

/* Is the next value of this kind? If not, it is skipped and a fault says so. */
static bool expect(struct json_reader *r, enum json_kind kind, const char *expected)
{
  enum json_kind found = json_peek(r);
  if (found == kind || found == JSON_NOTHING) return found == kind;
  struct json_slice raw;
  char excerpt[EXCERPT_SIZE];
  if (json_skip(r, &raw))
    json_fault(r, NULL, FAULT_TYPE, "must be %s, got %s", expected ? expected : kind_names[kind],
               json_excerpt(raw, excerpt, sizeof excerpt));
  return false;
}

static bool enter(struct json_reader *r, bool array)
{
  if (r->depth == LIMIT_JSON_DEPTH) return syntax(r, "nested deeper than %d", LIMIT_JSON_DEPTH);
  r->at++;
  r->path[r->depth++] = (struct json_frame){ .array = array };
  return true;
}

bool json_enter_object(struct json_reader *r, const char *expected)
{
  return expect(r, JSON_OBJECT, expected) && enter(r, false);
}

bool json_enter_array(struct json_reader *r, const char *expected)
{
  return expect(r, JSON_ARRAY, expected) && enter(r, true);
}

/* On to the next item of the innermost array or object; false at its end, which is left. */
static bool next_item(struct json_reader *r, char close)
{
  if (r->status) return false;
  struct json_frame *frame = &r->path[r->depth - 1];
  char name[16];
  skip_space(r);
  if (r->at < r->end && *r->at == close) {
    r->at++;
    r->depth--;
    return false;
  }
  if (!frame->started) {
    frame->started = true;
    return true;
  }
  if (r->at == r->end || *r->at != ',') return syntax(r, "',' or '%c' is expected, got %s", close, next_name(r, name));
  r->at++;
  frame->index++;
  skip_space(r);
  if (r->at < r->end && *r->at == close) return syntax(r, "a comma before '%c' is one too many", close);
  return true;
}

bool json_next_element(struct json_reader *r)
{
  return next_item(r, ']');
}

bool json_next_member(struct json_reader *r, struct json_slice *key)
{
  char name[16];
  if (!next_item(r, '}')) return false;
  struct json_frame *frame = &r->path[r->depth - 1]; /* there was an item, so we are inside something */
  if (r->at == r->end || *r->at != '"') return syntax(r, "a name in quotes is expected, got %s", next_name(r, name));
  if (!scan_text(r, &frame->key)) return false;
  skip_space(r);
  if (r->at == r->end || *r->at != ':') return syntax(r, "':' is expected, got %s", next_name(r, name));
  r->at++;
  *key = frame->key;
  return true;
}

bool json_skip(struct json_reader *r, struct json_slice *raw)
{
  enum json_kind kind = json_peek(r);
  const char *start = r->at;
  struct json_slice text;
  double number;
  switch (kind) {
  case JSON_OBJECT:
    if (enter(r, false))
      while (json_next_member(r, &text)) json_skip(r, NULL);
    break;
  case JSON_ARRAY:
    if (enter(r, true))
      while (json_next_element(r)) json_skip(r, NULL);
    break;
  case JSON_TEXT: scan_text(r, &text); break;
  case JSON_NUMBER: scan_number(r, &number); break;
  case JSON_TRUTH: scan_word(r, *r->at == 't' ? "true" : "false"); break;
  case JSON_NULL: scan_word(r, "null"); break;
  case JSON_NOTHING: break;
  }
  if (raw) *raw = (struct json_slice){ start, (size_t)(r->at - start) };
  return !r->status;
}

bool json_finish(struct json_reader *r)
{
  char name[16];
  if (!r->status) skip_space(r);
  if (!r->status && r->at < r->end) syntax(r, "nothing may follow the value, got %s", next_name(r, name));
  return json_reader_status(r) == ARMDYN_OK;
}

/* -- values -- */

bool json_read_truth(struct json_reader *r, const char *expected, bool *value)
{
  if (!expect(r, JSON_TRUTH, expected)) return false;
  *value = *r->at == 't';
  return scan_word(r, *value ? "true" : "false");
}

bool json_read_number(struct json_reader *r, const char *expected, double *value)
{
  return expect(r, JSON_NUMBER, expected) && scan_number(r, value);
}

bool json_read_text(struct json_reader *r, const char *expected, struct json_slice *raw)
{
  return expect(r, JSON_TEXT, expected) && scan_text(r, raw);
}

bool json_read_null(struct json_reader *r)
{
  return json_peek(r) == JSON_NULL && scan_word(r, "null");
}

/* Straight over "[1,2,3]" with exactly `count` numbers; NULL at anything else. */
static const char *fast_numbers(const char *at, const char *end, size_t count, double *into)
{
  if (at == end || *at++ != '[') return NULL;
  for (size_t i = 0; i < count; i++) {
    while (at < end && *at == ' ') at++;
    at = number_parse(at, end, &into[i]);
    if (!at || !isfinite(into[i])) return NULL;
    while (at < end && *at == ' ') at++;
    if (at == end || *at++ != (i + 1 < count ? ',' : ']')) return NULL;
  }
  return count ? at : NULL;
}

bool json_read_numbers(struct json_reader *r, const char *unit, size_t count, double *into)
{
  if (r->status) return false;
  skip_space(r);
  const char *behind = r->depth < LIMIT_JSON_DEPTH ? fast_numbers(r->at, r->end, count, into) : NULL;
  if (behind) {
    r->at = behind;
    return true;
  }
  char list[160], number[128];
  const char *open = unit ? " (" : "", *close = unit ? ")" : "";
  snprintf(list, sizeof list, "a list of %zu number%s%s%s%s", count, count == 1 ? "" : "s", open, unit ? unit : "",
           close);
  snprintf(number, sizeof number, "a number%s%s%s", open, unit ? unit : "", close);
  size_t faults = r->fault_count, found = 0;
  if (!json_enter_array(r, list)) return false;
  for (; json_next_element(r); found++) {
    double spare;
    json_read_number(r, number, found < count ? &into[found] : &spare);
  }
  if (!r->status && found != count) json_fault(r, NULL, FAULT_LENGTH, "must be %s, got %zu", list, found);
  return !r->status && r->fault_count == faults;
}

/* -- texts -- */

bool json_slice_is(struct json_slice raw, const char *text)
{
  size_t length = strlen(text);
  if (raw.length == length && memcmp(raw.data, text, length) == 0) return true;
  if (raw.length <= length || !memchr(raw.data, '\\', raw.length)) return false;
  char decoded[256];
  return length < sizeof decoded && json_slice_decode(raw, decoded, sizeof decoded) == length &&
         memcmp(decoded, text, length) == 0;
}

static size_t put_code_point(char *out, size_t size, size_t at, unsigned code)
{
  char bytes[4];
  size_t count = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  static const unsigned lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
  for (size_t i = count; i-- > 1; code >>= 6) bytes[i] = (char)(0x80 | (code & 0x3f));
  bytes[0] = (char)(lead[count] | code);
  for (size_t i = 0; i < count; i++) at = put(out, size, at, bytes[i]);
  return at;
}

size_t json_slice_decode(struct json_slice raw, char *out, size_t size)
{
  size_t at = 0;
  bool whole = true;
  const char *end = raw.data + raw.length;
  for (const char *c = raw.data; c < end;) {
    size_t length = 1;
    if (*c == '\\') {
      int code = escape(c, end, &length);
      if (code <= 0) whole = false;
      at = put_code_point(out, size, at, code > 0 ? (unsigned)code : 0xfffd);
    } else {
      at = put(out, size, at, *c);
    }
    c += length;
  }
  if (size) out[at < size ? at : size - 1] = '\0';
  return whole ? at : SIZE_MAX;
}
