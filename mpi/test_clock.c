/* The error of each rank's global time: the claimed bound, and a second measurement. */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "clock.h"
#include "failure.h"
#include "output.h"
#include "rounds.h"
#include "tests.h"

void test_clock(struct run *run) {
    enum { USUAL_ROUNDS = 5, NUMBERS = 4 };
    int ranks = run->placement.ranks;
    double *all = need(malloc((size_t)ranks * NUMBERS * sizeof *all));
    run->rounds = run->options.rounds ? run->options.rounds : USUAL_ROUNDS;
    while (run->round < run->rounds && round_begin(run, NULL)) {
        double own[NUMBERS];
        nanosleep(&(struct timespec){0, 200000000}, NULL);
        clock_check(&run->placement, &own[0], &own[1]);
        own[2] = clock_error(clock_local());
        own[3] = clock_true_error();
        MPI_Gather(own, NUMBERS, MPI_DOUBLE, all, NUMBERS, MPI_DOUBLE, 0, run->placement.comm);
        for (int rank = 0; run->rank == 0 && rank < ranks; rank++) {
            double *of = all + rank * NUMBERS;
            record_begin("clock_check");
            write_text("test", run->test);
            write_integer("round", run->round);
            write_integer("rank", rank);
            write_number("seen", of[0]);
            write_number("uncertain", of[1]);
            write_number("claimed", of[2]);
            if (isfinite(of[3])) write_number("true", of[3]);
            record_end();
        }
        round_end(run);
    }
    free(all);
}
