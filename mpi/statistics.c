#include "statistics.h"

#include <math.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The largest r with P(Binomial(n, 1/2) < r) <= 2.5 %: the r-th value from either end bounds the median. */
static size_t rank_of_bound(size_t count) {
    double below = 0, log_half = (double)count * log(0.5);
    for (size_t r = 0; r < count; r++) {
        double n = (double)count, k = (double)r;
        below += exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + log_half);
        if (below > 0.025) return r;
    }
    return 0;
}

struct interval median_of(double *values, size_t count) {
    struct interval found = {NAN, NAN, NAN};
    if (count == 0) return found;
    qsort(values, count, sizeof *values, ascending);
    found.median = 0.5 * (values[(count - 1) / 2] + values[count / 2]);
    size_t bound = rank_of_bound(count);
    if (bound > 0) {
        found.low = values[bound - 1];
        found.high = values[count - bound];
    }
    return found;
}

double quantile_of(const double *sorted, size_t count, double fraction) {
    if (count == 0) return NAN;
    size_t index = (size_t)ceil(fraction * (double)count);
    return sorted[index == 0 ? 0 : (index > count ? count : index) - 1];
}

double mean_of(const double *values, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += values[i];
    return count ? sum / (double)count : NAN;
}

/* SplitMix64: G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014. */
uint64_t random_next(struct random *random) {
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

size_t random_below(struct random *random, size_t bound) { return (size_t)(random_next(random) % bound); }

void shuffle(struct random *random, int *values, size_t count) {
    for (size_t left = count; left > 1; left--) {
        size_t other = random_below(random, left);
        int kept = values[left - 1];
        values[left - 1] = values[other];
        values[other] = kept;
    }
}
