/* The contract (OpenAPI 3.1) as one JSON text inside the binary; the build makes it with bundle.py. */
#ifndef API_CONTRACT_H
#define API_CONTRACT_H

#include <stdint.h>

extern const char contract_text[]; /* not NUL-terminated */
extern const uint64_t contract_length;

#endif
