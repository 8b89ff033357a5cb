/* Traffic that loads the network while other ranks measure. */
#ifndef LACIS_CONGESTORS_H
#define LACIS_CONGESTORS_H

#include "run.h"

enum { CONGESTORS = 4 };
extern const char *const congestor_names[CONGESTORS];

/* Loads the network until rank 0 of `everyone` calls `congestors_stop`. Collective over `comm`, the congestors; their
 * first rank listens. */
void congest(struct run *run, int kind, MPI_Comm comm, MPI_Comm everyone);
/* Called by rank 0 of `everyone`: wait until the congestors send; stop them. `listener` is their first rank. */
void congestors_wait(int listener, MPI_Comm everyone);
void congestors_stop(int listener, MPI_Comm everyone);

#endif
