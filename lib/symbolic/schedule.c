#include "lib/symbolic/schedule.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST = 10 }; /* operations in one line */

/* While a schedule is made; arrays over the nodes of the graph. */
struct making {
  const struct expr_graph *g;
  uint32_t *uses, *need, *home, *last;
  expr *stack;
  uint8_t *state; /* 0: not seen, 1: its operands are being seen, 2: in order */
};

static bool making_open(struct making *m, const struct expr_graph *g)
{
  *m = (struct making){ .g = g };
  m->uses = calloc(g->count, sizeof *m->uses);
  m->need = calloc(g->count, sizeof *m->need);
  m->home = calloc(g->count, sizeof *m->home);
  m->last = calloc(g->count, sizeof *m->last);
  m->stack = calloc(3 * g->count + 3, sizeof *m->stack);
  m->state = calloc(g->count, sizeof *m->state);
  return m->uses && m->need && m->home && m->last && m->stack && m->state;
}

static void making_close(struct making *m)
{
  free(m->uses);
  free(m->need);
  free(m->home);
  free(m->last);
  free(m->stack);
  free(m->state);
}

/* How many values a node needs at once if nothing of it were shared (Sethi & Ullman 1970), and how often it is used. */
static void weigh(struct making *m, const expr *roots, size_t count)
{
  const struct expr_graph *g = m->g;
  for (size_t k = 0; k < g->count; k++) {
    const unsigned arity = expr_arity(g->nodes[k].op);
    expr operands[3];
    expr_operands(&g->nodes[k], operands);
    m->need[k] = arity > 0;
    for (unsigned o = 0; o < arity; o++) {
      const uint32_t of = m->need[operands[o]];
      m->need[k] = of > m->need[k] ? of : of == m->need[k] && o > 0 ? of + 1 : m->need[k];
    }
  }
  for (size_t k = 0; k < count; k++) m->uses[roots[k]]++;
  for (size_t k = g->count; k-- > 0;) {
    expr operands[3];
    expr_operands(&g->nodes[k], operands);
    for (unsigned o = 0; o < expr_arity(g->nodes[k].op) && m->uses[k]; o++) m->uses[operands[o]]++;
  }
}

/* Depth first, what needs most before the rest. */
static void visit(struct making *m, expr root, struct schedule *s)
{
  const struct expr_graph *g = m->g;
  size_t top = 0;
  m->stack[top++] = root;
  while (top > 0) {
    const expr at = m->stack[top - 1];
    const unsigned arity = expr_arity(g->nodes[at].op);
    expr operands[3];
    if (arity == 0 || m->state[at]) {
      top--;
      if (arity > 0 && m->state[at] == 1) s->order[s->count++] = at;
      if (arity > 0) m->state[at] = 2;
      continue;
    }
    m->state[at] = 1;
    expr_operands(&g->nodes[at], operands);
    for (unsigned i = 0; i < arity; i++) { /* the neediest comes last onto the stack */
      for (unsigned j = i + 1; j < arity; j++) {
        if (m->need[operands[j]] >= m->need[operands[i]]) continue;
        const expr swap = operands[i];
        operands[i] = operands[j];
        operands[j] = swap;
      }
    }
    for (unsigned i = 0; i < arity; i++) {
      if (!m->state[operands[i]]) m->stack[top++] = operands[i];
    }
  }
}

/* Sines and cosines of the joints' angles, before all else: what they are called by need not keep other values meanwhile. */
static void visit_angles(struct making *m, struct schedule *s)
{
  const struct expr_graph *g = m->g;
  for (expr at = 0; at < g->count; at++) {
    const enum expr_op op = g->nodes[at].op;
    if (m->uses[at] == 0 || (op != EXPR_SINE && op != EXPR_COSINE)) continue;
    const struct expr_node *angle = &g->nodes[g->nodes[at].a];
    expr operands[3];
    bool leaves = true;
    expr_operands(angle, operands);
    for (unsigned o = 0; o < expr_arity(angle->op); o++) leaves = leaves && !expr_arity(g->nodes[operands[o]].op);
    if (leaves) visit(m, at, s);
  }
}

