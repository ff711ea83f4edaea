/* Bodies that are never held whole. The event thread gathers a block and suspends the connection; a thread that may block
 * hands the block to the route's reader and resumes the connection: nothing is received meanwhile, so that a sender goes
 * as fast as the reader takes. Between two blocks no thread is held, however slow the sender is.
 *
 * The exchange is in one hand at a time: the event thread's while the connection is in PHASE_READING, the pool's in
 * PHASE_TAKING. */
#include <nettle/sha2.h>
#include <sodium.h>

#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/base/pool.h"
#include "server/http/audit.h"
#include "server/http/coding.h"
#include "server/http/internal.h"

enum {
  BLOCK = 256 * 1024,
  BLOCK_ROOM = BLOCK + 64 * 1024, /* and what libmicrohttpd hands over at once */
  SLOWEST_SENDER = 16 * 1024,     /* bytes a second that a client must send in the long run */
  DROPPED_MOST = 16 << 20         /* of a refused body, so that its sender reads the answer */
};
static const int64_t SECOND = 1000000000;

struct intake {
  const struct body_reader *reader; /* NULL: the handler was not called yet, or all is over */
  void *state;
  struct coding *coding;
  bool called, whole, answered;
  size_t received, dropped;
  int64_t time_left;          /* of the sender, while we are busy */
  int64_t cpu_left, cpu_till; /* ns of the processor: that it may still take; when this thread will have taken them */
  struct sha256_ctx hash;
  unsigned char digest[SHA256_DIGEST_SIZE];
};

void exchange_read_body(struct exchange *x, const struct body_reader *reader, void *state, size_t held)
{
  x->intake->reader = reader;
  x->intake->state = state;
  exchange_hold(x, BLOCK_ROOM + held);
}

size_t exchange_body_received(const struct exchange *x)
{
  return x->intake->received;
}

const unsigned char *exchange_body_digest(const struct exchange *x)
{
  return x->intake ? x->intake->digest : NULL;
}

static bool begin(struct exchange *x)
{
  char *body = realloc(x->body, BLOCK_ROOM);
  if (body) {
    x->body = body;
    x->body_capacity = BLOCK_ROOM;
  }
  x->intake = body ? calloc(1, sizeof *x->intake) : NULL;
  if (!x->intake) return false;
  sha256_init(&x->intake->hash);
  x->intake->cpu_left = x->http->upload_cpu;
  exchange_hold(x, BLOCK_ROOM);
  return true;
}

/* -- on a thread that may block -- */

static void release_reader(struct intake *in)
{
  if (in->reader) in->reader->release(in->state);
  in->reader = NULL;
}

/* There is an answer, and what still comes is dropped. */
static void conclude(struct exchange *x, enum armdyn_status status, const struct armdyn_error *error)
{
  if (status) answer_status(x, status, error);
  x->intake->answered = true;
  audit_exchange(x->http->auditor, x, true);
}

/* Half of the memory for bodies is left to calls that are no uploads. */
static bool is_crowded(const struct http *http)
{
  return atomic_load_explicit(&http->bytes_in_flight, memory_order_relaxed) + BLOCK_ROOM > LIMIT_BODIES_IN_FLIGHT / 2;
}
static const char crowded[] = "too many uploads at once";

static void call_handler(struct exchange *x)
{
  struct intake *in = x->intake;
  if (is_crowded(x->http)) {
    answer_problem(x, PROBLEM_UNAVAILABLE, "%s", crowded);
    conclude(x, ARMDYN_OK, NULL);
    return;
  }
  in->called = true;
  x->may_block = true;
  if (coding_new(x->known[HEADER_CONTENT_ENCODING], x->http->upload_most, &in->coding))
    conclude(x, ARMDYN_EMEMORY, NULL);
  else if (!audit_permits(x->http->auditor, x) || x->route->handle(x) != READS)
    conclude(x, ARMDYN_OK, NULL);
}

