/* Latency, bandwidth and allreduce of some nodes, alone and while the others load the network: the ratio is the impact.
 * After S. Chunduri et al., "GPCNeT: designing a benchmark suite for inducing and measuring contention in HPC
 * networks", SC 2019: four nodes of five are congestors. */
#include <math.h>
#include <stdlib.h>

#include "aggregate.h"
#include "barrier.h"
#include "congestors.h"
#include "failure.h"
#include "operations.h"
#include "output.h"
#include "rounds.h"
#include "schedule.h"
#include "tests.h"

enum { PROBES = 3, LATENCY_BYTES = 8, BANDWIDTH_BYTES = 131072, BANDWIDTH_WINDOW = 8 };
static const char *const probe_names[PROBES] = {"latency", "bandwidth and barrier", "allreduce"};

struct figures {
    double mean, p99;
    size_t count, late; /* values, and repeats for which a rank was late */
    bool with_late;     /* most repeats began late, so that all count */
    double began, ended; /* by rank 0's clock of the day */
};

static void allreduce(void *given, int inner, double *ends) {
    double one = 1, sum;
    (void)ends;
    for (int i = 0; i < inner; i++) MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, *(MPI_Comm *)given);
}

static void exchange_and_barrier(void *given, int inner, double *ends) {
    struct exchange *context = given;
    for (int i = 0; i < inner; i++) {
        exchange(context, 1, ends);
        barrier(context->comm);
    }
    ends[0] = ends[1] = 0; /* the whole counts */
}

/* Mean and 99th percentile of the durations of all ranks: of repeats that all began in time, unless these are the minority.
 * What a late rank delays is no congestion. */
static struct figures pooled(const struct run *run, const struct job *job, const struct result *result) {
    struct figures figures = {NAN, NAN, 0, 0, false, result->day_began, result->day_ended};
    for (int i = 0; i < result->count; i++) figures.late += result->late[i] != 0;
    figures.with_late = 2 * figures.late > (size_t)result->count;
    struct times times = times_gather(run, job, result, 0);
    if (run->rank == 0) {
        double *seconds = need(malloc((size_t)times.ranks * (size_t)times.count * sizeof *seconds));
        for (int i = 0; i < times.ranks * times.count; i++)
            if (isfinite(times.begun[i]) && (figures.with_late || !result->late[i % times.count])) seconds[figures.count++] = (times.ended[i] - times.begun[i]) / job->divisor;
        median_of(seconds, figures.count);
        figures.mean = mean_of(seconds, figures.count);
        figures.p99 = quantile_of(seconds, figures.count, 0.99);
        free(seconds);
    }
    times_free(&times);
    return figures;
}

static struct figures probe(struct run *run, int which, const int *partner) {
    int rank;
    MPI_Comm_rank(run->comm, &rank);
    int peer = partner[rank], window = BANDWIDTH_WINDOW;
    MPI_Request requests[2 * BANDWIDTH_WINDOW + 1];
    run_room(run, (size_t)BANDWIDTH_BYTES * BANDWIDTH_WINDOW);
    struct pair pair = {peer, rank < peer, LATENCY_BYTES, run->send, run->receive, run->comm};
    struct exchange both = {peer < 0 ? MPI_PROC_NULL : peer, peer < 0 ? MPI_PROC_NULL : peer, BANDWIDTH_BYTES, window,
                            run->send, run->receive, run->comm, requests};
    struct job jobs[PROBES] = {
        {.operate = ping_pong, .context = &pair, .participates = peer >= 0, .bytes = LATENCY_BYTES, .messages = 1, .divisor = 2},
        {.operate = exchange_and_barrier, .context = &both, .participates = true, .starts_together = true,
         .bytes = BANDWIDTH_BYTES, .messages = window, .divisor = 1},
        {.operate = allreduce, .context = &run->comm, .participates = true, .starts_together = true, .bytes = sizeof(double),
         .messages = 1, .divisor = 1},
    };
    struct job *job = &jobs[which];
    struct result result;
    job->is_single = true;
    measure(run, job, &result);
    if (which == 0) job->participates = pair.is_first;
    struct figures figures = pooled(run, job, &result);
    result_free(&result);
    return figures;
}

