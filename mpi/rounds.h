/* Rounds: the parts of a test, each with a record, a handshake and port counters around it. */
#ifndef LACIS_ROUNDS_H
#define LACIS_ROUNDS_H

#include "run.h"

/* Begins a round: counters, the handshake, a record. False when the budget is spent. Collective. */
bool round_begin(struct run *run, const char *what);
/* Ends it: the same counters and handshake again. Collective. */
void round_end(struct run *run);

#endif
