/* What shows the links of a URDF, and the meshes of them that collide. */
#ifndef API_URDF_VISUALS_H
#define API_URDF_VISUALS_H

#include "api/codec/notes.h"
#include "api/urdf/rigid.h"
#include "api/urdf/xml.h"

/* Where a URDF link is in the model. */
struct visual_place {
  const char *joint;         /* whose link it is part of; "": the base */
  const struct rigid *frame; /* of the URDF link in that link frame; NULL: they are one */
};

/* Add every <visual> of a link to the model's visuals, and behind them every <collision> that is a mesh. A picture is no reason
 * to refuse an arm: what cannot be taken is left out, with a note.
 *   robot   in   the <robot>, whose materials may be named
 *   link    in   the <link>
 *   model   in, out
 *   notes   out  added to; NULL = not wanted */
void urdf_visuals_read(const xmlNode *robot, const xmlNode *link, const struct visual_place *place,
                       struct armdyn_robot_description *model, struct robot_notes *notes);

#endif
