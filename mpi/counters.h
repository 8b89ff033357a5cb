/* Port counters before and after each round, from the kernel's files below /sys/class/infiniband. */
#ifndef LACIS_COUNTERS_H
#define LACIS_COUNTERS_H

#include "run.h"

/* The leaders of nodes read, rank 0 writes; nothing without --counters. Collective. */
void counters_read(const struct run *run, const char *when);

#endif