static void write_figures(const struct run *run, int which, const char *beside, struct figures found, struct figures alone) {
    if (run->rank != 0) return;
    record_begin("congestion");
    write_text("test", run->test);
    write_integer("round", run->round);
    write_text("what", probe_names[which]);
    if (beside) write_text("beside", beside);
    else write_null("beside");
    write_text("unit", "s");
    day_write(found.began, found.ended);
    write_integer("count", (long long)found.count);
    write_integer("late", (long long)found.late);
    write_bool("late_count", found.with_late);
    write_number("mean", found.mean);
    write_number("p99", found.p99);
    write_number("impact_mean", found.mean / alone.mean);
    write_number("impact_p99", found.p99 / alone.p99);
    record_end();
    if (found.with_late)
        remark(run, "%s%s%s: ranks began late in %zu repeats, most of them, so that their times include waiting",
               probe_names[which], beside ? " beside " : " alone", beside ? beside : "", found.late);
}

/* Which ranks measure: those of a fifth of the nodes, at least two, rank 0's among them. With fewer than three nodes, single
 * ranks are chosen. */
static bool *choose(struct run *run, bool *by_node) {
    struct placement *placement = &run->placement;
    *by_node = placement->nodes >= 3;
    int units = *by_node ? placement->nodes : placement->ranks, few = units / 5 < 2 ? 2 : units / 5;
    int *order = need(malloc((size_t)units * sizeof *order));
    bool *measures = need(calloc((size_t)placement->ranks, sizeof *measures));
    for (int i = 0; i < units; i++) order[i] = i;
    shuffle(&run->random, order + 1, (size_t)units - 1);
    for (int rank = 0; rank < placement->ranks; rank++)
        for (int i = 0; i < few; i++)
            if (order[i] == (*by_node ? placement->of[rank].node : rank)) measures[rank] = true;
    free(order);
    return measures;
}

void test_congestion(struct run *run) {
    bool by_node, *measures = choose(run, &by_node), measuring = measures[run->rank];
    MPI_Comm everyone = run->comm, team;
    int listener = 0, size, kept = run->options.least;
    struct figures alone[PROBES];
    while (measures[listener]) listener++;
    free(measures);
    if (!by_node) remark(run, "fewer than three nodes: single ranks measure, and single ranks are congestors");
    MPI_Comm_split(everyone, measuring, run->rank, &team);
    MPI_Comm_size(team, &size);
    int *partner = need(malloc((size_t)size * sizeof *partner));
    struct random own = {run->options.seed};
    schedule_random(&own, size, partner);
    run->options.least = run->options.most; /* a percentile needs all repeats */
    run->rounds = 1 + CONGESTORS;
    for (int kind = -1; kind < CONGESTORS; kind++) {
        if (!round_begin(run, kind < 0 ? "alone" : congestor_names[kind])) break;
        if (!measuring) {
            if (kind >= 0) congest(run, kind, team, everyone);
        } else {
            run->comm = team;
            if (kind >= 0 && run->rank == 0) congestors_wait(listener, everyone);
            barrier(team);
            for (int which = 0; which < PROBES; which++) {
                struct figures found = probe(run, which, partner);
                if (kind < 0) alone[which] = found;
                write_figures(run, which, kind < 0 ? NULL : congestor_names[kind], found, alone[which]);
            }
            if (kind >= 0 && run->rank == 0) congestors_stop(listener, everyone);
            run->comm = everyone;
        }
        round_end(run);
    }
    run->options.least = kept;
    free(partner);
    MPI_Comm_free(&team);
}
