#include "api/report/tiles.h"

#include <math.h>

#include "api/report/axes.h"
#include "api/report/markup.h"

enum { WIDTH = 720, HEIGHT = 420, LEFT = 76, RIGHT = 14, TOP = 10, BOTTOM = 46 };
enum { WITHIN, BEYOND }; /* colours of series */

static void write_tile(struct buffer *out, const struct tile *tile, const struct scale *x, const struct scale *y)
{
  char figure[MARKUP_FIGURE];
  const bool within = tile->part <= 1;
  const double left = scale_pixel(x, tile->low[0]), right = scale_pixel(x, tile->high[0]);
  const double bottom = scale_pixel(y, tile->low[1]), top = scale_pixel(y, tile->high[1]);
  buffer_format(out, "<rect class=\"fill s%d\" stroke=\"var(--page)\" fill-opacity=\"%.2f\"", within ? WITHIN : BEYOND,
                within ? 0.15 + 0.6 * fmax(0, tile->part) : 0.85);
  axes_number(out, " x=\"", left);
  axes_number(out, "\" y=\"", top);
  axes_number(out, "\" width=\"", right - left);
  axes_number(out, "\" height=\"", bottom - top);
  buffer_format(out, "\"><title>%s %%</title></rect>\n", markup_figure(100 * tile->part, figure));
}

void tile_map_write(const struct tile_map *map, struct buffer *out)
{
  const struct scale x = { .from = map->low[0], .to = map->high[0], .start = LEFT, .end = WIDTH - RIGHT };
  const struct scale y = { .from = map->low[1], .to = map->high[1], .start = HEIGHT - BOTTOM, .end = TOP };
  buffer_text(out, "<figure>\n<figcaption>");
  markup_text(out, map->title);
  buffer_format(out, "</figcaption>\n<svg class=\"plot\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", WIDTH,
                HEIGHT);
  markup_text(out, map->title);
  buffer_text(out, "\">\n");
  axes_write(out, &x, &y, map->axes[0], map->axes[1]);
  for (size_t k = 0; k < map->count; k++) write_tile(out, &map->tiles[k], &x, &y);
  buffer_text(out, "</svg>\n<ul class=\"legend\">\n");
  legend_entry(out, "fill", WITHIN, map->within);
  legend_entry(out, "fill", BEYOND, map->beyond);
  buffer_text(out, "</ul>\n</figure>\n");
}
