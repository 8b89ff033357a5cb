/* Order statistics, and a generator of random numbers that is the same on every rank. */
#ifndef LACIS_STATISTICS_H
#define LACIS_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

struct interval {
    double low, median, high; /* NaN where there are too few values for an interval */
};

/* The median and its interval of 95 % by order statistics, which assume nothing about the distribution. Sorts. */
struct interval median_of(double *values, size_t count);
/* The smallest value that at least `fraction` of the sorted values do not exceed. */
double quantile_of(const double *sorted, size_t count, double fraction);
double mean_of(const double *values, size_t count);

struct random {
    uint64_t state;
};
uint64_t random_next(struct random *random);
size_t random_below(struct random *random, size_t bound);
void shuffle(struct random *random, int *values, size_t count);

#endif
