/* Which ranks are paired in which round. Pairs of a round are disjoint, and all rounds together have every pair once. */
#ifndef LACIS_SCHEDULE_H
#define LACIS_SCHEDULE_H

#include "run.h"

/* The number of rounds that have all pairs of `count`: count - 1, and one more where it is odd. */
int schedule_rounds(int count);
/* XOR, for powers of two: partner[i] = i ^ round. Rounds count from 1. */
void schedule_xor(int count, int round, int *partner);
/* The round-robin tournament (a 1-factorisation of the complete graph): one rank is fixed, the others rotate. With an odd
 * number one rank waits in each round: partner -1. */
void schedule_round_robin(int count, int round, int *partner);
void schedule_random(struct random *random, int count, int *partner);
bool schedule_is_power_of_two(int count);

/* Flows from every leaf to the leaf `round` further on: the k-th rank of one to the k-th of the other, both in the order of
 * ranks; -1 for none, as for ranks whose leaf is unknown. */
void schedule_offset(const struct placement *placement, int round, int *to, int *from);

/* One flow of a file of rounds. */
struct flow {
    int round, from, to;
};
/* Reads lines "ROUND FROM TO" with hosts. Refuses other lines, and a host that sends or receives twice in a round; counts
 * flows whose hosts are not in this run as `absent`. Rounds are renumbered from 1 without gaps. The caller frees. */
struct flow *schedule_read(const struct run *run, const char *path, int *count, int *rounds, int *absent);

#endif
