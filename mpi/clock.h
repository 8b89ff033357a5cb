/* The clock: this rank's own, and the global one that every rank can read.
 *
 * Global time is rank 0's clock. Every other rank knows it by a linear model of its own clock, learnt along a
 * tree: first between the leaders of nodes, then inside nodes. The idea is HCA3's: S. Hunold and A. Carpen-Amarie,
 * "Hierarchical Clock Synchronization in MPI", IEEE CLUSTER 2018. A rank learns from one that knows global time
 * already, so models are never merged. Unlike there, errors are bounds: an exchange of messages brackets the true offset,
 * whichever of its directions was slower. */
#ifndef LACIS_CLOCK_H
#define LACIS_CLOCK_H

#include "placement.h"

/* global = local + offset + slope * (local - origin), all in seconds. */
struct clock_model {
    double offset, slope, origin;
    /* What the offset is wrong by at `origin` at most, what that grows by in a second, and the fastest exchange [s]. */
    double error, growth, round_trip;
    int points;
};

/* Seconds since this process began, by CLOCK_MONOTONIC. */
double clock_local(void);
/* Smallest step [s] that the clock was seen to make, and what a reading costs [s]. */
void clock_measure(double *resolution, double *overhead);
/* Learns the models. Collective. */
void clock_synchronise(const struct placement *placement);
/* The same when the models are older than `seconds`. Collective; true when they were renewed. */
bool clock_renew(const struct placement *placement, double seconds);
double clock_global(double local);
/* What `clock_global(local)` may be wrong by [s]. */
double clock_error(double local);
struct clock_model clock_model(void);
/* How far this rank's global time is from rank 0's clock now, and what that may be wrong by [s]. Collective. */
void clock_check(const struct placement *placement, double *seen, double *uncertain);
/* In test builds, which shift and stretch clocks on purpose: the true error of global time now [s]; else NaN. */
double clock_true_error(void);
void clock_begin(const struct placement *placement);

#endif
