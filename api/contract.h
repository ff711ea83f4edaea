/* The contract (OpenAPI 3.1) as one JSON text inside the binary, which the build makes with bundle.py; and the client of Python
 * that it makes of that with client.py. */
#ifndef API_CONTRACT_H
#define API_CONTRACT_H

#include <stdint.h>

extern const char contract_text[], client_text[]; /* not NUL-terminated */
extern const uint64_t contract_length, client_length;

#endif
