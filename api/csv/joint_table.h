/* An arm as a table: a row for each joint from the base to the tool, Denavit-Hartenberg parameters and what is known of
 * links and drives. The first line names the columns, in any order, and states their units: `type,convention,a
 * [mm],alpha [deg],d [mm], offset [deg|mm],mass [kg]`. Of a column whose unit depends on the joint both stand there,
 * that of revolute joints first. */
#ifndef API_CSV_JOINT_TABLE_H
#define API_CSV_JOINT_TABLE_H

#include "api/wire/faults.h"
#include "armdyn/robot.h"

/*   text, length  in
 *   name          in   of the model, needed: a table has none; NULL is a fault
 *   robot         out  complete unless refused; not yet held against the library's rules
 *   faults        out  every fault, with its line; NULL = not wanted
 * OK, EINPUT. */
enum armdyn_status joint_table_decode(const char *text, size_t length, const char *name,
                                      struct armdyn_robot_description *robot, struct faults *faults);

#endif
