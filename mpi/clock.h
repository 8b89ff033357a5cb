/* This rank's clock, and the global clock that every rank can read.
 *
 * Global time is rank 0's clock. Every other rank computes it from its own clock by a linear model, fitted along a
 * tree: first between the leaders of nodes, then inside nodes. The idea is HCA3's: S. Hunold and A. Carpen-Amarie,
 * "Hierarchical Clock Synchronization in MPI", IEEE CLUSTER 2018. The reference of a rank already has a model of global
 * time, so models are never merged. Unlike there, errors are bounds: an exchange of messages brackets the true offset,
 * whichever of its directions was slower. */
#ifndef LACIS_CLOCK_H
#define LACIS_CLOCK_H

#include "placement.h"

/* global = local + offset + slope * (local - origin), all in seconds. */
struct clock_model {
    double offset, slope, origin;
    /* The greatest error of the offset at `origin` [s], its growth [s per s], and the fastest exchange [s]. */
    double error, growth, round_trip;
    int points;
};

/* Seconds since this process began, by CLOCK_MONOTONIC. */
double clock_local(void);
/* Seconds since 1970, UTC, by this host's clock of the day, which may be set while a run lasts. */
double clock_of_day(void);
/* The smallest observed step of the clock, and the time of a reading [s]. */
void clock_measure(double *resolution, double *overhead);
/* Fits the models. Collective. */
void clock_synchronise(const struct placement *placement);
/* The same when the models are older than `seconds`. Collective; true when they were renewed. */
bool clock_renew(const struct placement *placement, double seconds);
double clock_global(double local);
/* A bound on the error of `clock_global(local)` [s]. */
double clock_error(double local);
struct clock_model clock_model(void);
/* Measures this rank's global time minus rank 0's clock, and a bound on the error of that [s]. Collective. */
void clock_check(const struct placement *placement, double *seen, double *uncertain);
/* The true error of global time now [s], in test builds, which shift and stretch clocks; else NaN. */
double clock_true_error(void);
void clock_begin(const struct placement *placement);

#endif
