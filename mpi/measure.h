/* Repeating an operation until its median is known, and telling rank 0. */
#ifndef LACIS_MEASURE_H
#define LACIS_MEASURE_H

#include "run.h"

enum { MOST_PARTS = 2 };

/* One measurement, as this rank sees it. */
struct job {
    /* Does it `inner` times; may set ends[0] and ends[1] to the local clock where its parts end at different times. */
    void (*operate)(void *context, int inner, double *ends);
    void *context;
    bool takes_part;  /* this rank operates */
    bool is_collective; /* its parts have no results of their own, but repeating stops by this rank's times */
    bool is_single;   /* every repeat is one operation, so that the slowest are seen */
    bool starts_together; /* every repeat begins in a window; else every batch of repeats does */
    /* Results of this rank, by part: what, from which rank to which; none where `what` is null. */
    struct part {
        const char *what;
        int from, to;
    } parts[MOST_PARTS];
    size_t bytes;   /* of a message */
    int messages;   /* in flight */
    const char *unit; /* where it is neither s nor bytes/s */
    double work;    /* bytes moved by one operation for a rate [bytes/s]; 0 for a time [s] */
    double divisor; /* messages that follow one another in an operation: a ping-pong has two */
};

struct result {
    int count, inner; /* repeats, and operations in each */
    bool is_narrow;
    double *begun, *ended[MOST_PARTS]; /* by the global clock [s] */
    int *late;                         /* 0 or 1: a rank missed that repeat's window */
};

/* Collective over run->comm: all ranks repeat equally often. */
void measure(struct run *run, const struct job *job, struct result *result);
/* The value of a repeat in the job's unit. */
double value_of(const struct job *job, const struct result *result, int part, int repeat);
/* Writes a record for each rank and part that has results. Collective over run->comm. */
void report(struct run *run, const struct job *job, const struct result *result);
/* Keys of a sample that say what was measured; `values` are raw, and those of late repeats do not count in the median. */
void put_sample(const struct run *run, const struct part *part, const struct job *job, const struct result *result,
                const double *values, struct interval *interval);
void result_free(struct result *result);
/* Both in one. */
void measure_and_report(struct run *run, const struct job *job);

#endif
