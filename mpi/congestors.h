/* What loads the network while others measure. */
#ifndef LACIS_CONGESTORS_H
#define LACIS_CONGESTORS_H

#include "run.h"

enum { CONGESTORS = 4 };
extern const char *const congestor_names[CONGESTORS];

/* Loads the network until rank 0 of `everyone` calls `congestors_stop`. Collective over `comm`, which is that of the
 * congestors; its first rank listens. */
void congest(struct run *run, int kind, MPI_Comm comm, MPI_Comm everyone);
/* By rank 0 of `everyone`: waits until they are at work; tells them to stop. `listener` is their first rank. */
void congestors_wait(int listener, MPI_Comm everyone);
void congestors_stop(int listener, MPI_Comm everyone);

#endif
