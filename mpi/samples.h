/* Records of what was measured: the values go to rank 0, which writes them. */
#ifndef LACIS_SAMPLES_H
#define LACIS_SAMPLES_H

#include "measure.h"

/* Writes the keys of a sample; `values` are raw, and those of late repeats do not count in the median. */
void sample_write(const struct run *run, const struct series *series, const struct job *job, const struct result *result,
                  const double *values, struct interval *interval);
/* Writes a record for each series of each rank. Collective over run->comm. */
void samples_write(struct run *run, const struct job *job, const struct result *result);
/* Measures and writes the samples. Collective over run->comm. */
void measure_and_write(struct run *run, const struct job *job);

#endif
