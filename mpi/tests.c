#include "tests.h"

#include <string.h>

const struct test tests[] = {
    {"pingpong", "latency and bandwidth of chosen pairs, 0 bytes to 4 MiB", 2, test_pingpong},
    {"random", "random disjoint pairs at once, by class: same node, same leaf, different leaves", 2, test_random},
    {"rounds", "a schedule of disjoint pairs or flows: xor, round-robin, offset of leaves, or from a file", 2, test_rounds},
    {"nxn", "latency and bandwidth of every pair, in disjoint rounds or one at a time", 2, test_nxn},
    {"shift", "every rank sends to rank + d and receives from rank - d, for every d", 2, test_shift},
    {"multi", "the first half sends to the second: bandwidth and message rate", 2, test_multi},
    {"bidirectional", "the same pairs in both directions at once", 2, test_bidirectional},
    {"alltoall", "MPI_Alltoall, last exit minus first start", 2, test_alltoall},
    {"stencil", "a stencil in three dimensions, with and without overlap", 2, test_stencil},
    {"congestion", "latency, bandwidth and allreduce alone, and beside congestors", 4, test_congestion},
    {"tcp", "TCP from one host to one and to four, one thread a stream", 2, test_tcp},
    {"clock", "errors of global time: claimed and measured", 1, test_clock},
    {NULL, NULL, 0, NULL},
};

const struct test *test_find(const char *name, size_t length) {
    for (const struct test *test = tests; test->name; test++)
        if (strlen(test->name) == length && strncmp(test->name, name, length) == 0) return test;
    return NULL;
}
