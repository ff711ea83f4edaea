#include "server/routes/route.h"

/* clang-format off */
const struct route routes[] = {
  /* method      path                              handler            role          where            body               bodies         answers        query                operationId */
  { HTTP_GET,    "/healthz",                       system_health,     ROLE_ANYONE,  ON_EVENT_THREAD, 0,                 0,             0,             NULL,                "getHealth" },
  { HTTP_GET,    "/readyz",                        system_ready,      ROLE_ANYONE,  ON_POOL,         0,                 0,             0,             NULL,                "getReadiness" },
  { HTTP_GET,    "/v1/version",                    system_version,    ROLE_VIEWER,  ON_EVENT_THREAD, 0,                 0,             0,             NULL,                "getVersion" },
  { HTTP_GET,    "/v1/openapi.json",               contract_openapi,  ROLE_ANYONE,  ON_EVENT_THREAD, 0,                 0,             0,             NULL,                "getOpenapi" },
  { HTTP_GET,    "/v1/problems",                   system_problems,   ROLE_VIEWER,  ON_EVENT_THREAD, 0,                 0,             0,             NULL,                "listProblems" },
};
/* clang-format on */
const size_t route_count = sizeof routes / sizeof *routes;
