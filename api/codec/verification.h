/* Verifications: laws and plants in closed loop, on references that show what they are worth. What is asked, and what is
 * answered. A case is a plant under a law on a reference. */
#ifndef API_CODEC_VERIFICATION_H
#define API_CODEC_VERIFICATION_H

#include "api/codec/carried.h"
#include "api/codec/control.h"
#include "api/codec/result.h"

enum { VERIFICATION_NAME = 65 };

/* To add one: its rows in api/codec/verification.c and server/work/verification_case.c. */
enum verification_reference_kind {
  REFERENCE_HOLD,
  REFERENCE_STEP,
  REFERENCE_SINE,
  REFERENCE_CIRCLE,
  REFERENCE_TRAJECTORY,
  REFERENCE_CHIRP,
  REFERENCE_KINDS
};

/* Where the arm should be. */
struct verification_reference {
  char name[VERIFICATION_NAME];
  enum verification_reference_kind kind;
  double duration;                             /* s; of a sine NAN, of a chirp of each joint's */
  double amplitude[ARMDYN_JOINTS_MAX];         /* of a step, sine and chirp: rad, m; 0: the joint does not move */
  double frequencies[LIMIT_SWEEP_FREQUENCIES]; /* of a sine: Hz, increasing; of a chirp the first and the last */
  size_t frequency_count;
  double periods;              /* of each, that are measured */
  double settle;               /* s before them; NAN: by the law's bandwidth */
  double band;                 /* of a step: what counts as settled */
  double center[3], normal[3]; /* of a circle, base frame */
  double turns;
  char trajectory[27];
  char measured[27];    /* of a trajectory: the data set of an arm that played it; "": none */
  double measured_from; /* s, of its clock: when the motion began */
  bool breakaway;       /* of a hold: is it looked for what sets each joint in motion? */
  double rest;          /* s, that a circle or trajectory is held at its end; after each joint of a chirp */
};

struct verification_law {
  char name[VERIFICATION_NAME];
  double bandwidth_hz;
  bool without_model; /* another law beside it: its PID alone */
  struct control_request control;
};

struct verification_plant {
  char name[VERIFICATION_NAME];
  struct plant_request plant;
};

/* Which case's budget of accuracy is told, and whose covariance. */
struct verification_accuracy {
  char identification[27];                                   /* "": that which the revision was promoted from */
  char law[VERIFICATION_NAME], reference[VERIFICATION_NAME]; /* "": the first law, the first motion */
};

/* Of the tool; NAN: none. */
struct verification_limit {
  double position_mm, rotation_mrad;
};

struct verification_request {
  struct carried carried; /* of the model, and of plants where they say nothing else */
  double q[ARMDYN_JOINTS_MAX];
  bool has_q;
  bool friction;
  double tolerance; /* of the integration */
  struct verification_limit limit;
  size_t reference_count, law_count, plant_count;
  struct verification_reference references[LIMIT_VERIFICATION_REFERENCES];
  struct verification_law laws[LIMIT_VERIFICATION_LAWS];
  struct verification_plant plants[LIMIT_VERIFICATION_PLANTS];
  struct verification_accuracy accuracy;
  bool has_accuracy;
  struct result_labels labels;
};

/* Decode and check in full: everything but how the loops go.
 * OK, ESYNTAX (400), EINPUT (422), EMEMORY. */
enum armdyn_status verification_request_decode(const char *text, size_t length,
                                               const struct armdyn_robot_description *robot,
                                               struct verification_request *out, struct faults *faults);
/* Of others that run loops on the same references and plants: what is checked of them; names and a plant that are missing
 * are put in. Adds faults. */
void verification_loops_check(struct json_reader *r, struct verification_request *request);
extern const struct json_type verification_reference_type, verification_plant_type;
/* How many joints a chirp moves, one after the other. */
size_t verification_chirps(const struct verification_reference *reference);
const char *verification_kind_name(enum verification_reference_kind kind);
/* With its model, and without where that is asked for: 1 or 2. */
static inline int verification_variants(const struct verification_law *law)
{
  return law->without_model ? 2 : 1;
}
/* How long a torque grows that shall set a joint in motion, s. */
static const double VERIFICATION_RAMP = 1;
/* s that the loops take which look for it, in both directions of every joint. */
double verification_breakaway_time(const struct verification_reference *reference, size_t joints);
/* s before a sine is measured. */
double verification_settle(const struct verification_reference *reference, const struct verification_law *law);
/* How long the loop of a reference runs, all frequencies of a sine together; `motion`: of a trajectory, s. */
double verification_time(const struct verification_reference *reference, const struct verification_law *law,
                         double motion);

