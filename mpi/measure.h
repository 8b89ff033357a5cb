/* Repeating an operation until its median is known. */
#ifndef LACIS_MEASURE_H
#define LACIS_MEASURE_H

#include "run.h"

enum { MOST_SERIES = 2 };

/* What this rank does in one measurement, and the series of values that it reports. */
struct job {
    /* Operates `inner` times; sets ends[0] and ends[1] to the local clock where the two series end at different times. */
    void (*operate)(void *context, int inner, double *ends);
    void *context;
    bool participates;  /* this rank operates */
    bool is_collective; /* reports no series, but this rank's times decide when repeating stops */
    bool is_single;   /* every repeat is one operation, so that the slowest are seen */
    bool starts_together; /* every repeat begins in a window; else every batch of repeats does */
    /* Values that this rank reports, of messages from one rank to another; none where `what` is null. */
    struct series {
        const char *what;
        int from, to;
    } series[MOST_SERIES];
    size_t bytes;   /* of a message */
    int messages;   /* in flight */
    const char *unit; /* null: s or bytes/s */
    double work;    /* bytes moved by one operation for a rate [bytes/s]; 0 for a time [s] */
    double divisor; /* messages that follow one another in an operation: a ping-pong has two */
};

struct result {
    int count, inner; /* repeats, and operations in each */
    bool is_narrow;
    double *begun, *ended[MOST_SERIES]; /* by the global clock [s] */
    int *late;                         /* 0 or 1: a rank missed that repeat's window */
    double day_began, day_ended;       /* by this rank's clock of the day, with all warm-ups */
    long long operations;              /* in all, those of warm-ups too */
};

/* Collective over run->comm: all ranks repeat equally often. */
void measure(struct run *run, const struct job *job, struct result *result);
/* The value of a repeat in the job's unit. */
double value_of(const struct job *job, const struct result *result, int series, int repeat);
/* Copies the values of repeats that began in time, or all where fewer than half did. Returns how many. */
size_t values_in_time(const struct result *result, const double *values, double *kept);
void result_free(struct result *result);

#endif
