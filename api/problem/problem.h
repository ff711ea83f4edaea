/* RFC 9457 problems: one list of types, each with its HTTP status, title and an explanation that teaches.
 * `type` is "/problems/<slug>", never renamed; GET /v1/problems lists them all. */
#ifndef API_PROBLEM_PROBLEM_H
#define API_PROBLEM_PROBLEM_H

#include "api/wire/buffer.h"
#include "api/wire/faults.h"

/* To add a problem: a row. PROBLEM_<NAME>, slug, HTTP status, title, explanation. */
#define PROBLEM_LIST(X)                                                                                                \
  X(SYNTAX, "syntax", 400, "The request cannot be parsed",                                                             \
    "The body or a header is not well-formed. `errors` or `detail` tells the place.")                                  \
  X(BAD_REQUEST, "bad-request", 400, "The request is incomplete or malformed",                                         \
    "A header that this call needs is missing or malformed.")                                                          \
  X(UNAUTHORIZED, "unauthorized", 401, "An API key is needed",                                                         \
    "Send `Authorization: Bearer <key>`. The administrator who started the service has the key.")                      \
  X(FORBIDDEN, "forbidden", 403, "This key may not do that", "The key's role does not include this call.")             \
  X(MOTION_FORBIDDEN, "motion-forbidden", 403, "This key may not move that arm",                                       \
    "Moving an arm needs more than a role: the key must name the controller in its `motion`. An administrator makes "  \
    "such a key.")                                                                                                     \
  X(FOREIGN_HOST, "foreign-host", 403, "This service is not known by that name",                                       \
    "While there are no keys only localhost, 127.0.0.1, [::1] and the names of --host-names are taken as Host, so "    \
    "that no web page can reach the service by a name of its own. Make a key, or let the administrator name the "      \
    "host.")                                                                                                           \
  X(FOREIGN_ORIGIN, "foreign-origin", 403, "A web page of another origin may change nothing",                          \
    "A browser said that a page that is not this service's made the request. Where the page is this service's behind " \
    "a proxy, let the proxy pass on Host, or let the administrator name the host with --host-names.")                  \
  X(NOT_FOUND, "not-found", 404, "There is no such resource",                                                          \
    "Check the path; names are case-sensitive. `/docs` shows every call.")                                             \
  X(METHOD_NOT_ALLOWED, "method-not-allowed", 405, "The resource does not know this method",                           \
    "`Allow` lists the methods that it knows.")                                                                        \
  X(NOT_ACCEPTABLE, "not-acceptable", 406, "No answer in a format that you accept",                                    \
    "Most calls answer application/json; calls on samples also application/x-npy and text/csv, a robot "               \
    "application/xml.")                                                                                                \
  X(TIMEOUT, "timeout", 408, "The request arrived too slowly", "Send the whole request within the time limit.")        \
  X(CONFLICT, "conflict", 409, "In conflict with the present state",                                                   \
    "The resource exists already, is referred to by others, or is not in a state that allows this.")                   \
  X(LEASE_HELD, "lease-held", 409, "Another transfer holds this controller",                                           \
    "One transfer at a time may use a controller. `detail` names the holder; wait for it or stop it.")                 \
  X(STALE, "stale", 412, "The resource changed meanwhile",                                                             \
    "`If-Match` does not name the present ETag. GET it again, redo your change, and send the new ETag.")               \
  X(TOO_LARGE, "too-large", 413, "The body or the answer is too large", "Split the batch. `detail` tells the limit.")  \
  X(URI_TOO_LONG, "uri-too-long", 414, "The URL is too long", "Shorten the query.")                                    \
  X(UNSUPPORTED_MEDIA, "unsupported-media-type", 415, "The body's format is not known here",                           \
    "Send `Content-Type: application/json`; also application/x-npy or text/csv for samples, application/xml for "      \
    "robots.")                                                                                                         \
  X(INVALID, "invalid", 422, "The content is not valid",                                                               \
    "The request was understood, but values in it are wrong. `errors` lists every one with its place.")                \
  X(IDEMPOTENCY_MISMATCH, "idempotency-mismatch", 422, "The Idempotency-Key was used for another request",             \
    "Use a new key for a new request. `resource` is what the first one made; JSON is compared by its values.")         \
  X(REQUEST_IN_FLIGHT, "request-in-flight", 409, "The first request with this Idempotency-Key is not answered yet",    \
    "Nothing is done twice. Send it again as late as `Retry-After` says: it answers what the first one made.")         \
  X(LIMIT_EXCEEDED, "limit-exceeded", 422, "The motion exceeds a limit of the arm",                                    \
    "Nothing was sent to the controller. `errors` names the sample and the axis.")                                     \
  X(REVISION_MISMATCH, "revision-mismatch", 422, "Computed for another revision of the robot",                         \
    "The trajectory's robot revision is not the one that the controller is bound to. Compute it anew.")                \
  X(PART_MISMATCH, "part-mismatch", 409, "Planned for another part than the arm holds",                                \
    "Torques for a part that is not there move the arm. Say what it holds (`PUT /v1/controllers/{c}/part`), plan for " \
    "that, or acknowledge the difference.")                                                                            \
  X(PRECONDITION_REQUIRED, "precondition-required", 428, "If-Match is needed",                                         \
    "Send `If-Match` with the ETag that a GET answered, so that no change of another is overwritten.")                 \
  X(TOO_MANY, "too-many-requests", 429, "Too many requests", "Wait as long as `Retry-After` says, then try again.")    \
  X(HEADERS_TOO_LARGE, "headers-too-large", 431, "The headers are too large", "Send fewer or shorter headers.")        \
  X(INTERNAL, "internal", 500, "An internal error", "A fault of the service; its log has the request id.")             \
  X(UNAVAILABLE, "unavailable", 503, "Not available now", "Wait as long as `Retry-After` says, then try again.")       \
  X(STORAGE_FULL, "storage-full", 507, "The store is full", "The administrator must free space; nothing was stored.")  \
  X(INFEASIBLE, "infeasible", 422, "No motion keeps the limits",                                                       \
    "`detail` names the limit that is in the way; `minimum_duration` and `suggested_request` tell what would work.")   \
  X(UNDECIDED, "undecided", 422, "Neither a motion nor a reason why there is none was found",                          \
    "The search ended first. Give it a longer `deadline` or more starts (`multistart`), fewer `intervals`, or the "    \
    "motion a longer `duration`.")                                                                                     \
  X(WORKER_LOST, "worker-lost", 500, "The worker that computed this ended unexpectedly",                               \
    "The job was tried the allowed number of times. `detail` tells how each attempt ended.")                           \
  X(WORKER_LIMIT, "worker-limit", 422, "The job needs more than a worker may have",                                    \
    "Memory and processor time of a job are bounded. Make it smaller, or let the administrator raise the limit that "  \
    "`detail` names.")                                                                                                 \
  X(TIME_LIMIT, "time-limit", 422, "The job did not end in time",                                                      \
    "The request's own `time_limit` passed first, while the job waited or ran. Give it more time or a higher "         \
    "`priority`.")                                                                                                     \
  X(CANCELLED, "cancelled", 409, "Cancelled", "Somebody cancelled this job.")                                          \
  X(START_EXPIRED, "start-expired", 409, "Too late to start",                                                          \
    "`start_before` passed before START could be sent; the arm was not moved.")                                        \
  X(CONTROLLER_UNREACHABLE, "controller-unreachable", 503, "The controller does not answer",                           \
    "No connection could be made in time. Check address, port, cable and the controller's state.")                     \
  X(CONTROLLER_REFUSED, "controller-refused", 409, "The controller refused",                                           \
    "The controller answered with an error; `detail` gives its number and meaning.")                                   \
  X(TRANSFER_INTERRUPTED, "transfer-interrupted", 500, "Sight of the transfer was lost",                               \
    "The gateway or its connection ended while the transfer ran; look at the arm before anything else.")

