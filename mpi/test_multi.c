/* Many pairs at once: rank i of the first half with rank i of the second. */
#include <math.h>
#include <stdlib.h>

#include "aggregate.h"
#include "failure.h"
#include "operations.h"
#include "output.h"
#include "rounds.h"
#include "samples.h"
#include "tests.h"

static const size_t sizes[] = {1, 8, 64, 512, 4096, 16384, 65536, 262144, 1048576, 4194304};

static int halves(const struct run *run, int *partner) {
    int half = run->count / 2;
    for (int rank = 0; rank < run->placement.ranks; rank++) partner[rank] = -1;
    for (int i = 0; i < half; i++) {
        partner[run->members[i]] = run->members[half + i];
        partner[run->members[half + i]] = run->members[i];
    }
    return half;
}

static int sending_nodes(const struct run *run) {
    int nodes = 0, last = -1;
    for (int i = 0; i < run->count / 2; i++) {
        int node = run->placement.of[run->members[i]].node;
        nodes += node != last;
        last = node;
    }
    return nodes;
}

/* By the longest time of a pair the rate cannot exceed what the links carry; by the average time it can. */
static void write_rates(const struct run *run, const struct job *job, const struct result *result, struct times times,
                        int pairs) {
    double *by_longest = need(malloc((size_t)times.count * sizeof *by_longest));
    double *by_average = need(malloc((size_t)times.count * sizeof *by_average));
    double messages = (double)pairs * job->messages * result->inner;
    for (int i = 0; i < times.count; i++) {
        double longest = 0, sum = 0;
        for (int rank = 0; rank < times.ranks; rank++) {
            double seconds = times.ended[rank * times.count + i] - times.begun[rank * times.count + i];
            if (!isfinite(seconds)) continue;
            longest = fmax(longest, seconds);
            sum += seconds;
        }
        by_longest[i] = messages / longest;
        by_average[i] = messages / (sum / pairs);
    }
    struct interval interval, average;
    struct series series = {"message rate", -1, -1};
    record_begin("aggregate");
    sample_write(run, &series, job, result, by_longest, &interval);
    write_integer("pairs", pairs);
    write_numbers("values_by_average_time", by_average, (size_t)times.count);
    average = median_of(by_average, (size_t)times.count);
    write_number("bandwidth", interval.median * (double)job->bytes);
    write_number("bandwidth_by_average_time", average.median * (double)job->bytes);
    double limit = run->options.line_rate * sending_nodes(run);
    if (limit > 0) {
        write_number("line_rate", limit);
        write_bool("exceeds_line_rate", interval.median * (double)job->bytes > limit);
        write_bool("average_exceeds_line_rate", average.median * (double)job->bytes > limit);
    } else {
        write_null("line_rate");
        write_null("exceeds_line_rate");
        write_null("average_exceeds_line_rate");
    }
    record_end();
    free(by_longest);
    free(by_average);
}

void test_multi(struct run *run) {
    int *partner = need(malloc((size_t)run->placement.ranks * sizeof *partner)), pairs = halves(run, partner);
    int peer = partner[run->rank];
    size_t chosen[MOST_SIZES], count = run_sizes(run, sizes, sizeof sizes / sizeof *sizes, chosen);
    bool is_sender = run->rank < peer;
    run->rounds = (int)count;
    for (size_t i = 0; i < count && round_begin(run, NULL); i++) {
        size_t bytes = chosen[i];
        int window = window_of(run, bytes);
        run_room(run, bytes * (size_t)window);
        MPI_Request *requests = need(malloc((size_t)(2 * window + 1) * sizeof *requests));
        struct exchange context = {peer >= 0 && is_sender ? peer : MPI_PROC_NULL, peer >= 0 && !is_sender ? peer : MPI_PROC_NULL,
                                   bytes, window, run->send, run->receive, run->comm, requests};
        struct job job = {.operate = exchange, .context = &context, .participates = peer >= 0, .starts_together = true,
                          .bytes = bytes, .messages = window, .work = bytes ? (double)bytes * window : 0, .divisor = window};
        if (peer >= 0 && is_sender) job.series[0] = (struct series){"send", run->rank, peer};
        struct result result;
        measure(run, &job, &result);
        samples_write(run, &job, &result);
        struct job senders = job;
        senders.participates = is_sender && peer >= 0;
        struct times times = times_gather(run, &senders, &result, 0);
        senders.unit = "messages/s";
        if (run->rank == 0) write_rates(run, &senders, &result, times, pairs);
        times_free(&times);
        result_free(&result);
        free(requests);
        round_end(run);
    }
    free(partner);
}

void test_bidirectional(struct run *run) {
    int *partner = need(malloc((size_t)run->placement.ranks * sizeof *partner));
    size_t chosen[MOST_SIZES], count = run_sizes(run, sizes, sizeof sizes / sizeof *sizes, chosen);
    halves(run, partner);
    run->rounds = (int)count;
    for (size_t i = 0; i < count && round_begin(run, NULL); i++) {
        pairs_bandwidth(run, partner, chosen[i], BOTH_DIRECTIONS);
        round_end(run);
    }
    free(partner);
}
