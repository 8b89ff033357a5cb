/* A run: what every test is given. */
#ifndef LACIS_RUN_H
#define LACIS_RUN_H

#include "options.h"
#include "placement.h"
#include "statistics.h"

struct run {
    const char *test; /* the current one */
    struct options options;
    struct placement placement;
    struct random random; /* the same on every rank */
    int *members, count;  /* the ranks that are measured, in order: all, or the first of each node */
    MPI_Comm comm;        /* ranks that measure together now: all, but for congestion */
    int rank;             /* in placement.comm, as everywhere */
    int round, rounds;    /* the current one of how many */
    double began;         /* by the global clock */
    double clock_cost;    /* of a reading [s] */
    char *send, *receive; /* page-aligned, every page touched by its rank */
    size_t room;          /* bytes of each */
};

/* Makes room for `bytes` in both buffers. Collective in spirit: every rank calls it alike. */
void run_room(struct run *run, size_t bytes);
/* A round begins, of so many: counters, the handshake, a record. False when the budget is spent. Collective. */
bool round_begin(struct run *run, const char *what);
void round_end(struct run *run);
/* A remark about the run in the output. By any rank; rank 0 writes. */
void remark(const struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The sizes asked for, or the test's own, in an order of their own each time. */
size_t run_sizes(struct run *run, const size_t *own, size_t count, size_t *sizes);
/* The whole text of a file, read by rank 0 for all; refuses what cannot be read. The caller frees it. */
char *run_read(const struct run *run, const char *path);

#endif
