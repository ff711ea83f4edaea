/* Kernels that were compiled several times, for the vector units that this processor may have.
 * To add one: a file like lanes_avx2.c, and a row in lib/dynamics/lanes.c. */
#ifndef LIB_DYNAMICS_LANES_H
#define LIB_DYNAMICS_LANES_H

#include "armdyn/dynamics.h"
#include "lib/model/compiled.h"

/* Where a kernel puts the results of a sample; stride: from sample to sample, 0 where they are not wanted. */
struct lanes_table {
  double *data;
  size_t stride;
};

/* Derivatives of the torque: n x n each; of a weighted sum of torques n each. */
struct lanes_slopes {
  struct lanes_table by_q, by_qd, mass_matrix;
};

/* Scratch of a kernel for each joint, bytes: 8 samples of struct link_in_base, see links_kernel.h. */
enum { LANES_LINK_SIZE = 8 * 70 * 8 };

struct lanes_kernels {
  const char *name;
  size_t width; /* samples at a time in a batch */
  void (*sines)(size_t n, const double *x, double *sine, double *cosine);
  /* one sample, without friction and rotors */
  void (*inverse)(const struct armdyn_robot *robot, const double *q, const double *qd, const double *qdd,
                  const struct armdyn_load *load, double *tau);
  /* one sample, for torques that friction is taken off, rotors not coupled; false: a joint has no inertia */
  bool (*forward)(const struct armdyn_robot *robot, const double *q, const double *qd, const double *torque,
                  const struct armdyn_load *load, double *qdd);
  /* likewise, by Gauss's principle */
  bool (*gauss)(const struct armdyn_robot *robot, const double *q, const double *qd, const double *torque,
                const struct armdyn_load *load, double *qdd);
  /* one sample, the lower triangle, without rotors */
  void (*mass_matrix)(const struct armdyn_robot *robot, const double *q, double *mass_matrix);
  /* at least `width` samples */
  void (*inverse_batch)(const struct armdyn_robot *robot, const struct armdyn_samples *samples, double *tau);
  /* by articulated bodies, or by Gauss's principle; rotors not coupled; false: NAN in the rows of samples with a joint that
   * has no inertia */
  bool (*forward_batch)(const struct armdyn_robot *robot, const struct armdyn_samples *samples, bool by_gauss,
                        double *qdd);
  /* whole and with rotors */
  void (*mass_matrix_batch)(const struct armdyn_robot *robot, const struct armdyn_samples *samples,
                            double *mass_matrix);
  /* without friction and rotors; links: scratch of n LANES_LINK_SIZE */
  void (*derivatives)(const struct armdyn_robot *robot, const double *q, const double *qd, const double *qdd,
                      const struct armdyn_load *load, void *links, const struct lanes_slopes *out);
  void (*derivatives_batch)(const struct armdyn_robot *robot, const struct armdyn_samples *samples, void *links,
                            const struct lanes_slopes *out);
  /* of sum_i weight_i tau_i: n each, otherwise as derivatives */
  void (*adjoint)(const struct armdyn_robot *robot, const double *q, const double *qd, const double *qdd,
                  const struct armdyn_load *load, const double *weight, void *links, const struct lanes_slopes *out);
  void (*adjoint_batch)(const struct armdyn_robot *robot, const struct armdyn_samples *samples,
                        const struct armdyn_rows *weights, void *links, const struct lanes_slopes *out);
  /* the columns of the links in rows of `width`, all others 0 */
  void (*regressor)(const struct armdyn_robot *robot, const double *q, const double *qd, const double *qdd,
                    size_t width, void *links, double *regressor);
  void (*regressor_batch)(const struct armdyn_robot *robot, const struct armdyn_samples *samples, size_t width,
                          void *links, double *regressor);
};

#if defined __x86_64__ && defined __GNUC__ && !defined __clang__
#define LANES_OF_X86_64
extern const struct lanes_kernels lanes_avx2, lanes_avx512;
#elif defined __aarch64__
#define LANES_OF_AARCH64
extern const struct lanes_kernels lanes_neon;
#endif
extern const struct lanes_kernels lanes_baseline;

/* Those that this processor can run, the fastest first; the baseline is always the last. Answers how many. */
enum { LANES_KINDS = 3 };
size_t lanes_supported(const struct lanes_kernels *kinds[LANES_KINDS]);
/* The fastest. */
const struct lanes_kernels *lanes_fastest(void);

#endif
