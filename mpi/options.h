/* The command line. */
#ifndef LACIS_OPTIONS_H
#define LACIS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

enum { MOST_SIZES = 64 };

struct options {
    const char *test, *output, *leaves, *schedule, *pairs, *counters, *handshake, *interface;
    size_t sizes[MOST_SIZES], size_count, congestor_bytes; /* bytes */
    int least, most;   /* repeats of a measurement */
    int warm_up;       /* operations before */
    int rounds;        /* 0: the test's own number */
    int window;        /* messages in flight; 0: by size */
    int threads;       /* of the TCP test */
    double width;      /* of the interval of the median, relative, at which repeating stops */
    double line_rate;  /* of a node [bytes/s]; 0: unknown */
    double renew;      /* age at which the clock models are fitted afresh [s] */
    double budget;     /* no round begins later than this after the start [s]; 0: no limit */
    unsigned long long seed;
    bool one_at_a_time, one_per_node, both_ways;
    bool lists_tests;  /* print the names of the tests, and end */
};

/* Returns -1, or the exit status where the program must end. Prints help and errors where `speaks`. */
int options_read(struct options *options, int count, char **arguments, bool speaks);

#endif
