/* A run: the state that all tests share. */
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
    MPI_Comm comm;        /* ranks that measure together now: all, except in the congestion test */
    int rank;             /* in placement.comm, as all ranks here */
    int round, rounds;    /* the current one, and how many */
    double began;         /* by the global clock */
    double test_began;    /* the current test, by the local clock */
    double clock_cost;    /* of a reading [s] */
    char *send, *receive; /* page-aligned, every page touched by its rank */
    size_t room;          /* bytes of each */
};

/* Makes room for `bytes` in both buffers. */
void run_room(struct run *run, size_t bytes);
/* Writes a remark into the output where this is rank 0. */
void remark(const struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The sizes of --bytes, or the test's own, shuffled at each call. */
size_t run_sizes(struct run *run, const size_t *own, size_t count, size_t *sizes);
/* The whole text of a file, read by rank 0 for all ranks; refuses an unreadable file. The caller frees it. */
char *run_read(const struct run *run, const char *path);

#endif
