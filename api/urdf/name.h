/* Names of ours, made of whatever a URDF calls things. */
#ifndef API_URDF_NAME_H
#define API_URDF_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "armdyn/robot.h"

/* Lower-case letters, digits, '.', '_' and '-'. */
bool urdf_name_has(char c);

/* "KUKA LWR 4+" becomes "kuka-lwr-4-"; what comes before the first letter or digit is left out; "" when there is none.
 *   from, length  in
 *   name          out  cut off where it would be too long */
void urdf_name_make(const char *from, size_t length, char name[ARMDYN_NAME_SIZE]);

#endif
