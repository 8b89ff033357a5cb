/* The table of tests: one file each. */
#ifndef LACIS_TESTS_H
#define LACIS_TESTS_H

#include "run.h"

struct test {
    const char *name, *what;
    int least; /* the fewest ranks */
    void (*measure)(struct run *run);
};

extern const struct test tests[]; /* ends with a null name */
/* The test whose name is the first `length` characters. */
const struct test *test_find(const char *name, size_t length);

void test_pingpong(struct run *run);
void test_random(struct run *run);
void test_rounds(struct run *run);
void test_nxn(struct run *run);
void test_shift(struct run *run);
void test_multi(struct run *run);
void test_bidirectional(struct run *run);
void test_alltoall(struct run *run);
void test_stencil(struct run *run);
void test_congestion(struct run *run);
void test_tcp(struct run *run);
void test_clock(struct run *run);

#endif
