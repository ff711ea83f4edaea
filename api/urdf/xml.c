#include "api/urdf/xml.h"

#include <ctype.h>
#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <math.h>
#include <strings.h>

static const double MAGNITUDE_MAX = 1e12; /* as armdyn_robot_new has it */

/* -- parsing -- */

/* What the hooks below found: the parser is stopped there, so that nothing of it is ever worked through. */
struct refusals {
  int doctype_line, depth_line; /* 0: none */
};

static void meet_doctype(void *context, const xmlChar *name, const xmlChar *external_id, const xmlChar *system_id)
{
  (void)name, (void)external_id, (void)system_id;
  struct _xmlParserCtxt *parser = context;
  struct refusals *refusals = parser->_private;
  refusals->doctype_line = xmlSAX2GetLineNumber(parser);
  xmlStopParser(parser);
}

static void meet_element(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri,
                         int namespace_count, const xmlChar **namespaces, int attribute_count, int defaulted_count,
                         const xmlChar **attributes)
{
  struct _xmlParserCtxt *parser = context;
  struct refusals *refusals = parser->_private;
  if (parser->nodeNr < LIMIT_XML_DEPTH) {
    xmlSAX2StartElementNs(context, name, prefix, uri, namespace_count, namespaces, attribute_count, defaulted_count,
                          attributes);
    return;
  }
  if (!refusals->depth_line) refusals->depth_line = xmlSAX2GetLineNumber(parser);
  xmlStopParser(parser);
}

static void fault_at(struct xml_reader *x, const char *xpath, size_t line, enum fault_code code, const char *format,
                     ...) __attribute__((format(printf, 5, 6)));
static void fault_at(struct xml_reader *x, const char *xpath, size_t line, enum fault_code code, const char *format,
                     ...)
{
  va_list arguments;
  va_start(arguments, format);
  fault_add_node(x->faults, xpath, line, code, format, arguments);
  va_end(arguments);
  x->fault_count++;
}

/* -- attributes, counted before the parser sees them: it compares each with each -- */

/* Behind the end of what began at `at`, or the end of the text. */
static const char *behind(const char *at, const char *end, const char *closing)
{
  const char *found = memmem(at, (size_t)(end - at), closing, strlen(closing));
  return found ? found + strlen(closing) : end;
}

/* The `=` outside quotes in the tag at `at`, which moves to its end: a `<` ends it too, in quotes as well. */
static size_t count_attributes(const char **at, const char *end)
{
  size_t count = 0;
  char quote = 0;
  for (++*at; *at < end && **at != '<' && (quote || **at != '>'); ++*at) {
    if (quote)
      quote = **at == quote ? 0 : quote;
    else if (**at == '"' || **at == '\'')
      quote = **at;
    else
      count += **at == '=';
  }
  return count;
}

/* The first tag with too many attributes, or NULL. What is not well-formed may be seen in another way than by the parser,
 * but only behind the place where the parser stops. */
static const char *crowded_tag(const char *text, const char *end)
{
  for (const char *at = text; (at = memchr(at, '<', (size_t)(end - at)));) {
    const char *tag = at;
    size_t left = (size_t)(end - at);
    if (left >= 4 && !memcmp(at, "<!--", 4)) {
      at = behind(at + 4, end, "-->");
    } else if (left >= 9 && !memcmp(at, "<![CDATA[", 9)) {
      at = behind(at + 9, end, "]]>");
    } else if (left >= 2 && at[1] == '?') {
      at = behind(at + 2, end, "?>");
    } else if (count_attributes(&at, end) > LIMIT_XML_ATTRIBUTES) {
      return tag;
    }
  }
  return NULL;
}

static size_t line_of(const char *text, const char *at)
{
  size_t line = 1;
  for (; text < at; text++) line += *text == '\n';
  return line;
}

