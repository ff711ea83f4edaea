#include "server/http/framing.h"

#include <strings.h>

#include "server/http/target.h"

enum {
  CHUNK_DIGITS = 8,      /* hexadecimal */
  CHUNK_LINE_MOST = 256, /* with extensions */
  TRAILERS_MOST = 4 * 1024,
  REQUEST_LINE_MOST = LIMIT_URL + 64
};

/* Characters of a token (RFC 9110, 5.6.2): letters, digits and !#$%&'*+-.^_`|~ */
/* clang-format off */
static const unsigned char is_token[256] = {
  [0x20] =
    /* 0x20 */ 0, 1, 0, 1, 1, 1, 1, 1, 0, 0, 1, 1, 0, 1, 1, 0,
    /* 0x30 */ 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0,
    /* 0x40 */ 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    /* 0x50 */ 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 1,
    /* 0x60 */ 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    /* 0x70 */ 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 1, 0
};
/* clang-format on */

static size_t fault(struct framing *f, enum problem problem, const char *detail)
{
  f->broken_in = f->state;
  f->state = AT_FAULT;
  f->problem = problem;
  f->detail = detail;
  return 0;
}

static size_t malformed(struct framing *f, const char *detail)
{
  return fault(f, PROBLEM_BAD_REQUEST, detail);
}

static size_t token_length(const char *text, size_t length)
{
  size_t n = 0;
  while (n < length && is_token[(unsigned char)text[n]]) n++;
  return n;
}

/* No control characters but tabs and whole CR LF. A loop without a way out, of bytes alone: many are looked at at once. */
static bool lines_are_sound(const char *bytes, size_t length)
{
  unsigned char odd = bytes[0] == '\n';
  for (size_t i = 0; i + 1 < length; i++) {
    const unsigned char c = (unsigned char)bytes[i], next = (unsigned char)bytes[i + 1];
    odd |= (unsigned char)(((c < ' ') & (c != '\t') & (c != '\r') & (c != '\n')) | (c == 0x7f));
    odd |= (unsigned char)((c == '\r') ^ (next == '\n'));
  }
  return !odd; /* the last one is the '\n' that ends them */
}

/* -- one line of a head -- */

static bool read_request_line(struct framing *f, const char *line, size_t length)
{
  static const char version[] = "HTTP/1.";
  const size_t method = token_length(line, length);
  const char *target = line + method + 1, *end = line + length;
  const char *space = method && target < end && target[-1] == ' ' ? memchr(target, ' ', (size_t)(end - target)) : NULL;
  if (!space || space == target) return malformed(f, "the request line is not `METHOD target HTTP/1.1`");
  const size_t target_length = (size_t)(space - target);
  if (target_length > LIMIT_URL) return fault(f, PROBLEM_URI_TOO_LONG, NULL);
  const char *v = space + 1;
  const bool known =
      end - v == sizeof version && !memcmp(v, version, sizeof version - 1) && (v[7] == '0' || v[7] == '1');
  if (!known) return malformed(f, "the versions of HTTP that are spoken here are 1.0 and 1.1");
  size_t parameters = 0;
  for (const char *p = memchr(target, '?', target_length); p; p = memchr(p + 1, '&', (size_t)(space - p) - 1))
    parameters++;
  if (parameters > PARAMETERS_MOST) return fault(f, PROBLEM_URI_TOO_LONG, "too many query parameters");
  f->head.has_request_line = true;
  f->head.version_1_0 = v[7] == '0';
  return true;
}

static bool is_of_host(char c)
{
  return is_token[(unsigned char)c] || c == ':' || c == '[' || c == ']';
}

/* name[:port], without a blank, a list, a user or a path. */
static bool read_host(struct framing *f, const char *value, size_t length)
{
  if (f->head.hosts++) return malformed(f, "Host is given more than once");
  for (size_t i = 0; i < length; i++)
    if (!is_of_host(value[i])) return malformed(f, "Host is no name of a host, with or without a port");
  return true;
}

static bool read_length(struct framing *f, const char *value, size_t length)
{
  enum { DIGITS_MOST = 18 };
  if (f->head.has_length) return malformed(f, "Content-Length is given more than once");
  f->head.has_length = true;
  for (size_t i = 0; i < length; i++) {
    if (value[i] < '0' || value[i] > '9') return malformed(f, "Content-Length is no number");
    f->head.length = 10 * f->head.length + (uint64_t)(value[i] - '0');
  }
  if (!length) return malformed(f, "Content-Length is no number");
  return length <= DIGITS_MOST || malformed(f, "Content-Length is a number beyond all bounds");
}