enum problem {
#define X(name, slug, http, title, explanation) PROBLEM_##name,
  PROBLEM_LIST(X)
#undef X
      PROBLEM_COUNT
};

/* Members that a problem of one type has beyond those of every problem. To add one: a row.
 * PROBLEM_<NAME>, member, JSON type, what it says. */
#define PROBLEM_FIELD_LIST(X)                                                                                          \
  X(IDEMPOTENCY_MISMATCH, "resource", "string", "Path of what the first request with this key made.")                  \
  X(CONFLICT, "unacknowledged", "array", "Codes of the warnings that `acknowledge` does not name.")                    \
  X(INFEASIBLE, "minimum_duration", "number or null",                                                                  \
    "The shortest duration that was found to work [s]; null: none was found.")                                         \
  X(INFEASIBLE, "suggested_request", "object",                                                                         \
    "The request with the duration that would work; absent: none is known.")                                           \
  X(UNDECIDED, "minimum_duration", "number or null",                                                                   \
    "The shortest duration that was found to work [s]; null: none was found.")                                         \
  X(UNDECIDED, "suggested_request", "object", "The request with what would work; absent: none is known.")

int problem_http_status(enum problem problem);
const char *problem_title(enum problem problem);
/* The one map from what a function answers to what HTTP says. */
enum problem problem_of_status(enum armdyn_status status);

/* Append the problem+json document. detail and instance may be NULL; faults may be NULL or empty.
 * extra: NULL, or further members (of PROBLEM_FIELD_LIST) as JSON text without braces, e.g. "\"minimum_duration\":0.5" */
void problem_write(struct buffer *out, enum problem problem, const char *detail, const char *instance,
                   const struct faults *faults, const char *extra);
/* GET /v1/problems: {"items":[{"type","status","title","explanation","fields":[{"name","type","description"}]}]} */
void problems_list(struct buffer *out);
/* GET /problems/{slug}: one of them. false: there is none. */
bool problem_describe(const char *slug, struct buffer *out);

#endif
