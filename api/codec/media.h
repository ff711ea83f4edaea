/* The formats that bodies travel in, and how requests and answers choose one. */
#ifndef API_CODEC_MEDIA_H
#define API_CODEC_MEDIA_H

enum media {
  MEDIA_JSON,
  MEDIA_NPY,
  MEDIA_CSV,
  MEDIA_XML,
  MEDIA_HTML,
  MEDIA_MERGE_PATCH,
  MEDIA_JAVASCRIPT,
  MEDIA_CSS,
  MEDIA_SVG,
  MEDIA_EVENTS,
  MEDIA_TEXT,
  MEDIA_STL,
  MEDIA_OBJ,
  MEDIA_MARKDOWN,
  MEDIA_LATEX,
  MEDIA_MATLAB,
  MEDIA_NONE
};

/* "application/json", "application/x-npy", "text/csv", "application/xml", "text/html", "application/merge-patch+json",
 * "text/javascript", "text/css", "image/svg+xml", "text/event-stream", "text/plain", "model/stl", "model/obj", "text/markdown",
 * "application/x-latex" */
const char *media_type(enum media media);
/* Of a Content-Type header (parameters ignored, charset other than utf-8 refused); NULL or unknown: MEDIA_NONE. */
enum media media_of_content_type(const char *header);
/* Of an Accept header with q-values, best first among those offered (a bit mask of 1 << media); NULL header: the first
 * offered. MEDIA_NONE: nothing acceptable. */
enum media media_of_accept(const char *header, unsigned offered);

#endif