static enum armdyn_status hand_on(void *context, const char *bytes, size_t length, struct armdyn_error *error)
{
  struct exchange *x = context;
  if (clock_thread_ns() > x->intake->cpu_till)
    return armdyn_refuse(error, ARMDYN_ELIMIT, "", "it takes more than %lld s of the processor (--upload-cpu-time)",
                         (long long)(x->http->upload_cpu / SECOND));
  return x->intake->reader->take(x->intake->state, x, bytes, length, error);
}

static void take_block(struct exchange *x)
{
  struct intake *in = x->intake;
  struct armdyn_error error = { "", "" };
  sha256_update(&in->hash, x->body_length, (const uint8_t *)x->body);
  enum armdyn_status status = in->coding ? coding_undo(in->coding, x->body, x->body_length, hand_on, x, &error)
                                         : hand_on(x, x->body, x->body_length, &error);
  if (status) conclude(x, status, &error);
}

/* Content-Digest: sha-256=:<base64>: (RFC 9530), perhaps among others. What cannot be checked is refused, not passed over. */
static enum armdyn_status check_digest(struct exchange *x)
{
  static const char name[] = "Content-Digest", key[] = "sha-256=:";
  const char *header = exchange_header(x, name), *at = header ? strstr(header, key) : NULL;
  unsigned char stated[SHA256_DIGEST_SIZE];
  size_t length = 0;
  if (!header) return ARMDYN_OK;
  const char *text = at ? at + sizeof key - 1 : "", *end = strchr(text, ':');
  bool good = end && !sodium_base642bin(stated, sizeof stated, text, (size_t)(end - text), NULL, &length, NULL,
                                        sodium_base64_VARIANT_ORIGINAL);
  if (!good || length != sizeof stated) {
    fault_add(&x->faults, FAULT_AT_HEADER, name, FAULT_PATTERN, "must be sha-256=:<base64>:, got '%.100s'", header);
    return ARMDYN_ESYNTAX;
  }
  if (!memcmp(stated, x->intake->digest, sizeof stated)) return ARMDYN_OK;
  char computed[sodium_base64_ENCODED_LEN(SHA256_DIGEST_SIZE, sodium_base64_VARIANT_ORIGINAL)];
  sodium_bin2base64(computed, sizeof computed, x->intake->digest, sizeof stated, sodium_base64_VARIANT_ORIGINAL);
  fault_add(&x->faults, FAULT_AT_HEADER, name, FAULT_INCONSISTENT,
            "the body that arrived has sha-256=:%s:; it was changed on its way", computed);
  return ARMDYN_EINPUT;
}

static void finish(struct exchange *x)
{
  struct intake *in = x->intake;
  struct armdyn_error error = { "", "" };
  enum armdyn_status status = coding_finish(in->coding, &error);
  sha256_digest(&in->hash, sizeof in->digest, in->digest);
  if (!status) status = check_digest(x);
  if (!status) in->reader->finish(in->state, x);
  conclude(x, status, &error);
}

/* The block that has come, and what is due with it. */
static void go_on(struct exchange *x)
{
  struct intake *in = x->intake;
  if (!in->answered && !exchange_is_still_trusted(x)) conclude(x, ARMDYN_OK, NULL);
  if (!in->answered && !in->called) call_handler(x);
  if (!in->answered && x->body_length) take_block(x);
  if (!in->answered && in->whole) finish(x);
  if (in->answered) release_reader(in);
}

static void work(void *context)
{
  struct exchange *x = context;
  struct intake *in = x->intake;
  struct MHD_Connection *mhd = x->mhd;
  int64_t begun = clock_thread_ns();
  in->cpu_till = in->cpu_left < INT64_MAX - begun ? begun + in->cpu_left : INT64_MAX;
  if (x->dry_run) store_rehearse();
  go_on(x);
  if (x->dry_run) store_rehearsal_end();
  in->cpu_left = in->cpu_till - clock_thread_ns();
  x->body_length = 0;
  if (!in->whole) connection_advance(x->connection, PHASE_TAKING, PHASE_READING, clock_monotonic_ns() + in->time_left);
  atomic_store(&x->state, EXCHANGE_ANSWERED);
  MHD_resume_connection(mhd);
}

