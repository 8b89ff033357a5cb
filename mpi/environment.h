/* The environment of a run, on which results depend: library, transports, cores, variables. */
#ifndef LACIS_ENVIRONMENT_H
#define LACIS_ENVIRONMENT_H

#include "run.h"

/* Writes the records run, environment, rank and clock. Collective. */
void environment_write(struct run *run);

#endif
