#include "api/toolbox/script.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- refusing -- */

bool script_fault(struct script *s, enum fault_code code, const char *format, ...)
{
  if (s->status) return false;
  s->status = code == FAULT_SYNTAX ? ARMDYN_ESYNTAX : ARMDYN_EINPUT;
  const char *from = s->token.at, *to = from;
  while (from > s->text && from[-1] != '\n') from--;
  while (from < s->end && isspace((unsigned char)*from) && *from != '\n') from++;
  while (to < s->end && *to != '\n' && *to != '\r') to++;
  va_list arguments;
  va_start(arguments, format);
  fault_add_line(s->faults, from, to > from ? (size_t)(to - from) : 0, s->token.line, code, format, arguments);
  va_end(arguments);
  s->token.word = WORD_END;
  return false;
}

/* -- words -- */

static bool in(const struct script *s, char bracket)
{
  return s->depth && s->brackets[s->depth - 1] == bracket;
}

static bool starts(const struct script *s, const char *text)
{
  size_t length = strlen(text);
  return (size_t)(s->end - s->at) >= length && !memcmp(s->at, text, length);
}

static void to_line_end(struct script *s)
{
  while (s->at < s->end && *s->at != '\n') s->at++;
}

/* Does only this stand on the line? */
static bool alone(const struct script *s, const char *text)
{
  const char *from = s->at, *to = s->at + strlen(text);
  if (!starts(s, text)) return false;
  while (from > s->text && (from[-1] == ' ' || from[-1] == '\t')) from--;
  while (to < s->end && (*to == ' ' || *to == '\t' || *to == '\r')) to++;
  return (from == s->text || from[-1] == '\n') && (to == s->end || *to == '\n');
}

/* %{ ... %} on lines of their own, also in each other; elsewhere they are comments like any other. */
static void skip_block(struct script *s)
{
  size_t open = 0;
  for (; s->at < s->end; s->at++) {
    if (alone(s, "%{")) open++;
    if (alone(s, "%}") && !--open) break;
    if (*s->at == '\n') s->line++;
  }
  if (open) script_fault(s, FAULT_SYNTAX, "a comment that begins with %%{ has no end");
  to_line_end(s);
}

/* White space, comments, and lines that go on. */
static void skip_space(struct script *s)
{
  for (; s->at < s->end; s->at++) {
    if (starts(s, "...")) {
      to_line_end(s);
      if (s->at == s->end) return;
      s->line++;
    } else if (alone(s, "%{")) {
      skip_block(s);
      s->at--;
    } else if (*s->at == '%' || *s->at == '#') {
      to_line_end(s);
      s->at--;
    } else if (*s->at == '\n' && in(s, '(')) {
      s->line++; /* as newer releases have it */
    } else if (*s->at != ' ' && *s->at != '\t' && *s->at != '\r' && *s->at != '\f') {
      return;
    }
  }
}

static void read_number(struct script *s)
{
  char digits[64];
  size_t used = 0;
  while (s->at < s->end && used < sizeof digits - 1) {
    const char c = *s->at;
    const bool sign = (c == '+' || c == '-') && used && strchr("eE", digits[used - 1]);
    if (!isdigit((unsigned char)c) && c != '.' && c != 'e' && c != 'E' && !sign) break;
    digits[used++] = c, s->at++;
  }
  digits[used] = 0;
  char *stop;
  s->token.word = WORD_NUMBER;
  s->token.number = strtod(digits, &stop);
  if (*stop || !(s->token.number <= 1e300)) script_fault(s, FAULT_SYNTAX, "'%s' is no number", digits);
}

static void read_text(struct script *s, char quote)
{
  const char *from = ++s->at;
  while (s->at < s->end && *s->at != quote && *s->at != '\n') s->at++;
  if (s->at == s->end || *s->at != quote) {
    script_fault(s, FAULT_SYNTAX, "a text has no end");
    return;
  }
  s->token.word = WORD_TEXT;
  s->token.text = (struct json_slice){ from, (size_t)(s->at++ - from) };
}

static void read_name(struct script *s)
{
  const char *from = s->at;
  while (s->at < s->end && (isalnum((unsigned char)*s->at) || *s->at == '_')) s->at++;
  s->token.word = WORD_NAME;
  s->token.text = (struct json_slice){ from, (size_t)(s->at - from) };
}

/* Brackets are counted here, so that a line's end and white space mean what they mean inside them. */
static void read_sign(struct script *s)
{
  const char c = *s->at++;
  s->token.word = c == '\n' ? WORD_LINE : WORD_SIGN;
  s->token.sign = c;
  if (c == '\n') s->line++;
  if (c && strchr("([{", c)) {
    if (s->depth == SCRIPT_DEPTH)
      script_fault(s, FAULT_MAXIMUM, "brackets may be %d deep", SCRIPT_DEPTH);
    else
      s->brackets[s->depth++] = c;
  } else if (c && strchr(")]}", c)) {
    const char opens = c == ')' ? '(' : c == ']' ? '[' : '{';
    if (in(s, opens))
      s->depth--;
    else
      script_fault(s, FAULT_SYNTAX, "'%c' closes nothing", c);
  }
}

void script_next(struct script *s)
{
  if (s->status) return;
  const struct token *before = &s->token;
  const char *from = s->at;
  s->follows_value = before->word == WORD_NUMBER || before->word == WORD_NAME ||
                     (before->word == WORD_SIGN && strchr(")]}'", before->sign));
  skip_space(s);
  s->token = (struct token){ .word = WORD_END, .at = s->at, .line = s->line, .space_before = s->at > from };
  if (s->at == s->end) return;
  const unsigned char c = (unsigned char)*s->at;
  const bool digit_follows = s->at + 1 < s->end && isdigit((unsigned char)s->at[1]);
  const bool transposes = s->follows_value && !(s->token.space_before && in(s, '['));
  if (isdigit(c) || (c == '.' && digit_follows))
    read_number(s);
  else if (isalpha(c) || c == '_')
    read_name(s);
  else if (c == '"' || (c == '\'' && !transposes))
    read_text(s, (char)c);
  else
    read_sign(s);
  s->token.space_behind = s->at < s->end && isspace((unsigned char)*s->at);
}

bool script_is(const struct script *s, char sign)
{
  return !s->status && s->token.word == WORD_SIGN && s->token.sign == sign;
}

bool script_take(struct script *s, char sign)
{
  if (!script_is(s, sign)) return false;
  script_next(s);
  return true;
}

bool script_expect(struct script *s, char sign, const char *where)
{
  if (script_take(s, sign)) return true;
  return script_fault(s, FAULT_SYNTAX, "'%c' is missing %s", sign, where);
}

static bool ends_statement(const struct script *s)
{
  if (s->token.word == WORD_END) return true;
  return !s->depth && (s->token.word == WORD_LINE || script_is(s, ';') || script_is(s, ','));
}

void script_skip(struct script *s)
{
  while (!ends_statement(s)) script_next(s);
}