/* The parser's own words, in one line. */
static void syntax_fault(struct xml_reader *x, const xmlError *error)
{
  char words[160];
  snprintf(words, sizeof words, "%s", error->message ? error->message : "the document is empty or ends too early");
  for (char *c = words; *c; c++)
    if (!isprint((unsigned char)*c)) *c = c[1] ? ' ' : 0;
  size_t line = error->line > 0 ? (size_t)error->line : 1;
  fault_at(x, "", line, FAULT_SYNTAX, "not well-formed XML at line %zu, column %d: %s", line, error->int2, words);
}

/* Else the parser would go on reading what nobody will see. */
static void meet_error(void *context, xmlError *error)
{
  if (error->level == XML_ERR_FATAL) xmlStopParser(context);
}

static enum armdyn_status judge(struct xml_reader *x, const xmlParserCtxt *parser, const struct refusals *refusals)
{
  if (refusals->doctype_line) {
    fault_at(x, "", (size_t)refusals->doctype_line, FAULT_UNSUPPORTED,
             "a DOCTYPE is not taken: entities and external parts have no place in a URDF");
    return ARMDYN_EINPUT;
  }
  if (refusals->depth_line) {
    fault_at(x, "", (size_t)refusals->depth_line, FAULT_MAXIMUM, "elements may be nested %d deep at most",
             LIMIT_XML_DEPTH);
    return ARMDYN_EINPUT;
  }
  /* it may fail for want of memory before it can note that */
  if (parser->lastError.code == XML_ERR_NO_MEMORY || parser->lastError.code == XML_ERR_OK) return ARMDYN_EMEMORY;
  syntax_fault(x, &parser->lastError);
  return ARMDYN_ESYNTAX;
}

enum armdyn_status xml_parse(struct xml_reader *x, const char *text, size_t length, xmlDoc **doc)
{
  struct refusals refusals = { 0 };
  enum armdyn_status status = ARMDYN_OK;
  *doc = NULL;
  if (length > INT_MAX) return ARMDYN_ELIMIT;
  const char *crowded = crowded_tag(text, text + length);
  if (crowded) {
    fault_at(x, "", line_of(text, crowded), FAULT_MAXIMUM, "an element may have %d attributes at most",
             LIMIT_XML_ATTRIBUTES);
    return ARMDYN_EINPUT;
  }
  xmlParserCtxt *parser = xmlNewParserCtxt();
  if (!parser) return ARMDYN_EMEMORY;
  parser->_private = &refusals;
  parser->sax->internalSubset = meet_doctype;
  parser->sax->startElementNs = meet_element;
  parser->sax->serror = meet_error;
  /* NOENT: there are only the five entities that every document has; they become plain text */
  const int options = XML_PARSE_NONET | XML_PARSE_NOENT | XML_PARSE_NOCDATA | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
                      XML_PARSE_BIG_LINES | XML_PARSE_IGNORE_ENC;
  xmlDoc *parsed = xmlCtxtReadMemory(parser, text, (int)length, NULL, "UTF-8", options);
  bool whole = parsed && xmlDocGetRootElement(parsed) && parser->lastError.code != XML_ERR_NO_MEMORY;
  if (!whole || refusals.doctype_line || refusals.depth_line) {
    status = judge(x, parser, &refusals);
  } else {
    *doc = parsed;
    parsed = NULL;
  }
  xmlFreeDoc(parsed);
  xmlFreeParserCtxt(parser);
  return status;
}

/* -- faults -- */

void xml_fault(struct xml_reader *x, const xmlNode *node, const char *attribute, enum fault_code code,
               const char *format, ...)
{
  char place[256] = "";
  bool listed = x->faults && x->faults->count < LIMIT_FAULTS; /* else it is only counted */
  xmlChar *path = listed ? xmlGetNodePath(node) : NULL;
  snprintf(place, sizeof place, "%s%s%s", path ? (const char *)path : "", attribute ? "/@" : "",
           attribute ? attribute : "");
  xmlFree(path);
  long line = listed ? xmlGetLineNo(node) : 0;
  va_list arguments;
  va_start(arguments, format);
  fault_add_node(x->faults, place, line > 0 ? (size_t)line : 0, code, format, arguments);
  va_end(arguments);
  x->fault_count++;
}

/* -- elements and attributes -- */

