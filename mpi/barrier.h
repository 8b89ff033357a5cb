/* Starting together: a dissemination barrier of our own, so that every MPI library is measured alike, and windows on
 * the global clock. */
#ifndef LACIS_BARRIER_H
#define LACIS_BARRIER_H

#include <mpi.h>
#include <stdbool.h>

/* D. Hensgen, R. Finkel, U. Manber, "Two algorithms for barrier synchronization", 1988. */
void barrier(MPI_Comm comm);
/* Returns when the global clock shows one instant that all ranks of `comm` agreed upon; false where this rank was
 * late. `yields`: waiting ranks give their core away. */
bool window_wait(MPI_Comm comm, bool yields);
/* Says how many of the last windows were missed by a rank, so that the next are longer. Collective over `comm`: the same
 * numbers on all ranks. */
void window_adapt(int late, int of);

#endif
