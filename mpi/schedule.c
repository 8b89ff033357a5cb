#include "schedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"

int schedule_rounds(int count) { return count + count % 2 - 1; }

bool schedule_is_power_of_two(int count) { return (count & (count - 1)) == 0; }

void schedule_xor(int count, int round, int *partner) {
    for (int i = 0; i < count; i++) partner[i] = (i ^ round) < count ? i ^ round : -1;
}

void schedule_round_robin(int count, int round, int *partner) {
    int turning = count + count % 2 - 1, still = turning; /* `still` is not a rank where the count is odd */
    for (int i = 0; i < count; i++) {
        int other = i == still ? -1 : ((round - i) % turning + turning) % turning;
        if (i == still) /* paired with the rank i that would be its own partner: 2 i = round, modulo an odd number */
            other = (int)((long long)round * (turning + 1) / 2 % turning);
        else if (other == i)
            other = still;
        partner[i] = other < count ? other : -1;
    }
}

void schedule_random(struct random *random, int count, int *partner) {
    int *order = need(malloc((size_t)count * sizeof *order));
    for (int i = 0; i < count; i++) order[i] = i, partner[i] = -1;
    shuffle(random, order, (size_t)count);
    for (int i = 0; i + 1 < count; i += 2) {
        partner[order[i]] = order[i + 1];
        partner[order[i + 1]] = order[i];
    }
    free(order);
}

void schedule_offset(const struct placement *placement, int round, int *to, int *from) {
    int leaves = placement->leaves;
    for (int rank = 0; rank < placement->ranks; rank++) to[rank] = from[rank] = -1;
    for (int rank = 0; rank < placement->ranks; rank++) {
        int leaf = placement->of[rank].leaf, number = 0;
        if (leaf < 0) continue;
        for (int before = 0; before < rank; before++) number += placement->of[before].leaf == leaf;
        for (int other = 0, seen = 0; other < placement->ranks; other++) {
            if (placement->of[other].leaf != (leaf + round) % leaves || seen++ != number) continue;
            to[rank] = other;
            from[other] = rank;
        }
    }
}

static int by_round(const void *a, const void *b) {
    const struct flow *x = a, *y = b;
    return x->round != y->round ? (x->round > y->round) - (x->round < y->round) : x->from - y->from;
}

/* A rank sends at most once in a round, and receives at most once. */
static void refuse_doubles(const struct run *run, const char *path, const struct flow *flows, int count) {
    int *sent = need(calloc((size_t)run->placement.ranks, sizeof *sent));
    int *received = need(calloc((size_t)run->placement.ranks, sizeof *received));
    for (int i = 0; i < count; i++) {
        const struct flow *flow = &flows[i];
        if (sent[flow->from] == flow->round || received[flow->to] == flow->round)
            refuse("%s: a host sends or receives twice in round %d: %s", path, flow->round,
                   run->placement.of[sent[flow->from] == flow->round ? flow->from : flow->to].host);
        sent[flow->from] = received[flow->to] = flow->round;
    }
    free(sent);
    free(received);
}

struct flow *schedule_read(const struct run *run, const char *path, int *count, int *rounds, int *absent) {
    char *text = run_read(run, path);
    struct flow *flows = NULL;
    int room = 0, number = 0;
    *count = *absent = *rounds = 0;
    for (char *line = text; line && *line; number++) {
        char *next = strchr(line, '\n'), from[HOST_CHARS], to[HOST_CHARS], more[2];
        int round;
        if (next) *next++ = '\0';
        line[strcspn(line, "#\r")] = '\0';
        int fields = sscanf(line, "%d %255s %255s %1s", &round, from, to, more);
        if (fields > 0 && (fields != 3 || round < 1)) refuse("%s:%d: ROUND FROM TO was expected: %.80s", path, number + 1, line);
        if (fields <= 0 && line[strspn(line, " \t")] != '\0')
            refuse("%s:%d: ROUND FROM TO was expected: %.80s", path, number + 1, line);
        if (fields == 3) {
            struct flow flow = {round, placement_find(&run->placement, from), placement_find(&run->placement, to)};
            if (flow.from < 0 || flow.to < 0 || flow.from == flow.to) {
                ++*absent;
            } else {
                if (*count == room) flows = need(realloc(flows, (size_t)(room = 2 * room + 256) * sizeof *flows));
                flows[(*count)++] = flow;
            }
        }
        line = next;
    }
    free(text);
    if (*count == 0) refuse("%s: no flow between hosts of this run", path);
    qsort(flows, (size_t)*count, sizeof *flows, by_round);
    refuse_doubles(run, path, flows, *count);
    for (int i = 0, last = 0; i < *count; i++) {
        if (flows[i].round != last) last = flows[i].round, ++*rounds;
        flows[i].round = *rounds;
    }
    return flows;
}
