/* A map: boxes of two quantities that tile a larger one, shaded by how near each comes to a limit. Inline SVG in an HTML
 * figure, as plots are. */
#ifndef API_REPORT_TILES_H
#define API_REPORT_TILES_H

#include "api/wire/buffer.h"

struct tile {
  double low[2], high[2];
  double part; /* of the limit; above 1, and NAN: beyond */
};

struct tile_map {
  const char *title;
  const char *axes[2]; /* titles with units */
  double low[2], high[2];
  const struct tile *tiles;
  size_t count;
  const char *within, *beyond; /* in the legend */
};
void tile_map_write(const struct tile_map *map, struct buffer *out);

#endif
