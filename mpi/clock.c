#include "clock.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

enum { POINTS = 30, FEWEST_POINTS = 10, EXCHANGES = 10, TAG = 1, ANSWERED = 3 };
#define BETWEEN_POINTS 5e-3 /* s; the drift is known the better, the longer all points take */
#define LONGEST_POINT 2e-3 /* s */
#define LONGEST_MODEL 0.3  /* s */
#define LIKELY_DRIFT 200e-6 /* assumed: two quartz clocks differ by less */

static double base;
static double drift, shift;
static struct clock_model model;
static double synchronised_at;

static double raw(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double local_of(double reading) { return (reading - base) * (1.0 + drift) + shift; }

double clock_local(void) {
#ifdef LACIS_TEST
    return local_of(raw());
#else
    return raw() - base;
#endif
}

double clock_of_day(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void clock_begin(const struct placement *placement) {
    base = raw();
#ifdef LACIS_TEST
    const char *offset_of_a_rank = getenv("LACIS_TEST_OFFSET"), *drift_of_a_rank = getenv("LACIS_TEST_DRIFT");
    MPI_Bcast(&base, 1, MPI_DOUBLE, 0, placement->comm);
    shift = offset_of_a_rank ? placement->rank * atof(offset_of_a_rank) : 0.0;
    drift = drift_of_a_rank ? placement->rank * atof(drift_of_a_rank) : 0.0;
#else
    (void)placement;
#endif
}

double clock_true_error(void) {
#ifdef LACIS_TEST
    double reading = raw();
    return clock_global(local_of(reading)) - (reading - base);
#else
    (void)local_of;
    return NAN;
#endif
}

void clock_measure(double *resolution, double *overhead) {
    enum { READINGS = 20000 };
    double smallest = INFINITY, first = clock_local(), last = first;
    for (int i = 0; i < READINGS; i++) {
        double now = clock_local();
        if (now > last && now - last < smallest) smallest = now - last;
        last = now;
    }
    *resolution = smallest;
    *overhead = (last - first) / READINGS;
}

double clock_global(double local) { return local + model.offset + model.slope * (local - model.origin); }

double clock_error(double local) { return model.error + model.growth * fabs(local - model.origin); }

struct clock_model clock_model(void) { return model; }

/* Sends global time, its error and the error's growth in answer to each question, until the last. */
static void answer(int client, MPI_Comm comm) {
    for (int is_last = 0; !is_last;) {
        MPI_Recv(&is_last, 1, MPI_INT, client, TAG, comm, MPI_STATUS_IGNORE);
        double local = clock_local(), answered[ANSWERED] = {clock_global(local), clock_error(local), model.growth};
        MPI_Send(answered, ANSWERED, MPI_DOUBLE, client, TAG, comm);
    }
}

/* An exchange: global time at the reference minus this rank's clock, and the bounds of the reference's model. */
struct point {
    double at, offset, round_trip, reference_error, reference_growth;
};

/* The fastest of some exchanges: the reference's time is between the two readings, most likely in the middle. Fewer
 * exchanges where each takes long, as when ranks share a core. */
static struct point ask(int reference, bool is_last_point, MPI_Comm comm) {
    struct point best = {.round_trip = INFINITY};
    double began = clock_local();
    for (int i = 0, is_over = 0; !is_over; i++) {
        is_over = i + 1 == EXCHANGES || (i >= 2 && clock_local() - began > LONGEST_POINT);
        int is_last = is_over && is_last_point;
        double answered[ANSWERED], sent = clock_local();
        MPI_Send(&is_last, 1, MPI_INT, reference, TAG, comm);
        MPI_Recv(answered, ANSWERED, MPI_DOUBLE, reference, TAG, comm, MPI_STATUS_IGNORE);
        double received = clock_local();
        if (received - sent < best.round_trip) {
            double middle = 0.5 * (sent + received);
            best = (struct point){middle, answered[0] - middle, received - sent, answered[1], answered[2]};
        }
    }
    return best;
}

static int by_round_trip(const void *a, const void *b) {
    double x = ((const struct point *)a)->round_trip, y = ((const struct point *)b)->round_trip;
    return (x > y) - (x < y);
}

/* The least and the greatest drift of lines within half a round trip of every point. The true offset is within it,
 * however the two directions of an exchange differ; no assumption about noise is made. */
static void feasible_drifts(const struct point *points, int count, double *least, double *greatest) {
    *least = -INFINITY, *greatest = INFINITY;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            double apart = points[j].at - points[i].at, slack = 0.5 * (points[i].round_trip + points[j].round_trip);
            if (apart <= 0) continue;
            *least = fmax(*least, (points[j].offset - points[i].offset - slack) / apart);
            *greatest = fmin(*greatest, (points[j].offset - points[i].offset + slack) / apart);
        }
}

/* Least squares through the faster half of the exchanges: a slow one was interrupted, so its middle is a poor estimate. */
static struct clock_model fit(struct point *points, int count) {
    qsort(points, (size_t)count, sizeof *points, by_round_trip);
    int used = count / 2;
    double at = 0, offset = 0, across = 0, squares = 0, reference_error = 0, reference_growth = 0, least, greatest;
    for (int i = 0; i < used; i++) {
        at += points[i].at / used, offset += points[i].offset / used;
        reference_error = fmax(reference_error, points[i].reference_error);
        reference_growth = fmax(reference_growth, points[i].reference_growth);
    }
    for (int i = 0; i < used; i++) {
        across += (points[i].at - at) * (points[i].offset - offset);
        squares += (points[i].at - at) * (points[i].at - at);
    }
    feasible_drifts(points, count, &least, &greatest);
    double slope = squares > 0 ? fmin(fmax(across / squares, least), greatest) : 0.0;
    double growth = fmax(slope - least, greatest - slope);
    /* Points that bound the drift less than the assumption does are not used for it. */
    if (!(growth <= LIKELY_DRIFT)) slope = 0, growth = LIKELY_DRIFT;
    return (struct clock_model){
        .offset = offset,
        .slope = slope,
        .origin = at,
        .error = reference_error + 0.5 * points[used - 1].round_trip,
        .growth = reference_growth + growth,
        .round_trip = points[0].round_trip,
        .points = used,
    };
}

static void learn(int reference, MPI_Comm comm) {
    struct point points[POINTS];
    double began = clock_local();
    int count = 0;
    for (bool is_last = false; !is_last;) {
        is_last = count + 1 == POINTS || (count + 1 >= FEWEST_POINTS && clock_local() - began > LONGEST_MODEL);
        points[count++] = ask(reference, is_last, comm);
        if (!is_last) nanosleep(&(struct timespec){0, (long)(1e9 * BETWEEN_POINTS)}, NULL);
    }
    model = fit(points, count);
}

/* A binomial tree over the ranks of `comm`: in each step every rank with a model answers one without. */
static void along_tree(MPI_Comm comm) {
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int known = 1; known < size; known *= 2) {
        if (rank < known && rank + known < size) answer(rank + known, comm);
        if (rank >= known && rank < 2 * known) learn(rank - known, comm);
    }
}

void clock_synchronise(const struct placement *placement) {
    model = (struct clock_model){0};
    if (placement->leaders != MPI_COMM_NULL) along_tree(placement->leaders);
    along_tree(placement->node_comm);
    synchronised_at = clock_local();
    MPI_Barrier(placement->comm);
}

bool clock_renew(const struct placement *placement, double seconds) {
    int is_old = clock_local() - synchronised_at > seconds;
    MPI_Bcast(&is_old, 1, MPI_INT, 0, placement->comm);
    if (is_old) clock_synchronise(placement);
    return is_old;
}

void clock_check(const struct placement *placement, double *seen, double *uncertain) {
    *seen = *uncertain = 0;
    for (int rank = 1; rank < placement->ranks; rank++) {
        if (placement->rank == 0) answer(rank, placement->comm);
        if (placement->rank != rank) continue;
        struct point now = ask(0, true, placement->comm);
        *seen = clock_global(now.at) - (now.at + now.offset);
        *uncertain = 0.5 * now.round_trip;
    }
}
