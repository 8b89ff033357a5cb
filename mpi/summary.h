/* The medians of a test by class of pair: the table Same Node / Same Leaf / Different Leaves / Overall. */
#ifndef LACIS_SUMMARY_H
#define LACIS_SUMMARY_H

#include "measure.h"

/* Keeps the median of one sample. Only rank 0 keeps any. */
void summary_add(const struct run *run, const struct series *series, const struct job *job, double median);
/* Writes a record for each quantity, size and class, and for all classes together. */
void summary_write(const struct run *run);

#endif
