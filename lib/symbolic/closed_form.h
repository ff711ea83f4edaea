/* The closed form of a short arm, as a textbook has it: mass matrix, Coriolis matrix and gravity in the arm's own symbols. */
#ifndef LIB_SYMBOLIC_CLOSED_FORM_H
#define LIB_SYMBOLIC_CLOSED_FORM_H

#include "lib/model/compiled.h"
#include "lib/symbolic/polynomial.h"

enum { CLOSED_JOINTS = 4 };

/* Symbols of joint and link i = 0 .. 3; those of one kind follow each other. The order is that of factors in print. */
enum closed_symbol {
  CLOSED_INERTIA = 0,                 /* Ixx Iyy Izz Ixy Ixz Iyz about the centre of mass, axes of the joint's frame */
  CLOSED_MASS = 6 * CLOSED_JOINTS,    /* m */
  CLOSED_ROTOR = 7 * CLOSED_JOINTS,   /* J, reflected */
  CLOSED_GRAVITY = 8 * CLOSED_JOINTS, /* g */
  CLOSED_LENGTH = CLOSED_GRAVITY + 1, /* a: the joint's axis from that before, along x */
  CLOSED_OFFSET = CLOSED_LENGTH + CLOSED_JOINTS, /* b: and along y */
  CLOSED_X = CLOSED_OFFSET + CLOSED_JOINTS,      /* centre of mass */
  CLOSED_Y = CLOSED_X + CLOSED_JOINTS,
  CLOSED_Z = CLOSED_Y + CLOSED_JOINTS,
  CLOSED_SLIDE = CLOSED_Z + CLOSED_JOINTS,      /* position of a slide */
  CLOSED_COSINE = CLOSED_SLIDE + CLOSED_JOINTS, /* of the sum of angles of parallel axes up to this one */
  CLOSED_SINE = CLOSED_COSINE + CLOSED_JOINTS,
  CLOSED_COSINE_BETWEEN = CLOSED_SINE + CLOSED_JOINTS, /* [4 i + j]: of the sum from behind i up to j */
  CLOSED_SINE_BETWEEN = CLOSED_COSINE_BETWEEN + CLOSED_JOINTS * CLOSED_JOINTS,
  CLOSED_SPEED = CLOSED_SINE_BETWEEN + CLOSED_JOINTS * CLOSED_JOINTS,
  CLOSED_SYMBOLS = CLOSED_SPEED + CLOSED_JOINTS
};
_Static_assert((int)CLOSED_SYMBOLS <= (int)POLY_SYMBOLS, "room for all symbols");

struct closed_form {
  struct poly_ring ring;
  size_t n;
  bool slides[CLOSED_JOINTS];
  double angle[CLOSED_JOINTS]; /* constant part of a joint's angle: theta = q + angle */
  int first[CLOSED_JOINTS];    /* the joint that the chain of parallel axes began with */
  int sign[CLOSED_JOINTS];     /* how the angle counts in the sum of its chain: 1 or -1; of a slide 0 */
  double value[POLY_SYMBOLS];  /* of the arm's own symbols */
  struct poly M[CLOSED_JOINTS * CLOSED_JOINTS], C[CLOSED_JOINTS * CLOSED_JOINTS], G[CLOSED_JOINTS];
  struct poly V[CLOSED_JOINTS]; /* C qd */
};

/* false: the arm has none that could be read (more than four joints, coupled drives, too many terms), or there is no memory;
 * release with closed_form_release in either case. */
bool closed_form_make(const struct armdyn_robot *robot, struct closed_form *out);
void closed_form_release(struct closed_form *form);

/* Values of M, C and G at a state, n x n, n x n and n. */
void closed_form_value(const struct closed_form *form, const double *q, const double *qd, double *M, double *C,
                       double *G);

/* Joints whose angles a symbol of a cosine or sine sums up, from `from` to `to`; false: it is no such symbol. */
bool closed_form_angles(const struct closed_form *form, size_t symbol, int *from, int *to, bool *sine);

#endif
