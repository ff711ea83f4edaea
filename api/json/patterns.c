#include <ctype.h>

#include "api/json/fields.h"

/* [a-z0-9][a-z0-9._-]{0,63} */
static bool is_name(const char *text)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789._-";
  size_t length = strlen(text);
  return length >= 1 && length <= 64 && strspn(text, letters) == length && !strchr("._-", text[0]);
}

/* An ULID: 26 characters without I, L, O and U; 128 bits, so the first is at most 7. */
static bool is_id(const char *text)
{
  static const char letters[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  return strlen(text) == 26 && strspn(text, letters) == 26 && text[0] <= '7';
}

static int two_digits(const char *at)
{
  return (at[0] - '0') * 10 + (at[1] - '0');
}

/* "Z", "+02:00" */
static bool is_offset(const char *text)
{
  static const char form[] = "dd:dd";
  if (*text == 'Z' || *text == 'z') return !text[1];
  if (*text != '+' && *text != '-') return false;
  text++;
  size_t i = 0;
  for (; form[i]; i++)
    if (form[i] == 'd' ? !isdigit((unsigned char)text[i]) : text[i] != form[i]) return false;
  return !text[i] && two_digits(text) < 24 && two_digits(text + 3) < 60;
}

/* 2025-01-31T12:00:00Z, with any fraction of the second, and any offset */
static bool is_time(const char *text)
{
  static const char form[] = "dddd-dd-ddTdd:dd:dd";
  static const int days[] = { 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
  size_t i = 0;
  for (; form[i]; i++)
    if (form[i] == 'd' ? !isdigit((unsigned char)text[i]) : text[i] != form[i] && !(form[i] == 'T' && text[i] == 't'))
      return false;
  if (text[i] == '.') {
    if (!isdigit((unsigned char)text[++i])) return false;
    while (isdigit((unsigned char)text[i])) i++;
  }
  int year = two_digits(text) * 100 + two_digits(text + 2), month = two_digits(text + 5), day = two_digits(text + 8);
  bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return is_offset(text + i) && month >= 1 && month <= 12 && day >= 1 && day <= days[month - 1] &&
         (month != 2 || day < 29 || leap) && two_digits(text + 11) < 24 && two_digits(text + 14) < 60 &&
         two_digits(text + 17) <= 60;
}

const struct json_pattern json_name_pattern = { is_name,
                                                "1 to 64 of a-z, 0-9, '.', '_' and '-', the first a letter or digit" };
const struct json_pattern json_id_pattern = { is_id, "an id of 26 characters, as the service makes them" };
const struct json_pattern json_time_pattern = { is_time,
                                                "a time such as 2025-01-31T12:00:00Z or 2025-01-31T13:00:00+01:00" };
