/* Every maximum of armdyn. deploy/doc/limits.md lists them for users; GET /v1/limits answers them, and schemas of the contract
 * say LIMIT_X for their numbers (limits.py). */
#ifndef API_LIMITS_H
#define API_LIMITS_H

#define KB(n)                         ((size_t)(n) << 10)
#define MB(n)                         ((size_t)(n) << 20)

#define LIMIT_JSON_DEPTH              64            /* nested arrays and objects */
#define LIMIT_XML_DEPTH               64            /* nested elements of a URDF */
#define LIMIT_XML_ATTRIBUTES          64            /* of one element of a URDF */
#define LIMIT_URDF_LINKS              1000          /* links and joints each of a URDF, on the chain or not */
#define LIMIT_FAULTS                  100           /* faults listed in one problem; all are counted */
#define LIMIT_NUMBER_LENGTH           400           /* characters of one JSON or CSV number */
#define LIMIT_CSV_LINE                KB(64)        /* bytes of one CSV line */
#define LIMIT_MODEL_BODY              MB(1)         /* a robot, controller or job request */
#define LIMIT_MESH_BODY               MB(64)        /* the file of a mesh */
#define LIMIT_MESH_TRIANGLES          500000        /* of one mesh */
#define LIMIT_SAMPLES_BODY            MB(64)        /* a batch of samples */
#define LIMIT_SAMPLES                 2000000       /* rows of one batch */
#define LIMIT_SAMPLE_NUMBER           1000000000000 /* magnitude of any number of a sample, so that no result overflows */
#define LIMIT_ANSWER                  MB(512)       /* one answer */
#define LIMIT_BODIES_IN_FLIGHT        MB(512) /* all request bodies held at once, half of it by uploads; beyond it 503 */
#define LIMIT_MAP_POINTS              1000    /* of each axis of a gravity map */
#define LIMIT_DIAGNOSIS_SAMPLES       500     /* of one diagnosis */
#define LIMIT_KINEMATIC_STARTS        200     /* of one call of inverse kinematics */
#define LIMIT_CELL_BODY               MB(16)  /* a cell, in any of its formats */
#define LIMIT_CLEARANCE_STATES        100000  /* of one request for clearances */
#define LIMIT_FITTED_TRIANGLES        1000000 /* of the meshes of one part that bodies are fitted to */
#define LIMIT_URL                     KB(8)
#define LIMIT_HEADERS                 KB(16)
#define LIMIT_HEADER_COUNT            100   /* headers of a request */
#define LIMIT_QUERY_PARAMETERS        32    /* of a request */
#define LIMIT_LIST                    200   /* items a page */
#define LIMIT_WAYPOINTS               1000  /* of one trajectory */
#define LIMIT_STEPS                   32    /* of one order, or of one trajectory that is made of others */
#define LIMIT_OWN_NUMBERS             30000 /* positions and times that a request for a motion of its own gives itself */
#define LIMIT_OWN_SAMPLES             200000    /* of a data set that one motion is made of */
#define LIMIT_INTERVALS               2000      /* of an energy-optimal trajectory */
#define LIMIT_STARTS                  64        /* of the search for one */
#define LIMIT_DURATIONS               64        /* that one request compares */
#define LIMIT_PERIODS                 500       /* of the highest harmonic of one excitation */
#define LIMIT_TRIALS                  1000000   /* of one excitation: population times generations */
#define LIMIT_FRICTION_RUNS           4000      /* of one friction test */
#define LIMIT_SERIES_ROWS             2000000   /* samples of one stored trajectory or simulation */
#define LIMIT_DATASETS                32        /* of one identification: to train with, and to validate with */
#define LIMIT_EVALUATION_MODELS       8         /* of one evaluation */
#define LIMIT_EVALUATION_CURVES       192       /* models times data sets times joints of one evaluation */
#define LIMIT_STUDY_REPETITIONS       2000      /* simulated runs of one study of an identification */
#define LIMIT_STUDY_TORQUES           6000000   /* samples times joints of the motion that it simulates */
#define LIMIT_VERIFICATION_REFERENCES 16        /* of one verification */
#define LIMIT_VERIFICATION_LAWS       8         /* of one verification */
#define LIMIT_VERIFICATION_PLANTS     16        /* of one verification */
#define LIMIT_VERIFICATION_CASES      256       /* plants times laws times references of one verification */
#define LIMIT_VERIFICATION_NUMBERS    30000     /* that the cases of one verification are told in */
#define LIMIT_VERIFICATION_PERIODS    20000000  /* of controllers in one verification */
#define LIMIT_SHARES_SAMPLES          200000    /* of one call for shares of torques */
#define LIMIT_CHIRP_SAMPLES           150000    /* of one log of chirps */
#define LIMIT_VIBRATION_SAMPLES       5000      /* of one call for vibrations */
#define LIMIT_TUNING_EVALUATIONS      2000      /* of loops with gains, of one search for them */
#define LIMIT_TUNING_PLACES           64        /* plants times postures where margins are held, of one search */
#define LIMIT_TUNING_PERIODS          100000000 /* of controllers in one search for gains */
#define LIMIT_ZONES                   512       /* of one zoning */
#define LIMIT_SWEEP_FREQUENCIES       64        /* of one sine sweep */
#define LIMIT_PAYLOAD_DIFFERENCE_ROWS 1000000   /* of each of two runs whose difference shows a payload */
#define LIMIT_COLLISION_EVENTS        500       /* told one by one of one collision check; all are counted */
#define LIMIT_DATASET_ROWS            200000000 /* samples of one data set */
#define LIMIT_RUN_SAMPLES             200000000 /* kept of one identification with their torques */
#define LIMIT_PLOT_POINTS             10000     /* of one plot of a data set */
#define LIMIT_SIMULATION_TIME         100000    /* s that one simulation covers */
#define LIMIT_SIMULATION_STEPS        10000000  /* of the integrator in one simulation */
#define LIMIT_FRAME                   MB(1)     /* one message between processes */
#define LIMIT_OUTCOMES                MB(32)    /* that others computed of one job, and it has not fetched */
#define LIMIT_PARTS                   4096      /* of one job */
#define LIMIT_JOB_ATTEMPTS            3
#define LIMIT_JOB_TIME                2592000 /* s that the time_limit of a job may be */
#define LIMIT_WRITES_QUEUED           1024    /* operations that wait for one commit; beyond it 503 */
#define LIMIT_READERS                 8       /* connections that read the store at once; others wait */
#define LIMIT_ROBOTS_CACHED           256     /* compiled robots in memory, least recently used ones go */
#define LIMIT_TAGS                    32      /* of one resource, keys and values up to LIMIT_TAG characters */
#define LIMIT_TAG                     128
#define LIMIT_NOTES                   KB(64) /* of one result */
#define LIMIT_SEARCH                  128    /* bytes of a list's ?q= */
#define LIMIT_SEARCH_TIME             10     /* s that it may take to look through the list */
#define LIMIT_AXES                    10     /* of one controller, register protocol v2 */
#define LIMIT_IN_FLIGHT               16     /* requests at once to one controller */
#define LIMIT_KEYS                    1000   /* API keys */
#define LIMIT_WEBHOOKS                32     /* webhooks */
#define LIMIT_WEBHOOK_URL             1000   /* characters of the address of a webhook */
#define LIMIT_DELIVERIES              16     /* attempts of one delivery to a webhook */
#define LIMIT_KEY_CONTROLLERS         64     /* that one key names */
#define LIMIT_MAP_FIELDS              48     /* of one register map */
#define LIMIT_PROTOCOL_REGISTERS      2190   /* of the register protocol, from its base on, with all window places */
#define LIMIT_EVENTS                  4096   /* kept for streams that come back */
#define LIMIT_EVENT_NAMES             64     /* jobs, and controllers, that one stream asks for */

#endif
