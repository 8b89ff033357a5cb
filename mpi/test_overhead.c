/* The ping-pong of this program against a bare loop between the same two ranks in the same run, in alternating blocks. */
#include <stdlib.h>

#include "clock.h"
#include "failure.h"
#include "operations.h"
#include "output.h"
#include "rounds.h"
#include "tests.h"

/* Half the round trip of a bare loop [s]. */
static double bare(const struct run *run, int first, int second, int bytes, int exchanges) {
    enum { TAG = 7 };
    double began = MPI_Wtime();
    if (run->rank == first) {
        for (int i = 0; i < exchanges; i++) {
            MPI_Send(run->send, bytes, MPI_BYTE, second, TAG, run->comm);
            MPI_Recv(run->receive, bytes, MPI_BYTE, second, TAG, run->comm, MPI_STATUS_IGNORE);
        }
    } else if (run->rank == second) {
        for (int i = 0; i < exchanges; i++) {
            MPI_Recv(run->receive, bytes, MPI_BYTE, first, TAG, run->comm, MPI_STATUS_IGNORE);
            MPI_Send(run->send, bytes, MPI_BYTE, first, TAG, run->comm);
        }
    }
    return (MPI_Wtime() - began) / exchanges / 2;
}

static void one_size(struct run *run, size_t bytes) {
    enum { BLOCKS = 40 };
    int first = 0, second = run->placement.ranks - 1;
    double bares[BLOCKS], ours[BLOCKS];
    run_room(run, bytes);
    struct pair pair = {run->rank == first ? second : first, run->rank == first, bytes, run->send, run->receive, run->comm};
    struct job job = {.operate = ping_pong, .context = &pair, .participates = run->rank == first || run->rank == second,
                      .bytes = bytes, .messages = 1, .divisor = 2};
    int kept = run->options.most;
    run->options.most = run->options.least; /* as many repeats in each block */
    bare(run, first, second, (int)bytes, 1000);
    for (int block = 0; block < BLOCKS; block++) {
        struct result result;
        measure(run, &job, &result);
        double sum = 0;
        for (int i = 0; job.participates && i < result.count; i++) sum += value_of(&job, &result, 0, i);
        ours[block] = sum / result.count;
        MPI_Barrier(run->comm);
        bares[block] = bare(run, first, second, (int)bytes, result.count * result.inner);
        result_free(&result);
    }
    run->options.most = kept;
    if (run->rank != 0) return;
    record_begin("overhead");
    write_text("test", run->test);
    write_integer("bytes", (long long)bytes);
    write_numbers("bare", bares, BLOCKS);
    write_numbers("ours", ours, BLOCKS);
    double without = median_of(bares, BLOCKS).median, with = median_of(ours, BLOCKS).median;
    write_number("bare_median", without);
    write_number("ours_median", with);
    write_number("bare_fastest", bares[0]); /* the median sorted them */
    write_number("ours_fastest", ours[0]);
    write_number("ratio", with / without);
    write_number("ratio_of_fastest", ours[0] / bares[0]);
    record_end();
}

void test_overhead(struct run *run) {
    static const size_t sizes[] = {0, 8, 1024, 65536};
    size_t chosen[MOST_SIZES], count = run_sizes(run, sizes, sizeof sizes / sizeof *sizes, chosen);
    run->rounds = (int)count;
    for (size_t i = 0; i < count && round_begin(run, NULL); i++) {
        one_size(run, chosen[i]);
        round_end(run);
    }
}
