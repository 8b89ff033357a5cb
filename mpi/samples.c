#include "samples.h"

#include <stdlib.h>
#include <string.h>

#include "failure.h"
#include "output.h"
#include "summary.h"

enum { TAG = 4 };

void sample_write(const struct run *run, const struct series *series, const struct job *job, const struct result *result,
                const double *values, struct interval *interval) {
    int late[result->count];
    size_t lates = 0;
    double kept[result->count];
    write_text("test", run->test);
    write_text("what", series->what);
    write_integer("round", run->round);
    if (series->from >= 0) {
        write_integer("from", series->from);
        write_integer("to", series->to);
        write_text("class", class_names[placement_class(&run->placement, series->from, series->to)]);
    }
    write_integer("bytes", (long long)job->bytes);
    write_integer("messages", job->messages);
    write_integer("operations", result->inner);
    day_write(result->day_began, result->day_ended);
    if (series->from >= 0) write_integer("sent", result->operations * job->messages * (long long)job->bytes);
    write_text("unit", job->unit ? job->unit : job->work > 0 ? "bytes/s" : "s");
    for (int i = 0; i < result->count; i++)
        if (result->late[i]) late[lates++] = i;
    *interval = median_of(kept, values_in_time(result, values, kept));
    write_number("median", interval->median);
    write_number("low", interval->low);
    write_number("high", interval->high);
    write_bool("narrow", interval->high - interval->low <= run->options.width * interval->median);
    write_integers("late", late, lates);
    write_numbers("values", values, (size_t)result->count);
}

void samples_write(struct run *run, const struct job *job, const struct result *result) {
    int rank, size;
    MPI_Comm_rank(run->comm, &rank);
    MPI_Comm_size(run->comm, &size);
    double *values = need(malloc((size_t)result->count * sizeof *values));
    struct heading {
        struct series series;
        char what[32];
        int is_there;
    } own[MOST_SERIES], *all = need(calloc((size_t)size, sizeof own));
    memset(own, 0, sizeof own);
    for (int series = 0; series < MOST_SERIES; series++) {
        if (!job->participates || !job->series[series].what) continue;
        own[series].series = job->series[series];
        own[series].is_there = 1;
        strncpy(own[series].what, job->series[series].what, sizeof own[series].what - 1);
    }
    MPI_Gather(own, (int)sizeof own, MPI_BYTE, all, (int)sizeof own, MPI_BYTE, 0, run->comm);
    for (int from = 0; from < size; from++) {
        for (int series = 0; series < MOST_SERIES; series++) {
            struct heading *heading = rank == 0 ? &all[from * MOST_SERIES + series] : &own[series];
            if (!heading->is_there || (rank != 0 && rank != from)) continue;
            if (rank == from)
                for (int i = 0; i < result->count; i++) values[i] = value_of(job, result, series, i);
            if (from != 0 && rank == from) MPI_Send(values, result->count, MPI_DOUBLE, 0, TAG, run->comm);
            if (rank != 0) continue;
            if (from != 0) MPI_Recv(values, result->count, MPI_DOUBLE, from, TAG, run->comm, MPI_STATUS_IGNORE);
            struct interval interval;
            heading->series.what = heading->what;
            record_begin("sample");
            sample_write(run, &heading->series, job, result, values, &interval);
            record_end();
            summary_add(run, &heading->series, job, interval.median);
        }
    }
    free(all);
    free(values);
}

void measure_and_write(struct run *run, const struct job *job) {
    struct result result;
    measure(run, job, &result);
    samples_write(run, job, &result);
    result_free(&result);
}
