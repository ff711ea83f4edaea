#include "api/report/sentences.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "api/report/sentences_table.h"

enum { SPANS = 10, TEXT = 1024, DEPTH = 4 /* of sentences in sentences */ };
struct span {
  const char *at;
  size_t length;
};

/* Behind a conversion; what it is of stands before. */
static const char *behind(const char *conversion)
{
  const char *at = conversion + 1 + strcspn(conversion + 1, "diouxXeEfFgGaAcspn%");
  return *at ? at + 1 : at;
}

static bool is_figure(const char *text, size_t length)
{
  return length && strspn(text, "0123456789+-.einfa") >= length;
}

/* The shortest texts that the conversions of a format stand for, if it can have made this text. */
static bool take_apart(const char *format, const char *text, struct span *spans, size_t left)
{
  while (*format && (*format != '%' || format[1] == '%')) {
    if (*format != *text++) return false;
    format += *format == '%' ? 2 : 1;
  }
  if (!*format) return !*text;
  if (!left) return false;
  const char *literal = behind(format);
  const bool figure = literal[-1] != 's';
  const size_t whole = strlen(text);
  for (size_t length = !*literal ? whole : figure ? 1 : 0; length <= whole; length++) {
    if (figure && !is_figure(text, length)) return false;
    *spans = (struct span){ text, length };
    if (take_apart(literal, text + length, spans + 1, left - 1)) return true;
  }
  return false;
}

/* The other language's format, with these texts for its conversions. */
static void put_together(const char *format, const char *const *texts, char *out, size_t size)
{
  size_t length = 0, next = 0;
  while (*format && length + 1 < size) {
    if (*format != '%' || format[1] == '%') {
      out[length++] = *format;
      format += *format == '%' ? 2 : 1;
      continue;
    }
    const bool numbered = isdigit((unsigned char)format[1]) && format[2] == '$';
    const char *text = texts[numbered ? (size_t)(format[1] - '1') : next];
    const size_t whole = strlen(text), taken = whole < size - 1 - length ? whole : size - 1 - length;
    memcpy(out + length, text, taken);
    length += taken, next++, format = behind(format);
  }
  out[length] = '\0';
}

/* -- of reports -- */

/* `said` by `format`, put into `other`. */
static bool translate(const char *format, const char *other, const char *said, char *out, size_t size)
{
  struct span spans[SPANS] = { 0 };
  char copies[SPANS][TEXT];
  const char *texts[SPANS];
  if (!take_apart(format, said, spans, SPANS)) return false;
  for (size_t k = 0; k < SPANS; k++) {
    snprintf(copies[k], TEXT, "%.*s", (int)(spans[k].length < TEXT ? spans[k].length : TEXT - 1),
             spans[k].at ? spans[k].at : "");
    texts[k] = copies[k];
  }
  put_together(other, texts, out, size);
  return true;
}

bool report_sentence_of(enum report_language language, const char *format, const char *text, char *out, size_t size)
{
  return translate(format, report_words(language, format), text, out, size);
}

const char *report_sentence(enum report_language language, const char *english, char *out, size_t size)
{
  const char *const *row;
  snprintf(out, size, "%s", english);
  for (size_t k = 0; language != REPORT_ENGLISH && (row = report_words_row(k)); k++)
    if (translate(row[REPORT_ENGLISH], row[language], english, out, size)) break;
  return out;
}

/* -- of the service -- */

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const char *row_of(const char *const (*table)[2], size_t count, const char *english)
{
  for (size_t k = 0; english && k < count; k++)
    if (!strcmp(table[k][0], english)) return table[k][1];
  return NULL;
}

/* Two words of letters one after the other are more than a name. */
static bool is_sentence(const char *text)
{
  size_t letters = 0, in_row = 0;
  for (; *text; text++) {
    if (isalpha((unsigned char)*text)) {
      if (++letters == 2 && ++in_row == 2) return true;
      continue;
    }
    if (*text != ' ' || letters < 2) in_row = 0;
    letters = 0;
  }
  return false;
}

static bool by_sentence(const char *english, char *out, size_t size, size_t depth);