/* -- on the event thread -- */

static enum MHD_Result hand_over(struct exchange *x)
{
  MHD_suspend_connection(x->mhd);
  if (!pool_submit(x->http->uploads, work, x)) return MHD_YES;
  answer_problem(x, PROBLEM_UNAVAILABLE, "the service is busy: its queue is full");
  x->intake->answered = true;
  if (!x->intake->whole)
    connection_advance(x->connection, PHASE_TAKING, PHASE_READING, clock_monotonic_ns() + x->intake->time_left);
  atomic_store(&x->state, EXCHANGE_ANSWERED);
  MHD_resume_connection(x->mhd);
  return MHD_YES;
}

/* A sender has its time from the start, and more for what it sends, but never more ahead than at the start. */
static void give_time(struct exchange *x, size_t bytes)
{
  struct connection *c = x->connection;
  int64_t most = clock_monotonic_ns() + x->http->body_timeout;
  int64_t deadline = atomic_load_explicit(&c->deadline, memory_order_relaxed);
  deadline += (int64_t)bytes * (SECOND / SLOWEST_SENDER);
  atomic_store_explicit(&c->deadline, deadline < most ? deadline : most, memory_order_relaxed);
}

/* Read on to the end if that is near, so that the connection stays; or say why, and close. */
static enum MHD_Result drop(struct exchange *x, size_t length)
{
  struct intake *in = x->intake;
  const char *text = x->known[HEADER_CONTENT_LENGTH];
  in->dropped += length;
  if (in->dropped <= DROPPED_MOST && (!text || strtoull(text, NULL, 10) - in->received <= DROPPED_MOST)) return MHD_YES;
  return exchange_break_off_answered(x);
}

enum MHD_Result intake_take(struct exchange *x, const char *bytes, size_t *size)
{
  struct http *http = x->http;
  const size_t length = *size;
  *size = 0;
  if (!x->intake && (is_crowded(http) || !begin(x))) return exchange_break_off(x, PROBLEM_UNAVAILABLE, crowded);
  struct intake *in = x->intake;
  if (length > http->upload_most - in->received) {
    char detail[128];
    snprintf(detail, sizeof detail, "the body is larger than %zu bytes (--upload-limit)", http->upload_most);
    return exchange_break_off(x, PROBLEM_TOO_LARGE, detail);
  }
  in->received += length;
  give_time(x, length);
  if (in->answered) return drop(x, length);
  memcpy(x->body + x->body_length, bytes, length);
  x->body_length += length;
  if (x->body_length < BLOCK) return MHD_YES;
  in->time_left = atomic_load_explicit(&x->connection->deadline, memory_order_relaxed) - clock_monotonic_ns();
  if (!connection_advance(x->connection, PHASE_READING, PHASE_TAKING, 0)) return MHD_NO; /* it has expired */
  if (atomic_load(&http->refusing))
    return exchange_cut(x, "the service stops"); /* read after the phase was set: whoever stops us sees one of both */
  x->stage = STAGE_TAKING;
  return hand_over(x);
}

enum MHD_Result intake_complete(struct exchange *x)
{
  if (!x->intake && !begin(x)) return exchange_cut(x, "out of memory");
  x->intake->whole = true;
  if (x->intake->answered) return exchange_queue(x);
  x->stage = STAGE_HANDED_OVER;
  return hand_over(x);
}

static void abandon(void *intake)
{
  struct intake *in = intake;
  release_reader(in);
  coding_free(in->coding);
  free(in);
}

void intake_end(struct exchange *x)
{
  struct intake *in = x->intake;
  x->intake = NULL;
  if (!in) return;
  /* The reader may have to undo what it wrote. */
  if (!in->reader || pool_submit(x->http->uploads, abandon, in)) abandon(in);
}
