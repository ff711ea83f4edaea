/* XML of strangers as a tree, safely: no DOCTYPE and so no entities of its own, nothing fetched, bounded depth. */
#ifndef API_URDF_XML_H
#define API_URDF_XML_H

#include <libxml/tree.h>
#include <stdbool.h>

#include "api/limits.h"
#include "api/wire/faults.h"

/* Where faults go, and how many there were. */
struct xml_reader {
  struct faults *faults; /* NULL: nowhere */
  size_t fault_count;
};

/* Parse a whole document.
 *   doc  out  release with xmlFreeDoc; NULL after a refusal
 * OK; ESYNTAX with one fault; EINPUT with one fault for a DOCTYPE, more than LIMIT_XML_DEPTH levels or more than
 * LIMIT_XML_ATTRIBUTES of an element; EMEMORY. */
enum armdyn_status xml_parse(struct xml_reader *x, const char *text, size_t length, xmlDoc **doc);

/* Add a fault at an element, or at an attribute of it (NULL: the element itself). Format as printf. */
void xml_fault(struct xml_reader *x, const xmlNode *node, const char *attribute, enum fault_code code,
               const char *format, ...) __attribute__((format(printf, 5, 6)));

/* The first child element of this name, and the next of the same name behind a sibling; NULL when there is none. Names may
 * carry the prefix that is usual for them ("drake:gear_ratio"), whether or not the document declares it. */
const xmlNode *xml_child(const xmlNode *parent, const char *name);
const xmlNode *xml_next(const xmlNode *sibling, const char *name);
bool xml_is(const xmlNode *node, const char *name);

/* An attribute's value, NULL when it is not there; lives as long as the document. */
const char *xml_attribute(const xmlNode *node, const char *name);

/* Exactly `count` finite numbers, separated by white space, of magnitude 1e12 at most.
 *   attribute  in  NULL: the text in the element
 *   unit       in  for messages; NULL = none
 * False when there is no such attribute (`values` as they were), or with one fault. */
bool xml_numbers(struct xml_reader *x, const xmlNode *node, const char *attribute, const char *unit, size_t count,
                 double *values);

#endif