bool xml_is(const xmlNode *node, const char *name)
{
  if (node->type != XML_ELEMENT_NODE) return false;
  const char *colon = strchr(name, ':'), *own = (const char *)node->name;
  if (!node->ns || !node->ns->prefix) return strcmp(own, name) == 0;
  const char *prefix = (const char *)node->ns->prefix;
  return colon && strlen(prefix) == (size_t)(colon - name) && strncmp(prefix, name, (size_t)(colon - name)) == 0 &&
         strcmp(own, colon + 1) == 0;
}

static const xmlNode *first_of(const xmlNode *node, const char *name)
{
  while (node && !xml_is(node, name)) node = node->next;
  return node;
}

const xmlNode *xml_child(const xmlNode *parent, const char *name)
{
  return parent ? first_of(parent->children, name) : NULL;
}

const xmlNode *xml_next(const xmlNode *sibling, const char *name)
{
  return first_of(sibling->next, name);
}

const char *xml_attribute(const xmlNode *node, const char *name)
{
  for (const xmlAttr *a = node->properties; a; a = a->next)
    if (!a->ns && strcmp((const char *)a->name, name) == 0)
      return a->children && a->children->content ? (const char *)a->children->content : "";
  return NULL;
}

/* The text in an element, "" when there is none; lives as long as the document. */
static const char *xml_text(const xmlNode *node)
{
  for (const xmlNode *child = node->children; child; child = child->next)
    if (child->type == XML_TEXT_NODE && !xmlIsBlankNode(child)) return (const char *)child->content;
  return "";
}

/* -- numbers -- */

static bool is_space(char c)
{
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static const char *digits(const char *at)
{
  return at + strspn(at, "0123456789");
}

/* A decimal number as C and Python write it: +.5e-3 and 1. are fine, hexadecimal and "nan" are not. The first byte behind
 * it, or NULL. */
static const char *decimal_end(const char *at)
{
  at += *at == '+' || *at == '-';
  const char *whole = digits(at), *end = whole;
  if (*whole == '.') end = digits(whole + 1);
  if (end - at - (*whole == '.') < 1) return NULL;
  if (*end != 'e' && *end != 'E') return end;
  at = end + 1;
  at += *at == '+' || *at == '-';
  end = digits(at);
  return end > at ? end : NULL;
}

static bool is_not_finite(const char *word)
{
  word += *word == '+' || *word == '-';
  return !strncasecmp(word, "nan", 3) || !strncasecmp(word, "inf", 3);
}

bool xml_numbers(struct xml_reader *x, const xmlNode *node, const char *attribute, const char *unit, size_t count,
                 double *values)
{
  const char *text = attribute ? xml_attribute(node, attribute) : xml_text(node), *at = text;
  if (!text) return false;
  double read[6] = { 0 }; /* no table of URDF is longer */
  size_t found = 0;
  const char *plural = count == 1 ? "a finite number" : "finite numbers", *of = unit ? unit : "no unit";
  for (;; found++) {
    while (is_space(*at)) at++;
    if (!*at) break;
    const char *end = decimal_end(at);
    if (!end || (*end && !is_space(*end))) {
      enum fault_code code = is_not_finite(at) ? FAULT_FINITE : FAULT_TYPE;
      xml_fault(x, node, attribute, code, "must be %s (%s), got '%.64s'", plural, of, text);
      return false;
    }
    if (found < count) read[found] = strtod(at, NULL);
    if (found < count && !(fabs(read[found]) <= MAGNITUDE_MAX)) {
      xml_fault(x, node, attribute, FAULT_MAXIMUM, "magnitude must be <= %g (%s), got '%.64s'", MAGNITUDE_MAX, of,
                text);
      return false;
    }
    at = end;
  }
  if (found != count) {
    xml_fault(x, node, attribute, FAULT_LENGTH, "must be %zu number%s (%s), got %zu: '%.64s'", count,
              count == 1 ? "" : "s", of, found, text);
    return false;
  }
  memcpy(values, read, count * sizeof *values);
  return true;
}