/* -- what is answered -- */

/* NAN: it has none such. */
struct verification_joint {
  double rms, max;                            /* off: rad, m */
  double static_error, ripple, torque_ripple; /* of a hold; ripple: from side to side, rad, m and N m, N */
  double breakaway[2]; /* of a hold, where asked for: N m, N more in both directions that set it in motion */
  double overshoot_percent, rise_time, peak_time, settling_time, steady_state_error; /* of a step */
  double bandwidth_hz;                                                               /* of a sine */
  double torque_rms, torque_peak, saturated;                                         /* N m, N; share of periods */
};
struct verification_response {
  double gain, phase, left; /* phase in rad, unwrapped; left: rms of what is no sine of this frequency */
};

enum { ENVELOPE = 100 };
struct verification_case {
  size_t plant, law, reference; /* of the request */
  bool alone;                   /* the law without its model */
  bool diverged;
  char detail[192];
  long steps;
  double duration;
  struct verification_joint joints[ARMDYN_JOINTS_MAX];
  double position_rms_mm, position_max_mm, position_max_time, rotation_rms_mrad, rotation_max_mrad; /* of the tool */
  double judged_mm, judged_mrad; /* that are held against the limit */
  bool within;
  double settled_after;                    /* s after the end of a motion; NAN: not, or not asked */
  struct verification_response *responses; /* of a sine: frequencies x joints */
  bool has_account;
  struct armdyn_energy_account account; /* of the plant's elements, at the end; of a sine's last frequency */
  double envelope_mm[ENVELOPE];         /* the largest in each of so many equal times */
  /* Apart from what was measured of the reference, where something was; else NAN. */
  double apart[ARMDYN_JOINTS_MAX]; /* rms: rad, m */
  double apart_rms_mm, apart_max_mm;
};

/* An arm that played a reference: its figures as those of a case. */
struct verification_measured {
  size_t reference, samples;
  double from, to; /* s of the motion */
  bool torques;
  double position_rms_mm, position_max_mm, position_max_time, rotation_rms_mrad, rotation_max_mrad;
  bool within;
  double settled_after; /* as of cases */
  struct verification_joint joints[ARMDYN_JOINTS_MAX];
  double envelope_mm[ENVELOPE]; /* NAN where no sample is */
};

/* To which load the limit holds, of plants that differ from the first in their payload's mass alone. */
struct verification_hold {
  size_t law, reference;
  bool alone;
  double mass;      /* kg: the heaviest that holds, all lighter ones holding too; NAN: none does */
  double next_mass; /* kg: the lightest that does not; NAN: all do */
  double about;     /* kg: where the limit is met between the two, on a straight line; NAN: not between two */
};

/* What the uncertainty of identified parameters makes of a case. */
struct verification_budget {
  bool told;
  char why[192]; /* not */
  char identification[27];
  size_t law, reference, parameters;
  double nominal_mm, parameters_mm, together_mm; /* largest; one deviation; nominal and two of them, at any one time */
  double worst_time, duration;                   /* s */
};

struct verification_result {
  const struct verification_request *request;
  const char *request_text;
  const struct armdyn_robot_description *robot;
  const double *q;                            /* where gains are made */
  const struct armdyn_control (*controls)[2]; /* in force, of the laws; and of their PIDs alone */
  const double *masses;                       /* of the plants' payloads, kg */
  struct verification_case *cases;
  size_t case_count;
  const struct verification_measured *measured;
  size_t measured_count;
  const struct verification_hold *holds;
  size_t hold_count;
  const struct verification_budget *budget;
};
void verification_result_encode(const struct verification_result *result, struct buffer *out);
extern const struct result_form verification_form;

#endif
