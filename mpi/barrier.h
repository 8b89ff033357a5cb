/* Starting together: a dissemination barrier that is the same with every MPI library, and windows on the global clock. */
#ifndef LACIS_BARRIER_H
#define LACIS_BARRIER_H

#include <mpi.h>
#include <stdbool.h>

/* D. Hensgen, R. Finkel, U. Manber, "Two algorithms for barrier synchronization", 1988. */
void barrier(MPI_Comm comm);
/* Returns when the global clock shows one instant that all ranks of `comm` agreed upon; false where this rank was
 * late. `yields`: waiting ranks yield their core. */
bool window_wait(MPI_Comm comm, bool yields);
/* Lengthens the next windows where ranks missed many of the last, else shortens them. All ranks must pass the same
 * numbers. */
void window_adapt(int late, int of);

#endif
