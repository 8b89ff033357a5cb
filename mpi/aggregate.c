#include "aggregate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "failure.h"
#include "output.h"
#include "samples.h"

struct times times_gather(const struct run *run, const struct job *job, const struct result *result, int series) {
    struct times times = {.count = result->count};
    int rank, count = result->count;
    MPI_Comm_rank(run->comm, &rank);
    MPI_Comm_size(run->comm, &times.ranks);
    double *own = need(malloc(2 * (size_t)count * sizeof *own)), *all = NULL;
    for (int i = 0; i < count; i++) {
        own[i] = job->participates ? result->begun[i] : NAN;
        own[count + i] = job->participates ? result->ended[series][i] : NAN;
    }
    if (rank == 0) {
        size_t total = (size_t)times.ranks * (size_t)count;
        all = need(malloc(2 * total * sizeof *all));
        times.begun = need(malloc(total * sizeof *times.begun));
        times.ended = need(malloc(total * sizeof *times.ended));
    }
    MPI_Gather(own, 2 * count, MPI_DOUBLE, all, 2 * count, MPI_DOUBLE, 0, run->comm);
    for (int of = 0; rank == 0 && of < times.ranks; of++) {
        size_t at = (size_t)of * (size_t)count, bytes = (size_t)count * sizeof *all;
        memcpy(times.begun + at, all + 2 * at, bytes);
        memcpy(times.ended + at, all + 2 * at + count, bytes);
    }
    free(own);
    free(all);
    return times;
}

void times_free(struct times *times) {
    free(times->begun);
    free(times->ended);
}

double measure_together(struct run *run, struct job *job, const char *what) {
    struct result result;
    job->is_collective = true;
    int rank;
    double median = NAN, error = clock_error(clock_local());
    MPI_Comm_rank(run->comm, &rank);
    measure(run, job, &result);
    struct times times = times_gather(run, job, &result, 0);
    MPI_Reduce(rank == 0 ? MPI_IN_PLACE : &error, &error, 1, MPI_DOUBLE, MPI_MAX, 0, run->comm);
    if (rank == 0) {
        double *values = need(malloc((size_t)times.count * sizeof *values));
        double *longest = need(malloc((size_t)times.count * sizeof *longest));
        for (int i = 0; i < times.count; i++) {
            double first = INFINITY, last = -INFINITY;
            longest[i] = 0;
            for (int of = 0; of < times.ranks; of++) {
                double begun = times.begun[of * times.count + i], ended = times.ended[of * times.count + i];
                first = fmin(first, begun), last = fmax(last, ended); /* NaN counts for neither */
                longest[i] = fmax(longest[i], (ended - begun) / result.inner);
            }
            values[i] = (last - first) / result.inner;
        }
        struct series series = {what, -1, -1};
        struct interval interval;
        record_begin("sample");
        sample_write(run, &series, job, &result, values, &interval);
        write_text("clock", "global: last exit minus first start");
        write_number("clock_error", error);
        write_numbers("longest_local", longest, (size_t)times.count);
        record_end();
        median = interval.median;
        free(values);
        free(longest);
    }
    times_free(&times);
    result_free(&result);
    return median;
}
