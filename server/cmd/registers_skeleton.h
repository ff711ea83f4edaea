/* Structured text (IEC 61131-3) of the controller's side of register protocol v1: doorbell, windows, checksums. */
#ifndef SERVER_CMD_REGISTERS_SKELETON_H
#define SERVER_CMD_REGISTERS_SKELETON_H

#include <stddef.h>

extern const char *const registers_skeleton[];
extern const size_t registers_skeleton_lines;

#endif
