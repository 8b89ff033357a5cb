/* MPI_Alltoall over all ranks. */
#include "aggregate.h"
#include "rounds.h"
#include "tests.h"

struct alltoall {
    char *send, *receive;
    int bytes;
    MPI_Comm comm;
};

static void operate(void *given, int inner, double *ends) {
    struct alltoall *context = given;
    (void)ends;
    for (int i = 0; i < inner; i++)
        MPI_Alltoall(context->send, context->bytes, MPI_BYTE, context->receive, context->bytes, MPI_BYTE, context->comm);
}

void test_alltoall(struct run *run) {
    static const size_t sizes[] = {1, 8, 64, 512, 4096, 32768, 262144};
    const size_t most = (size_t)1 << 30;
    size_t chosen[MOST_SIZES], count = run_sizes(run, sizes, sizeof sizes / sizeof *sizes, chosen);
    run->rounds = (int)count;
    for (size_t i = 0; i < count && round_begin(run, NULL); i++) {
        size_t bytes = chosen[i] * (size_t)run->placement.ranks;
        if (bytes <= most) {
            run_room(run, bytes);
            struct alltoall context = {run->send, run->receive, (int)chosen[i], run->comm};
            struct job job = {.operate = operate, .context = &context, .participates = true, .starts_together = true,
                              .bytes = chosen[i], .messages = run->placement.ranks - 1, .divisor = 1};
            measure_together(run, &job, "alltoall");
        } else {
            remark(run, "alltoall of %zu bytes is left out: %zu bytes a rank", chosen[i], bytes);
        }
        round_end(run);
    }
}
