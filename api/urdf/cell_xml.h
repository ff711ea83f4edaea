/* Cells as worlds of SDF (http://sdformat.org/spec), or as URDFs, and back as SDF.
 *
 * Read: every <collision> of every link, where it stands while all joints are at 0: boxes, spheres, cylinders, capsules and
 * planes. What cannot be taken is refused, not left out: an obstacle that is missing is hit. A frame of the world that is
 * called arm_base is where the arm's base stands. */
#ifndef API_URDF_CELL_XML_H
#define API_URDF_CELL_XML_H

#include "api/codec/cell.h"

/* Read a whole document.
 *   name    in   of the cell; NULL: that of the world, the model or the robot, made legal
 *   cell    out  release what is accepted
 *   faults  out  every fault found, with XPath and line
 * OK, ESYNTAX, EINPUT, EMEMORY. */
enum armdyn_status cell_xml_decode(const char *text, size_t length, const char *name, struct cell_document *cell,
                                   struct faults *faults);
/* As a world of SDF 1.8. Hulls of points, which SDF has no shape for, become the boxes around them, with a comment. */
void cell_xml_encode(const struct cell_document *cell, struct buffer *out);

#endif
