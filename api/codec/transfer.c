#include "api/codec/transfer.h"

static const char *const modes[] = { "download" };
static const char *const formats[] = { "torque_permille", "torque", "position_torque" };

static void request_init(void *object)
{
  *(struct transfer_request *)object = (struct transfer_request){ .rate = NAN, .format = TRANSFER_POSITION_TORQUE };
}

/* What starts motion says until when. */
static void request_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  (void)given;
  (void)context;
  const struct transfer_request *request = object;
  if (request->start && !*request->start_before)
    json_fault(r, "/start_before", FAULT_REQUIRED, "\"start\": true needs it: the latest moment to send START");
}

static const struct json_field request_fields[] = {
  {TEXT(struct transfer_request,   trajectory),                 MATCHES(json_id_pattern),                      REQUIRED },
  { NUMBER(struct transfer_request,                             rate,                          POSITIVE,                                       "Hz"), OMIT_DEFAULT, NULLABLE },
  { ENUM(struct transfer_request,                         mode,                                        modes)                                      },
  { ENUM(struct transfer_request,  format, formats)},
  { TRUTH(struct transfer_request,  start)                     },
  { TEXT(struct transfer_request, start_before),                     MATCHES(json_time_pattern),                                                           NULLABLE, OMIT_DEFAULT },
  { MAP(struct transfer_request,                 tags),OMIT_DEFAULT                                            },
  { TEXT(struct transfer_request,                             job_order_id),                             OMIT_DEFAULT},
  { TEXT(struct transfer_request,                             work_master_id),                            OMIT_DEFAULT                                                    },
  { TEXT(struct transfer_request,                             equipment_id),                            OMIT_DEFAULT},
};
static const struct json_type request_type =
    JSON_TYPE("a transfer", request_fields, struct transfer_request, request_init, request_check);

enum armdyn_status transfer_request_decode(const char *text, size_t length, struct transfer_request *request,
                                           struct faults *faults)
{
  return json_decode(text, length, &request_type, request, NULL, faults);
}

void transfer_request_encode(const struct transfer_request *request, struct buffer *out)
{
  json_encode(out, &request_type, request, NULL);
}

void transfer_tags_encode(const struct transfer_request *request, struct buffer *out)
{
  struct json_writer w = { out, false };
  json_begin_object(&w);
  for (size_t i = 0; i < request->tags.count; i++) {
    json_key(&w, request->tags.items[i].key);
    json_write_text(&w, request->tags.items[i].value);
  }
  json_end_object(&w);
}

static const struct json_field start_fields[] = {
  {TEXT(struct start_request, start_before), MATCHES(json_time_pattern), REQUIRED},
};
static const struct json_type start_type = JSON_TYPE("a start", start_fields, struct start_request, NULL, NULL);

enum armdyn_status start_request_decode(const char *text, size_t length, struct start_request *request,
                                        struct faults *faults)
{
  return json_decode(text, length, &start_type, request, NULL, faults);
}
