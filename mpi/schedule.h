/* Which ranks are paired in which round. Pairs of a round are disjoint, and all rounds together hold every pair once. */
#ifndef LACIS_SCHEDULE_H
#define LACIS_SCHEDULE_H

#include "run.h"

/* Rounds that make all pairs of `count` meet: count - 1, and one more where it is odd. */
int schedule_rounds(int count);
/* XOR, for powers of two: partner[i] = i ^ round. Rounds count from 1. */
void schedule_xor(int count, int round, int *partner);
/* The round-robin tournament (a 1-factorisation of the complete graph): one stays, the others turn around it. Of an odd
 * number one waits in each round: partner -1. */
void schedule_round_robin(int count, int round, int *partner);
void schedule_random(struct random *random, int count, int *partner);
bool schedule_is_power_of_two(int count);

/* Flows from every leaf to the leaf `round` further on: the k-th rank of one to the k-th of the other, both in the order of
 * ranks; -1 for none. Ranks whose leaf is unknown take no part. */
void schedule_offset(const struct placement *placement, int round, int *to, int *from);

/* One flow of a file of rounds. */
struct flow {
    int round, from, to;
};
/* Reads lines "ROUND FROM TO" with hosts; refuses what is no such line, a host that is used twice in a round, and counts
 * flows whose hosts are not in this run. Rounds are numbered from 1 without gaps afterwards. The caller frees. */
struct flow *schedule_read(const struct run *run, const char *path, int *count, int *rounds, int *absent);

#endif
