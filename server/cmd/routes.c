#include "server/cmd/command.h"

#include "server/http/router.h"
#include "server/routes/handlers.h"

/* "json,npy,csv" */
static void print_media(unsigned mask)
{
  static const char *const names[] = {
    [MEDIA_JSON] = "json",
    [MEDIA_NPY] = "npy",
    [MEDIA_CSV] = "csv",
    [MEDIA_XML] = "xml",
    [MEDIA_HTML] = "html",
    [MEDIA_MERGE_PATCH] = "merge-patch",
    [MEDIA_JAVASCRIPT] = "javascript",
    [MEDIA_CSS] = "css",
    [MEDIA_SVG] = "svg",
    [MEDIA_EVENTS] = "events",
    [MEDIA_TEXT] = "text",
    [MEDIA_STL] = "stl",
    [MEDIA_OBJ] = "obj",
    [MEDIA_MARKDOWN] = "markdown",
    [MEDIA_LATEX] = "latex",
    [MEDIA_MATLAB] = "matlab",
  };
  const char *comma = "";
  for (size_t media = 0; media < sizeof names / sizeof *names; media++)
    if (mask & TAKES(media)) {
      printf("%s%s", comma, names[media]);
      comma = ",";
    }
}

static void print_words(const char *words)
{
  for (const char *c = words ? words : ""; *c; c++) putchar(*c == ' ' ? ',' : *c);
}

/* One line a call, fields separated by tabs: method, path, operationId, role, query, bodies, answers. */
int command_routes(int argc, char **argv)
{
  (void)argc, (void)argv;
  for (size_t i = 0; i < route_count; i++) {
    const struct route *route = &routes[i];
    printf("%s\t%s\t%s\t%s\t", method_name(route->method), route->path, route->operation_id, role_name(route->role));
    print_words(route->query);
    putchar('\t');
    print_media(route->bodies);
    putchar('\t');
    print_media(route->answers);
    putchar('\n');
  }
  return 0;
}
