/* Shifts, as LLNL's mpiGraph measures them: send and receive are timed separately. */
#include <stdlib.h>

#include "failure.h"
#include "operations.h"
#include "rounds.h"
#include "tests.h"

void test_shift(struct run *run) {
    const size_t usual = 1 << 20;
    int own = -1, shifts = run->count - 1, *order = need(malloc((size_t)shifts * sizeof *order));
    for (int i = 0; i < run->count; i++)
        if (run->members[i] == run->rank) own = i;
    for (int i = 0; i < shifts; i++) order[i] = i + 1;
    shuffle(&run->random, order, (size_t)shifts);
    run->rounds = run->options.rounds && run->options.rounds < shifts ? run->options.rounds : shifts;
    for (int i = 0; i < run->rounds; i++) {
        size_t chosen[MOST_SIZES], count = run_sizes(run, &usual, 1, chosen);
        int to = own < 0 ? -1 : run->members[(own + order[i]) % run->count];
        int from = own < 0 ? -1 : run->members[(own - order[i] + run->count) % run->count];
        if (!round_begin(run, NULL)) break;
        for (size_t k = 0; k < count; k++) flows_bandwidth(run, to, from, chosen[k], true);
        round_end(run);
    }
    free(order);
}
