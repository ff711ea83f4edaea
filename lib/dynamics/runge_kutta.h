/* The pair by which motion is integrated. */
#ifndef LIB_DYNAMICS_RUNGE_KUTTA_H
#define LIB_DYNAMICS_RUNGE_KUTTA_H

/* Gives it to a stepper of ERKStepCreate; 0, or a status of ARKODE. */
int runge_kutta_set(void *stepper);

#endif
