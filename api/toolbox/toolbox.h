/* Scripts of the Robotics Toolbox for MATLAB (Corke) that write a serial arm down: assignments and constructor calls
 * become a model of convention `dh` or `mdh`. Nothing is executed: there are no loops, conditions or functions of the
 * script's own, and what is not known is refused with its line.
 *
 * Read: Link([theta d a alpha sigma offset], 'modified'), Link, Revolute, Prismatic, RevoluteMDH and PrismaticMDH with
 * names and values, SerialLink of links or of a table of rows, assignments to members of links and of the robot,
 * constants and arithmetic with them. Meaning of the members: Corke, Robotics, Vision and Control, ch. 7 and 9, and the
 * toolbox's help texts. */
#ifndef API_TOOLBOX_TOOLBOX_H
#define API_TOOLBOX_TOOLBOX_H

#include <stdbool.h>

#include "api/codec/notes.h"
#include "api/wire/faults.h"
#include "armdyn/robot.h"

/*   text, length  in
 *   name          in   of the model; NULL: the script's 'name', else its variable's, made legal
 *   robot         out  complete unless refused; not yet held against the library's rules (api/codec/imported.h)
 *   notes         out  added to: what was taken though it is doubtful; NULL = not wanted
 *   faults        out  the first fault, with its line; NULL = not wanted
 * OK, ESYNTAX (HTTP 400), EINPUT (422), EMEMORY. */
enum armdyn_status toolbox_decode(const char *text, size_t length, const char *name,
                                  struct armdyn_robot_description *robot, struct robot_notes *notes,
                                  struct faults *faults);

#endif
