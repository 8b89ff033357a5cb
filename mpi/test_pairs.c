/* Disjoint pairs at once: random ones, or all. */
#include <stdlib.h>
#include <string.h>

#include "failure.h"
#include "operations.h"
#include "rounds.h"
#include "schedule.h"
#include "tests.h"

enum { BANDWIDTH_BYTES = 4 << 20 };

/* Converts partners among the measured ranks to partners among all ranks. */
static void spread(const struct run *run, const int *partner, int *of_all) {
    for (int rank = 0; rank < run->placement.ranks; rank++) of_all[rank] = -1;
    for (int i = 0; i < run->count; i++)
        if (partner[i] >= 0) of_all[run->members[i]] = run->members[partner[i]];
}

static void measure_pairs(struct run *run, const int *of_all) {
    const size_t usual = BANDWIDTH_BYTES;
    size_t chosen[MOST_SIZES], count = run_sizes(run, &usual, 1, chosen);
    pairs_latency(run, of_all, 0);
    for (size_t i = 0; i < count; i++) {
        if (run->options.both_ways) {
            pairs_bandwidth(run, of_all, chosen[i], BOTH_DIRECTIONS);
            continue;
        }
        pairs_bandwidth(run, of_all, chosen[i], THERE);
        pairs_bandwidth(run, of_all, chosen[i], BACK);
    }
}

void test_random(struct run *run) {
    enum { USUAL_ROUNDS = 10 };
    int *partner = need(malloc((size_t)run->count * sizeof *partner));
    int *of_all = need(malloc((size_t)run->placement.ranks * sizeof *of_all));
    run->rounds = run->options.rounds ? run->options.rounds : USUAL_ROUNDS;
    while (run->round < run->rounds) {
        schedule_random(&run->random, run->count, partner);
        spread(run, partner, of_all);
        if (!round_begin(run, NULL)) break;
        measure_pairs(run, of_all);
        round_end(run);
    }
    free(partner);
    free(of_all);
}

static void one_at_a_time(struct run *run, int *of_all) {
    int pairs = run->count * (run->count - 1) / 2, *order = need(malloc((size_t)pairs * sizeof *order));
    for (int i = 0; i < pairs; i++) order[i] = i;
    shuffle(&run->random, order, (size_t)pairs);
    run->rounds = pairs;
    for (int i = 0; i < pairs; i++) {
        /* Pair number k of the triangle (0,1), (0,2), (1,2), (0,3), … */
        int b = 1, k = order[i];
        while (k >= b) k -= b++;
        for (int rank = 0; rank < run->placement.ranks; rank++) of_all[rank] = -1;
        of_all[run->members[k]] = run->members[b];
        of_all[run->members[b]] = run->members[k];
        if (!round_begin(run, NULL)) break;
        measure_pairs(run, of_all);
        round_end(run);
    }
    free(order);
}

/* Every pair once, in rounds of disjoint pairs, in a shuffled order. */
static void in_rounds(struct run *run, int *of_all, bool by_xor) {
    int rounds = schedule_rounds(run->count);
    int *order = need(malloc((size_t)rounds * sizeof *order)), *partner = need(malloc((size_t)run->count * sizeof *partner));
    for (int i = 0; i < rounds; i++) order[i] = i + 1;
    shuffle(&run->random, order, (size_t)rounds);
    run->rounds = run->options.rounds && run->options.rounds < rounds ? run->options.rounds : rounds;
    for (int i = 0; i < run->rounds; i++) {
        if (by_xor) schedule_xor(run->count, order[i], partner);
        else schedule_round_robin(run->count, order[i], partner);
        spread(run, partner, of_all);
        if (!round_begin(run, NULL)) break;
        measure_pairs(run, of_all);
        round_end(run);
    }
    free(order);
    free(partner);
}

void test_nxn(struct run *run) {
    int *of_all = need(malloc((size_t)run->placement.ranks * sizeof *of_all));
    if (run->options.one_at_a_time) one_at_a_time(run, of_all);
    else in_rounds(run, of_all, schedule_is_power_of_two(run->count));
    free(of_all);
}

static void flows_of_all(struct run *run, int to, int from) {
    const size_t usual = BANDWIDTH_BYTES;
    size_t chosen[MOST_SIZES], count = run_sizes(run, &usual, 1, chosen);
    for (size_t i = 0; i < count; i++) flows_bandwidth(run, to, from, chosen[i], false);
}

static void by_offset(struct run *run) {
    int *to = need(malloc((size_t)run->placement.ranks * sizeof *to)), *from = need(malloc((size_t)run->placement.ranks * sizeof *from));
    if (run->placement.leaves < 2) refuse("--schedule offset needs hosts on two leaves; --leaves names them");
    run->rounds = run->placement.leaves - 1;
    if (run->options.rounds && run->options.rounds < run->rounds) run->rounds = run->options.rounds;
    for (int offset = 1; offset <= run->rounds; offset++) {
        schedule_offset(&run->placement, offset, to, from);
        if (!round_begin(run, NULL)) break;
        flows_of_all(run, to[run->rank], from[run->rank]);
        round_end(run);
    }
    free(to);
    free(from);
}

static void from_file(struct run *run, const char *path) {
    int count, absent;
    struct flow *flows = schedule_read(run, path, &count, &run->rounds, &absent);
    if (absent) remark(run, "%s: %d flows between hosts that are not in this run are left out", path, absent);
    for (int first = 0; first < count;) {
        int to = -1, from = -1, round = flows[first].round;
        for (; first < count && flows[first].round == round; first++) {
            if (flows[first].from == run->rank) to = flows[first].to;
            if (flows[first].to == run->rank) from = flows[first].from;
        }
        if (!round_begin(run, NULL)) break;
        flows_of_all(run, to, from);
        round_end(run);
    }
    free(flows);
}

void test_rounds(struct run *run) {
    const char *schedule = run->options.schedule;
    int *of_all = need(malloc((size_t)run->placement.ranks * sizeof *of_all));
    if (strcmp(schedule, "xor") == 0) {
        if (!schedule_is_power_of_two(run->count)) refuse("--schedule xor needs a power of two, not %d ranks; round-robin takes any number", run->count);
        in_rounds(run, of_all, true);
    } else if (strcmp(schedule, "round-robin") == 0) {
        in_rounds(run, of_all, false);
    } else if (strcmp(schedule, "offset") == 0) {
        by_offset(run);
    } else if (strncmp(schedule, "file:", 5) == 0) {
        from_file(run, schedule + 5);
    } else {
        refuse("--schedule: xor, round-robin, offset or file:PATH was expected: %s", schedule);
    }
    free(of_all);
}
