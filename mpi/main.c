/* lacis-mpi: measures a fabric with MPI. See README.md. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "environment.h"
#include "failure.h"
#include "output.h"
#include "run.h"
#include "summary.h"
#include "tests.h"

static void read_leaves(struct run *run) {
    const char *reason = NULL;
    if (!run->options.leaves) return;
    char *text = run_read(run, run->options.leaves);
    int line = placement_read_leaves(&run->placement, text, &reason);
    if (line) refuse("%s:%d: %s", run->options.leaves, line, reason);
    free(text);
}

static void choose_members(struct run *run) {
    run->members = need(malloc((size_t)run->placement.ranks * sizeof *run->members));
    for (int rank = 0; rank < run->placement.ranks; rank++)
        if (!run->options.one_per_node || placement_is_leader(&run->placement, rank)) run->members[run->count++] = rank;
}

static void open_output(const struct run *run) {
    int error = run->rank == 0 && !output_open(run->options.output) ? errno : 0;
    MPI_Bcast(&error, 1, MPI_INT, 0, run->placement.comm);
    if (error) refuse("%s: cannot be written: %s", run->options.output, strerror(error));
}

static void finish(struct run *run, bool is_complete, double began) {
    double seen, uncertain, worst[2];
    clock_check(&run->placement, &seen, &uncertain);
    worst[0] = seen < 0 ? -seen : seen;
    worst[1] = uncertain;
    MPI_Reduce(run->rank == 0 ? MPI_IN_PLACE : worst, worst, 2, MPI_DOUBLE, MPI_MAX, 0, run->placement.comm);
    if (run->rank != 0) return;
    record_begin("end");
    write_bool("complete", is_complete);
    write_number("seconds", clock_local() - began);
    write_number("clock_off_by", worst[0]);
    write_number("clock_off_uncertain", worst[1]);
    record_end();
    output_close();
}

/* Calls `act` for each test named; refuses unknown names. Returns whether all calls returned true. */
static bool each_test(struct run *run, bool (*act)(struct run *, const struct test *)) {
    bool all = true;
    for (const char *name = run->options.test;; name++) {
        size_t length = strcspn(name, ",");
        const struct test *test = test_find(name, length);
        if (!test) refuse("no test %.*s; --list names them", (int)length, name);
        all = act(run, test) && all;
        name += length;
        if (*name == '\0') return all;
    }
}

static bool check(struct run *run, const struct test *test) {
    if (run->placement.ranks < test->least || (test->least > 1 && run->count < 2))
        refuse("%s needs %d ranks%s, not %d", test->name, test->least, run->options.one_per_node ? " on two nodes" : "", run->count);
    return true;
}

static bool perform(struct run *run, const struct test *test) {
    run->test = test->name;
    run->round = run->rounds = 0;
    run->test_began = clock_local();
    test->measure(run);
    if (run->rank == 0) {
        summary_write(run);
        record_begin("test_end");
        write_text("test", test->name);
        write_bool("complete", run->round == run->rounds);
        write_integer("rounds", run->round);
        write_integer("of", run->rounds);
        record_end();
    }
    return run->round == run->rounds;
}

static void list_tests(void) {
    for (const struct test *test = tests; test->name; test++) printf("%-14s %s\n", test->name, test->what);
}

/* Whether a test of the command line has threads. An MPI that allows for them may take longer for each message, so it is
 * asked for that only then. */
static bool has_threads(int count, char **arguments) {
    for (int i = 1; i < count; i++)
        for (const char *name = arguments[i]; *name; name += *name == ',') {
            size_t length = strcspn(name, ",");
            if (length == strlen("tcp") && strncmp(name, "tcp", length) == 0) return true;
            name += length;
        }
    return false;
}

static void start(int *count, char ***arguments) {
    int provided;
    if (has_threads(*count, *arguments)) MPI_Init_thread(count, arguments, MPI_THREAD_FUNNELED, &provided);
    else MPI_Init(count, arguments);
}

int main(int count, char **arguments) {
    struct run run = {0};
    int rank;
    start(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int status = options_read(&run.options, count, arguments, rank == 0);
    if (rank == 0 && run.options.lists_tests) list_tests();
    if (status >= 0) {
        MPI_Finalize();
        return status;
    }
    placement_discover(&run.placement);
    run.rank = run.placement.rank;
    run.comm = run.placement.comm;
    run.random.state = run.options.seed;
    read_leaves(&run);
    choose_members(&run);
    each_test(&run, check);
    open_output(&run);
    clock_begin(&run.placement);
    clock_synchronise(&run.placement);
    environment_write(&run);
    if (has_threads(count, arguments) && strcmp(run.options.test, "tcp") != 0)
        remark(&run, "the test tcp has threads, for which MPI may take longer for each message of the other tests");
    run.began = clock_global(clock_local());
    bool is_complete = each_test(&run, perform);
    finish(&run, is_complete, run.began);
    free(run.members);
    free(run.send);
    free(run.receive);
    placement_free(&run.placement);
    MPI_Finalize();
    return 0;
}