/* A place of a sentence: a word, a sentence of its own, or what is no language. */
static bool by_place(const char *text, char *out, size_t size, size_t depth)
{
  const char *word = row_of(words, COUNT(words), text);
  if (word || !is_sentence(text)) return snprintf(out, size, "%s", word ? word : text), true;
  return depth && by_sentence(text, out, size, depth - 1);
}

static bool by_row(const char *format, const char *other, const char *english, char *out, size_t size, size_t depth)
{
  struct span spans[SPANS] = { 0 };
  char copy[TEXT], said[SPANS][TEXT];
  const char *texts[SPANS];
  if (!take_apart(format, english, spans, SPANS)) return false;
  for (size_t k = 0; k < SPANS; k++) {
    texts[k] = said[k], *said[k] = '\0';
    if (!spans[k].at || spans[k].length >= TEXT) continue;
    snprintf(copy, sizeof copy, "%.*s", (int)spans[k].length, spans[k].at);
    if (!by_place(copy, said[k], TEXT, depth)) return false;
  }
  put_together(other, texts, out, size);
  return true;
}

static bool by_sentence(const char *english, char *out, size_t size, size_t depth)
{
  for (size_t k = 0; k < COUNT(sentences); k++)
    if (by_row(sentences[k][0], sentences[k][1], english, out, size, depth)) return true;
  return false;
}

/* Where the sentence that begins here ends: before the blank that follows a full stop, if a capital or digit is next. */
static size_t sentence_length(const char *text)
{
  const char *end = text;
  while ((end = strstr(end, ". ")) != NULL && !isupper((unsigned char)end[2]) && !isdigit((unsigned char)end[2])) end++;
  return end ? (size_t)(end + 1 - text) : strlen(text);
}

static bool by_sentences(const char *english, char *out, size_t size)
{
  char one[TEXT];
  size_t length = 0;
  *out = '\0';
  while (*english) {
    const size_t whole = sentence_length(english);
    if (whole >= sizeof one || length + 1 >= size) return false;
    snprintf(one, sizeof one, "%.*s", (int)whole, english);
    if (!by_sentence(one, out + length, size - length, DEPTH)) return false;
    length += strlen(out + length), english += whole, english += *english == ' ';
  }
  return true;
}

/* Its numbers, with the units behind them, as "（12 %、3.4 s）". */
static void write_numbers(const char *text, char *out, size_t size)
{
  static const char *const units[] = { "%", "N m", "N", "rad/s", "rad", "m/s", "m", "ms", "s", "Hz", "kg" };
  size_t length = 0, count = 0;
  for (const char *at = text; *at && count < 8 && length < size;) {
    size_t digits = strspn(at, "-+0123456789.e");
    const bool number = isdigit((unsigned char)at[*at == '-']) && (at == text || strchr(" ([", at[-1]));
    if (!number) {
      at++;
      continue;
    }
    while (digits && !isdigit((unsigned char)at[digits - 1])) digits--;
    size_t unit = 0;
    for (size_t k = 0; k < COUNT(units) && at[digits] == ' ' && !unit; k++)
      if (!strncmp(at + digits + 1, units[k], strlen(units[k])) &&
          !isalnum((unsigned char)at[digits + 1 + strlen(units[k])]))
        unit = 1 + strlen(units[k]);
    length += (size_t)snprintf(out + length, size - length, "%s%.*s", count++ ? "、" : "（", (int)(digits + unit), at);
    at += digits + unit;
  }
  if (count && length < size) snprintf(out + length, size - length, "）");
}

const char *report_said(enum report_language language, const char *code, const char *english, char *out, size_t size)
{
  snprintf(out, size, "%s", english);
  if (language == REPORT_ENGLISH || !is_sentence(english)) return out;
  if (by_sentences(english, out, size) || by_sentence(english, out, size, DEPTH)) return out;
  const char *meaning = row_of(codes, COUNT(codes), code);
  snprintf(out, size, "%s", meaning ? meaning : "服务信息");
  write_numbers(english, out + strlen(out), size - strlen(out));
  return out;
}
