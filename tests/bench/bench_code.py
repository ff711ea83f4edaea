#!/usr/bin/python3
"""The Puma's inverse dynamics as generated C, sines included, beside the general kernel in the same run: processor time of one call,
and what it computes. Links only (as inverse_puma560_call of bench_dynamics.c), and what leaves out 1 N m of the whole arm. Then what
programs of the arms compute of which others have published theirs, all ten parameters of each link as symbols."""

import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from support import binary  # noqa: E402

BUILD = ROOT / os.environ.get("BUILD", "build")
FLAGS = ["-std=gnu17", "-O3", "-march=native", f"-I{ROOT}", f"-I{ROOT}/lib/include"]
LIBRARIES = subprocess.run(["pkg-config", "--libs", "libcjson"], capture_output=True, text=True, check=True).stdout.split()

DRIVER = r"""
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/support/robots.h"

void ENTRY(const double *q, const double *qd, const double *qdd, double *tau);
enum { POSTURES = 512, REPEATS = 40, RUNS = 15 };
static double x[POSTURES][18], tau[POSTURES][6];

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
  static struct armdyn_robot_description description;
  struct armdyn_robot *robot;
  struct dice dice = { 3 };
  static double ns[2][RUNS];
  description_from_json(json_load(argv[argc - 1]), &description);
  if (armdyn_robot_new(&description, &robot, NULL)) return 1;
  struct armdyn_workspace *w = armdyn_workspace_new(6);
  for (int k = 0; k < POSTURES; k++) {
    dice_fill(&dice, x[k], 6, -3, 3);
    dice_fill(&dice, x[k] + 6, 6, -2, 2);
    dice_fill(&dice, x[k] + 12, 6, -5, 5);
  }
  for (int run = 0; run < 2 * RUNS; run++) { /* one after the other, so that both meet the same machine */
    const double start = now();
    for (int r = 0; r < REPEATS; r++) {
      for (int k = 0; k < POSTURES; k++) {
        if (run % 2) ENTRY(x[k], x[k] + 6, x[k] + 12, tau[k]);
        else armdyn_inverse_dynamics(robot, x[k], x[k] + 6, x[k] + 12, NULL, w, tau[k]);
      }
    }
    ns[run % 2][run / 2] = (now() - start) / (REPEATS * POSTURES);
  }
  for (int k = 0; k < 2; k++) qsort(ns[k], RUNS, sizeof **ns, by_size);
  printf("%.1f %.1f\n", ns[0][RUNS / 2], ns[1][RUNS / 2]);
  return 0;
}
"""


def measured(model, folder, *options):
    """(ns of the kernel, ns of the program, its multiplications and additions)."""
    path = folder / "model.json"
    path.write_text(json.dumps(model))
    subprocess.run([binary(), "code", path, "--language", "c", "--out", folder, *options], check=True, stdout=subprocess.DEVNULL)
    source = folder / "puma560_inverse_dynamics.c"
    counts = operations(source.read_text())
    (folder / "driver.c").write_text(DRIVER.replace("ENTRY", "puma560_inverse_dynamics"))
    subprocess.run(["gcc", *FLAGS, folder / "driver.c", source, BUILD / "libarmdyn.a", *LIBRARIES, "-lpthread", "-lm", "-o", folder / "run"], check=True)
    said = subprocess.run([folder / "run", path], check=True, capture_output=True, text=True).stdout
    return (*map(float, said.split()), *counts)


# (alpha, a, d) of each joint in modified DH, and what a published program computes that has all ten parameters of each link as
# symbols: multiplications and additions, without what no output needs, without rotors, friction and forces from outside.
# SymPyBotics: benchmarks/puma560.c in cdsousa/SymPyBotics at e8c32d5. OpenSYMORO (the customised Newton-Euler of Khalil and
# Kleinfinger): ur10-functions/IDM.m in philip-long/MATLAB, without its seventh body; of the Puma no text of its is public, so its
# equations (pysymoro/nealgos.py and kinematics.py in symoro/symoro at 043470f) were run again for the Puma of SymPyBotics, of the UR10
# with the count of the public text.
RIGHT = math.pi / 2
PUMA = [(0, 0, 0), (-RIGHT, 0, 0.2435), (0, 0.4318, -0.0934), (RIGHT, -0.0203, 0.4331), (-RIGHT, 0, 0), (RIGHT, 0, 0)]
PUBLISHED = {
    "sympybotics_puma560": (PUMA, {"gravity": (113, 72), "mass_matrix": (402, 320)}),
    "opensymoro_puma560": (PUMA, {"inverse_dynamics": (363, 313)}),
    "opensymoro_ur10": ([(0, 0, 0.128), (RIGHT, 0, 0), (0, -0.612, 0), (0, -0.572, 0.164), (RIGHT, 0, 0.116), (-RIGHT, 0, 0)],
                        {"inverse_dynamics": (341, 292)}),
}


def operations(source):
    """(multiplications, additions) that a program's heading tells."""
    return tuple(map(int, re.search(r"(\d+) multiplications, (\d+) additions", source).groups()))


def beside_published(folder):
    for name, (frames, programs) in PUBLISHED.items():
        link = {"mass": 2.5, "com": [0.03, 0.04, 0.05], "inertia": {"xx": 0.05, "yy": 0.06, "zz": 0.07, "xy": 0.003, "xz": 0.002, "yz": 0.004}}
        joints = [{"name": f"j{k}", "type": "revolute", "alpha": alpha, "a": a, "d": d, "theta": 0, "link": link}
                  for k, (alpha, a, d) in enumerate(frames, 1)]
        path = folder / "published.json"
        path.write_text(json.dumps({"name": "published", "convention": "mdh", "gravity": [0, 0, -9.81], "joints": joints}))
        for function, theirs in programs.items():
            ours = operations(subprocess.run([binary(), "code", path, "--language", "c", "--function", function, "--parameters", "symbols",
                                              "--out", "-"], check=True, capture_output=True, text=True).stdout)
            print(f"code_{name}_{function}_multiplications {ours[0]} 1 lower")
            print(f"code_{name}_{function}_additions {ours[1]} 1 lower")
            print(f"code_{name}_{function}_to_published {sum(ours) / sum(theirs):.3f} x lower")


def main():
    links = {**json.loads((ROOT / "tests/data/vectors/puma560.json").read_text())["robot"], "name": "puma560"}
    whole = json.loads((ROOT / "tests/data/robots/puma560.json").read_text())
    with tempfile.TemporaryDirectory() as folder:
        for name, model, options in (("puma560", links, ()), ("puma560_full", whole, ()), ("puma560_full_1_nm", whole, ("--error-bound", "1"))):
            kernel, code, multiplications, additions = measured(model, pathlib.Path(folder), *options)
            print(f"code_{name}_call {code:.1f} ns lower")
            print(f"code_{name}_kernel_beside {kernel:.1f} ns lower")
            print(f"code_{name}_to_kernel {kernel / code:.2f} x higher")
            print(f"code_{name}_multiplications {multiplications} 1 lower")
            print(f"code_{name}_additions {additions} 1 lower")
        beside_published(pathlib.Path(folder))


if __name__ == "__main__":
    main()