static bool read_encoding(struct framing *f, const char *value, size_t length)
{
  static const char chunked[] = "chunked";
  if (f->head.chunked) return malformed(f, "Transfer-Encoding is given more than once");
  f->head.chunked = true;
  return (length == sizeof chunked - 1 && !strncasecmp(value, chunked, length)) ||
         malformed(f, "the only Transfer-Encoding taken is chunked");
}

static bool read_key(struct framing *f, const char *value, size_t length)
{
  (void)value, (void)length;
  return !f->head.keys++ || malformed(f, "Authorization is given more than once");
}

/* Headers that say who is asked, by whom, and where the request ends: they may not go on in a further line, and not come in
 * trailers. */
static const struct telling {
  const char *name;
  size_t length;
  bool (*read)(struct framing *f, const char *value, size_t length);
} telling[] = {
  { "host", 4, read_host },
  { "authorization", 13, read_key },
  { "content-length", 14, read_length },
  { "transfer-encoding", 17, read_encoding },
};

static const struct telling *find_telling(const char *name, size_t length)
{
  for (size_t i = 0; i < sizeof telling / sizeof *telling; i++)
    if (telling[i].length == length && !strncasecmp(telling[i].name, name, length)) return &telling[i];
  return NULL;
}

/* A line that goes on becomes one line, as RFC 9112, 5.2 has it: libmicrohttpd closes connections over some that do. */
static bool unfold(struct framing *f, char *line)
{
  char *end = line - 2;
  if (!f->head.may_fold)
    return malformed(f, "a line of the head begins with a blank, and goes on with nothing that may");
  if (end[0] == '\r') end[0] = end[1] = ' '; /* else end_head finds it */
  return true;
}

static bool read_header(struct framing *f, char *line, size_t length)
{
  if (*line == ' ' || *line == '\t') return unfold(f, line);
  const size_t name = token_length(line, length);
  if (!name || name == length || line[name] != ':')
    return malformed(f, "a line of the head is not `name: value` with a name that is a token");
  if (++f->head.headers > LIMIT_HEADER_COUNT)
    return fault(f, PROBLEM_HEADERS_TOO_LARGE, "there are more than 100 headers");
  const struct telling *known = find_telling(line, name);
  f->head.may_fold = !known;
  if (!known) return true;
  if (f->state == AT_TRAILERS) return malformed(f, "a trailer has a name that only a header may have");
  const char *value = line + name + 1, *end = line + length;
  while (value < end && (*value == ' ' || *value == '\t')) value++;
  return known->read(f, value, (size_t)(end - value));
}

/* -- units -- */

/* The line at f->at, without its end; NULL: it is incomplete. It is read from now on. */
static char *next_line(struct framing *f, char *bytes, size_t length, size_t *line_length)
{
  char *line = bytes + f->at, *end = length > f->at ? memchr(line, '\n', length - f->at) : NULL;
  if (!end) return NULL;
  f->at = (size_t)(end - bytes) + 1;
  *line_length = (size_t)(end - line) - (end > line && end[-1] == '\r');
  return line;
}

static size_t end_unit(struct framing *f, enum framing_state next)
{
  const size_t size = f->at;
  f->at = 0;
  f->state = next;
  return size;
}

static size_t end_head(struct framing *f, const char *bytes)
{
  if (!lines_are_sound(bytes, f->at))
    return malformed(f, "a line of the head does not end with CR LF, or has a control character in it");
  if (!f->head.hosts && !f->head.version_1_0) return malformed(f, "Host is missing");
  if (f->head.chunked && f->head.has_length) return malformed(f, "Transfer-Encoding together with Content-Length");
  if (f->head.chunked && f->head.version_1_0) return malformed(f, "HTTP/1.0 knows no Transfer-Encoding");
  const enum framing_state next = f->head.chunked ? AT_CHUNK : f->head.length ? IN_BODY : AT_HEAD;
  f->left = f->head.length;
  f->passed++;
  memset(&f->head, 0, sizeof f->head);
  return end_unit(f, next);
}

static size_t incomplete_head(struct framing *f, size_t length)
{
  if (!f->head.has_request_line && length > REQUEST_LINE_MOST) return fault(f, PROBLEM_URI_TOO_LONG, NULL);
  return length - f->head.line_bytes > LIMIT_HEADERS ? fault(f, PROBLEM_HEADERS_TOO_LARGE, NULL) : 0;
}

