/* Rotations as vectors along their axis, as long as their angle. */
#ifndef LIB_MATH_ROTATION_H
#define LIB_MATH_ROTATION_H

/* phi in [0, pi] along the axis of the rotation R (3 x 3, row-major, orthogonal); of half a turn either axis. */
void rotation_vector(const double *R, double phi[3]);

/* R = Rz(rpy[2]) Ry(rpy[1]) Rx(rpy[0]): turns about fixed axes, as in URDF. */
void rotation_of_rpy(const double rpy[3], double *R);

/* R of phi (Rodrigues). */
void rotation_of_vector(const double phi[3], double *R);

/* out = A with d phi / dt = A omega for a rotation R that turns with omega in the axes that phi is written in: the inverse
 * of the left Jacobian, 1 - [phi]/2 + (1 - (a/2) cot(a/2)) / a^2 [phi]^2, a = |phi|. Source: Sola, Deray & Atchuthan 2018,
 * equation 146. */
void rotation_vector_rate(const double phi[3], double out[9]);

#endif
