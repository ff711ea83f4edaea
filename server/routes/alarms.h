/* An alarm in JSON: of the list, and of the report of a shift. */
#ifndef SERVER_ROUTES_ALARMS_H
#define SERVER_ROUTES_ALARMS_H

#include "api/json/writer.h"
#include "server/store/store.h"

void alarm_encode(const struct store_alarm *alarm, struct json_writer *w);

#endif