static size_t read_head(struct framing *f, char *bytes, size_t length)
{
  char *line;
  size_t size;
  while ((line = next_line(f, bytes, length, &size))) {
    const bool begun = f->head.has_request_line;
    if (!size && begun)
      return f->at - f->head.line_bytes > LIMIT_HEADERS ? fault(f, PROBLEM_HEADERS_TOO_LARGE, NULL)
                                                        : end_head(f, bytes);
    if (!size && f->at > 2) return malformed(f, "more than one empty line before a request");
    if (!size) continue; /* before the request line, as RFC 9112, 2.2 says */
    if (!(begun ? read_header(f, line, size) : read_request_line(f, line, size))) return 0;
    if (!begun) f->head.line_bytes = f->at;
  }
  return incomplete_head(f, length);
}

static size_t read_body(struct framing *f, size_t length, enum framing_state next)
{
  const size_t n = length < f->left ? length : (size_t)f->left;
  f->left -= n;
  if (!f->left) f->state = next;
  return n;
}

/* ";name", ";name=token" or ";name="quoted"": nothing is made of them, but they are what RFC 9112, 7.1.1 says. */
static bool extensions_are_sound(const char *text, const char *end)
{
  while (text < end) {
    if (*text++ != ';') return false;
    size_t name = token_length(text, (size_t)(end - text));
    text += name;
    if (!name) return false;
    if (text == end || *text != '=') continue;
    text++;
    size_t value = token_length(text, (size_t)(end - text));
    if (!value && text < end && *text == '"') {
      const char *quote = memchr(text + 1, '"', (size_t)(end - text) - 1);
      value = quote && !memchr(text, '\\', (size_t)(quote - text)) ? (size_t)(quote - text) + 1 : 0;
    }
    if (!value) return false;
    text += value;
  }
  return true;
}

static int hex_digit(char c)
{
  if (c >= '0' && c <= '9') return c - '0';
  return (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') ? (c | 0x20) - 'a' + 10 : -1;
}

/* Zeros before the digits in place of extensions behind them, which libmicrohttpd 1.0 refuses. */
static void drop_extensions(char *line, size_t digits, size_t size)
{
  memmove(line + size - digits, line, digits);
  memset(line, '0', size - digits);
}

static size_t read_chunk_line(struct framing *f, char *bytes, size_t length)
{
  static const char what[] = "the size of a chunk is not hexadecimal digits, with or without extensions, and CR LF";
  size_t size, digits = 0;
  char *line = next_line(f, bytes, length, &size);
  if (!line) return length > CHUNK_LINE_MOST ? malformed(f, what) : 0;
  f->left = 0;
  for (int digit; digits < size && (digit = hex_digit(line[digits])) >= 0; digits++)
    f->left = f->left << 4 | (unsigned)digit;
  bool sound = digits > 0 && digits <= CHUNK_DIGITS && f->at <= CHUNK_LINE_MOST && lines_are_sound(bytes, f->at) &&
               extensions_are_sound(line + digits, line + size);
  if (!sound) return malformed(f, what);
  drop_extensions(line, digits, size);
  return end_unit(f, f->left ? IN_CHUNK : AT_TRAILERS);
}

static size_t read_chunk_end(struct framing *f, const char *bytes, size_t length)
{
  static const char end[] = "\r\n";
  f->at = length < 2 ? length : 2;
  if (memcmp(bytes, end, f->at) != 0) return malformed(f, "a chunk is longer than its size says");
  if (f->at == 2) return end_unit(f, AT_CHUNK);
  f->at = 0;
  return 0;
}

static size_t end_trailers(struct framing *f, const char *bytes)
{
  memset(&f->head, 0, sizeof f->head);
  return lines_are_sound(bytes, f->at)
             ? end_unit(f, AT_HEAD)
             : malformed(f, "a trailer does not end with CR LF, or has a control character in it");
}

static size_t read_trailers(struct framing *f, char *bytes, size_t length)
{
  char *line;
  size_t size = 1;
  while (size && (line = next_line(f, bytes, length, &size)))
    if (size && !read_header(f, line, size)) return 0;
  if ((size ? length : f->at) > TRAILERS_MOST) return malformed(f, "the trailers are too large");
  return size ? 0 : end_trailers(f, bytes);
}

static size_t read_unit(struct framing *f, char *bytes, size_t length)
{
  switch (f->state) {
  case AT_HEAD: return read_head(f, bytes, length);
  case IN_BODY: return read_body(f, length, AT_HEAD);
  case AT_CHUNK: return read_chunk_line(f, bytes, length);
  case IN_CHUNK: return read_body(f, length, AFTER_CHUNK);
  case AFTER_CHUNK: return read_chunk_end(f, bytes, length);
  case AT_TRAILERS: return read_trailers(f, bytes, length);
  case AT_FAULT: break;
  }
  return 0;
}

size_t framing_read(struct framing *f, char *bytes, size_t length)
{
  size_t passed = 0, n;
  while (passed < length && (n = read_unit(f, bytes + passed, length - passed))) passed += n;
  return passed;
}
