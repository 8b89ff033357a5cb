/* Times of operations that many ranks do together, gathered by rank 0. */
#ifndef LACIS_AGGREGATE_H
#define LACIS_AGGREGATE_H

#include "measure.h"

/* Times of all ranks, repeat after repeat: begun[rank * count + repeat]; NaN for ranks that do not participate. On rank 0 of
 * run->comm only; elsewhere null. */
struct times {
    int ranks, count;
    double *begun, *ended;
};
/* Collective over run->comm. */
struct times times_gather(const struct run *run, const struct job *job, const struct result *result, int series);
void times_free(struct times *times);

/* Measures a collective operation; its duration is last exit minus first start on the global clock. Writes one record,
 * returns the median of the duration of an operation [s] on rank 0. Collective. */
double measure_together(struct run *run, struct job *job, const char *what);

#endif
