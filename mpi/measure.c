#include "measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "barrier.h"
#include "clock.h"
#include "failure.h"

enum { MOST_INNER = 10000, CROWDED_BATCH = 2, TRIALS = 2 };
/* Where ranks share cores, every message waits for a turn: a measurement ends after so many seconds, however few its repeats. */
#define CROWDED_SECONDS 0.8
/* A sample lasts at least so many readings of the clock, and that many seconds. */
#define READINGS 200
#define SHORTEST_SAMPLE 100e-6
#define CROWDED_SAMPLE 20e-6 /* where ranks share cores, a message may take a thousand times as long as the fastest */

/* How many operations make a sample long enough, for the rank that is fastest. */
static int inner_of(struct run *run, const struct job *job) {
    int inner = 1;
    if (job->participates) {
        double ends[MOST_SERIES] = {0};
        int warm_up = run->options.warm_up;
        if (warm_up > 0) job->operate(job->context, warm_up, ends);
        double began = clock_local(), least = run->placement.is_oversubscribed ? CROWDED_SAMPLE : SHORTEST_SAMPLE;
        double shortest = fmax(least, READINGS * run->clock_cost);
        job->operate(job->context, TRIALS, ends);
        double one = (clock_local() - began) / TRIALS;
        if (!job->is_single) inner = one > 0 ? (int)fmin(MOST_INNER, ceil(shortest / one)) : MOST_INNER;
    }
    MPI_Allreduce(MPI_IN_PLACE, &inner, 1, MPI_INT, MPI_MAX, run->comm);
    return inner < 1 ? 1 : inner;
}

static void repeat(const struct run *run, const struct job *job, struct result *result, int number) {
    bool is_first = result->late[number] == -1;
    result->late[number] = 0;
    if (job->starts_together || is_first)
        result->late[number] = !window_wait(run->comm, run->placement.is_oversubscribed);
    if (!job->participates) return;
    double ends[MOST_SERIES] = {0}, began = clock_local();
    job->operate(job->context, result->inner, ends);
    double ended = clock_local();
    result->begun[number] = clock_global(began);
    for (int series = 0; series < MOST_SERIES; series++)
        result->ended[series][number] = clock_global(ends[series] > 0 ? ends[series] : ended);
}

double value_of(const struct job *job, const struct result *result, int series, int repeat) {
    double seconds = (result->ended[series][repeat] - result->begun[repeat]) / result->inner;
    return job->work > 0 ? job->work / seconds : seconds / job->divisor;
}

size_t values_in_time(const struct result *result, const double *values, double *kept) {
    size_t count = 0;
    for (int i = 0; i < result->count; i++)
        if (!result->late[i]) kept[count++] = values[i];
    if (2 * count >= (size_t)result->count) return count;
    memcpy(kept, values, (size_t)result->count * sizeof *kept);
    return (size_t)result->count;
}

static bool is_narrow(const struct run *run, const struct job *job, const struct result *result) {
    double values[result->count], kept[result->count];
    for (int series = 0; series < MOST_SERIES; series++) {
        if (!job->series[series].what && !(job->is_collective && series == 0)) continue;
        for (int i = 0; i < result->count; i++) values[i] = value_of(job, result, series, i);
        struct interval found = median_of(kept, values_in_time(result, values, kept));
        if (!(found.high - found.low <= run->options.width * found.median)) return false;
    }
    return true;
}

void measure(struct run *run, const struct job *job, struct result *result) {
    int most = run->options.most, goal = run->options.least;
    *result = (struct result){0};
    result->begun = need(calloc((size_t)most, sizeof *result->begun));
    result->late = need(calloc((size_t)most, sizeof *result->late));
    for (int series = 0; series < MOST_SERIES; series++)
        result->ended[series] = need(calloc((size_t)most, sizeof **result->ended));
    bool is_crowded = run->placement.is_oversubscribed;
    double began = clock_local();
    result->day_began = clock_of_day();
    result->inner = inner_of(run, job);
    while (result->count < most) {
        int first = result->count, late = 0;
        int wanted = goal;
        if (is_crowded && goal > first + CROWDED_BATCH) goal = first + CROWDED_BATCH;
        result->late[first] = -1;
        for (; result->count < goal; result->count++) repeat(run, job, result, result->count);
        MPI_Allreduce(MPI_IN_PLACE, result->late + first, goal - first, MPI_INT, MPI_MAX, run->comm);
        for (int i = first; i < goal; i++) late += result->late[i];
        window_adapt(late, job->starts_together ? goal - first : 1);
        /* Where only the first repeat of a batch waits for other ranks, beginning late does not change its values. */
        if (!job->starts_together) result->late[first] = 0;
        int is_whole = goal == wanted;
        int state[] = {is_whole && (!job->participates || is_narrow(run, job, result)),
                       !is_crowded || clock_local() - began < CROWDED_SECONDS}; /* narrow enough; in time */
        MPI_Allreduce(MPI_IN_PLACE, state, 2, MPI_INT, MPI_LAND, run->comm);
        result->is_narrow = state[0];
        if (state[0] || !state[1]) break;
        goal = !is_whole ? wanted : 2 * goal < most ? 2 * goal : most;
    }
    result->operations = run->options.warm_up + TRIALS + (long long)result->inner * result->count;
    result->day_ended = clock_of_day();
}

void result_free(struct result *result) {
    free(result->begun);
    free(result->late);
    for (int series = 0; series < MOST_SERIES; series++) free(result->ended[series]);
}
