#include "api/urdf/name.h"

#include <ctype.h>

bool urdf_name_has(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

void urdf_name_make(const char *from, size_t length, char name[ARMDYN_NAME_SIZE])
{
  size_t used = 0;
  for (size_t i = 0; i < length && used < ARMDYN_NAME_SIZE - 1; i++) {
    char c = (char)tolower((unsigned char)from[i]);
    if (!urdf_name_has(c)) c = '-';
    if (used || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) name[used++] = c;
  }
  name[used] = 0;
}