/* Names, in the order of computing. `length` counts the operations that stand in one line. */
static void give_names(struct making *m, const expr *roots, size_t count, unsigned apart, bool keep, struct schedule *s)
{
  const struct expr_graph *g = m->g;
  uint32_t *length = m->need;
  memset(length, 0, g->count * sizeof *length);
  for (size_t k = 0; k < count; k++) m->last[roots[k]] = keep; /* marks those that need a name */
  for (size_t k = 0; k < s->count; k++) {
    const expr at = s->order[k];
    const enum expr_op op = g->nodes[at].op;
    expr operands[3];
    expr_operands(&g->nodes[at], operands);
    length[at] = 1;
    for (unsigned o = 0; o < expr_arity(op); o++) length[at] += s->name[operands[o]] ? 0 : length[operands[o]];
    /* a sign is written before a name as often as it is used */
    const bool sign = op == EXPR_NEGATE && (s->name[operands[0]] || !expr_arity(g->nodes[operands[0]].op));
    const bool shared = (m->uses[at] > 1 || op == EXPR_SINE || op == EXPR_COSINE) && !sign;
    if (shared || length[at] >= LONGEST || (apart >> op & 1) || m->last[at]) s->name[at] = (uint32_t)++s->names;
  }
}

/* Until when each named value is read: the place of the last line that it stands in. */
static void find_lives(struct making *m, const expr *roots, size_t count, const struct schedule *s)
{
  const struct expr_graph *g = m->g;
  memset(m->last, 0, g->count * sizeof *m->last);
  memset(m->home, 0, g->count * sizeof *m->home);
  for (size_t k = 0; k < count; k++) m->home[roots[k]] = m->last[roots[k]] = (uint32_t)s->count;
  for (size_t k = s->count; k-- > 0;) {
    const expr at = s->order[k];
    expr operands[3];
    expr_operands(&g->nodes[at], operands);
    const uint32_t line = s->name[at] ? (uint32_t)k : m->home[at];
    for (unsigned o = 0; o < expr_arity(g->nodes[at].op); o++) {
      const expr x = operands[o];
      if (m->last[x] < line) m->last[x] = line;
      if (m->home[x] < line) m->home[x] = line;
    }
  }
}

bool schedule_is_sine(const struct expr_graph *g, expr at)
{
  const struct expr_node *node = &g->nodes[at];
  return (node->op == EXPR_SINE || node->op == EXPR_COSINE) && g->nodes[node->a].op == EXPR_INPUT;
}

/* Slots are given when a value comes and free again after the line that reads it last. */
static bool give_slots(struct making *m, struct schedule *s)
{
  uint32_t *until = calloc(s->names + 1, sizeof *until); /* of each slot */
  if (!until) return false;
  for (size_t k = 0; k < s->count; k++) {
    const expr at = s->order[k];
    if (!s->name[at]) continue;
    if (schedule_is_sine(m->g, at)) {
      s->sines++;
      continue;
    }
    size_t slot = 1;
    while (slot <= s->slots && until[slot] > k) slot++;
    if (slot > s->slots) s->slots = slot;
    s->slot[at] = (uint32_t)slot;
    until[slot] = m->last[at];
  }
  free(until);
  return true;
}

bool schedule_make(const struct expr_graph *g, const expr *roots, size_t count, unsigned apart, bool keep,
                   struct schedule *out)
{
  struct making m;
  *out = (struct schedule){ 0 };
  out->order = calloc(g->count, sizeof *out->order);
  out->name = calloc(g->count, sizeof *out->name);
  out->slot = calloc(g->count, sizeof *out->slot);
  bool made = making_open(&m, g) && out->order && out->name && out->slot;
  if (made) {
    weigh(&m, roots, count);
    visit_angles(&m, out);
    for (size_t k = count; k-- > 0;) visit(&m, roots[k], out);
    give_names(&m, roots, count, apart, keep, out);
    find_lives(&m, roots, count, out);
    made = give_slots(&m, out);
  }
  making_close(&m);
  if (!made) schedule_release(out);
  return made;
}

void schedule_release(struct schedule *s)
{
  free(s->order);
  free(s->name);
  free(s->slot);
  *s = (struct schedule){ 0 };
}
