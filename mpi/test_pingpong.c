/* Ping-pong of chosen pairs, one after another; all sizes, in a shuffled order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"
#include "operations.h"
#include "rounds.h"
#include "tests.h"

static const size_t sizes[] = {0,    1,     2,     4,     8,     16,     32,     64,     128,     256,     512,    1024,
                               2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288, 1048576, 2097152, 4194304};

static void measure_pair(struct run *run, int a, int b) {
    int ranks = run->placement.ranks, *partner = need(malloc((size_t)ranks * sizeof *partner));
    size_t chosen[MOST_SIZES], count = run_sizes(run, sizes, sizeof sizes / sizeof *sizes, chosen);
    for (int rank = 0; rank < ranks; rank++) partner[rank] = rank == a ? b : rank == b ? a : -1;
    for (size_t i = 0; i < count; i++) pairs_latency(run, partner, chosen[i]);
    free(partner);
}

static int pair_count(const char *text) {
    int count = 1;
    for (; *text; text++) count += *text == ',';
    return count;
}

void test_pingpong(struct run *run) {
    int ranks = run->placement.ranks, a = 0, b = ranks - 1, used;
    while (b > 1 && run->placement.of[b - 1].node == run->placement.of[ranks - 1].node) b--;
    const char *text = run->options.pairs;
    run->rounds = text ? pair_count(text) : 1;
    if (!text) {
        if (round_begin(run, NULL)) measure_pair(run, a, b), round_end(run);
        return;
    }
    for (const char *at = text; *at; at += used + (at[used] == ',')) { /* check all before measuring any */
        if (sscanf(at, "%d-%d%n", &a, &b, &used) != 2 || a < 0 || b < 0 || a >= ranks || b >= ranks || a == b ||
            (at[used] != '\0' && at[used] != ','))
            refuse("--pairs: two different ranks below %d were expected, as in 0-1: %s", ranks, at);
    }
    for (const char *at = text; *at; at += used + (at[used] == ',')) {
        if (sscanf(at, "%d-%d%n", &a, &b, &used) != 2 || !round_begin(run, NULL)) return;
        measure_pair(run, a, b);
        round_end(run);
    }
}
