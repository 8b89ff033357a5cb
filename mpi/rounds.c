#include "rounds.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "counters.h"
#include "failure.h"
#include "output.h"

/* Rank 0 creates DIR/TEST-ROUND-WHEN, and waits for DIR/TEST-ROUND-WHEN.done. */
static void handshake(const struct run *run, const char *when) {
    enum { MOST_SECONDS = 60 };
    if (!run->options.handshake || run->rank != 0) return;
    char asked[4096], answered[4096 + 8];
    snprintf(asked, sizeof asked, "%s/%s-%d-%s", run->options.handshake, run->test, run->round, when);
    snprintf(answered, sizeof answered, "%s.done", asked);
    FILE *file = fopen(asked, "w");
    if (!file || fclose(file) != 0) fail("%s: %s", asked, strerror(errno));
    double began = clock_local();
    while (access(answered, F_OK) != 0) {
        if (clock_local() - began > MOST_SECONDS) {
            remark(run, "no answer to %s within %d s", asked, MOST_SECONDS);
            return;
        }
        nanosleep(&(struct timespec){0, 2000000}, NULL);
    }
}

/* Where ranks share cores and no budget is given, the last round of a test begins so many seconds after the test. */
#define CROWDED_BUDGET 35.0

/* Whether no further round is to begin, as rank 0 has it. */
static bool is_spent(const struct run *run) {
    bool is_crowded = run->placement.is_oversubscribed && run->options.budget <= 0;
    double budget = is_crowded ? CROWDED_BUDGET : run->options.budget;
    double since = is_crowded ? clock_local() - run->test_began : clock_global(clock_local()) - run->began;
    int spent = budget > 0 && since > budget;
    MPI_Bcast(&spent, 1, MPI_INT, 0, run->placement.comm);
    if (spent)
        remark(run, "%s %g s is spent after %d of %d rounds", is_crowded ? "ranks share cores, and a test's time of" : "the budget of",
               budget, run->round, run->rounds);
    return spent;
}

bool round_begin(struct run *run, const char *what) {
    clock_renew(&run->placement, run->options.renew);
    if (is_spent(run)) return false;
    run->round++;
    if (run->rank == 0) {
        record_begin("round");
        write_text("test", run->test);
        write_integer("round", run->round);
        write_integer("of", run->rounds);
        if (what) write_text("what", what);
        write_integer("unix_ms", (long long)(1e3 * clock_of_day()));
        write_number("since_start", clock_local() - run->began);
        record_end();
    }
    handshake(run, "before");
    counters_read(run, "before");
    MPI_Barrier(run->placement.comm);
    return true;
}

void round_end(struct run *run) {
    MPI_Barrier(run->placement.comm);
    counters_read(run, "after");
    handshake(run, "after");
}
