#include "operations.h"

#include <sched.h>
#include <stdlib.h>

#include "clock.h"
#include "failure.h"
#include "samples.h"

enum { TAG = 5, ANSWER = 6 };

void ping_pong(void *context, int inner, double *ends) {
    const struct pair *pair = context;
    int bytes = (int)pair->bytes, peer = pair->peer;
    (void)ends;
    if (pair->is_first) {
        for (int i = 0; i < inner; i++) {
            MPI_Send(pair->send, bytes, MPI_BYTE, peer, TAG, pair->comm);
            MPI_Recv(pair->receive, bytes, MPI_BYTE, peer, TAG, pair->comm, MPI_STATUS_IGNORE);
        }
    } else {
        for (int i = 0; i < inner; i++) {
            MPI_Recv(pair->receive, bytes, MPI_BYTE, peer, TAG, pair->comm, MPI_STATUS_IGNORE);
            MPI_Send(pair->send, bytes, MPI_BYTE, peer, TAG, pair->comm);
        }
    }
}

/* Waits for both directions, and records when each was complete. */
static void wait_for_both(struct exchange *context, double *sent, double *received) {
    MPI_Request *receives = context->requests, *sends = receives + context->window;
    int have = context->from == MPI_PROC_NULL, gone = context->to == MPI_PROC_NULL;
    while (!have || !gone) {
        if (!have) {
            if (gone) MPI_Waitall(context->window, receives, MPI_STATUSES_IGNORE), have = 1;
            else MPI_Testall(context->window, receives, &have, MPI_STATUSES_IGNORE);
            if (have) {
                *received = clock_local();
                MPI_Send(NULL, 0, MPI_BYTE, context->from, ANSWER, context->comm);
            }
        }
        if (!gone) {
            if (have) MPI_Waitall(context->window + 1, sends, MPI_STATUSES_IGNORE), gone = 1;
            else MPI_Testall(context->window + 1, sends, &gone, MPI_STATUSES_IGNORE);
            if (gone) *sent = clock_local();
            else sched_yield(); /* costs half a microsecond where no other process wants the core */
        }
    }
}

void exchange(void *given, int inner, double *ends) {
    struct exchange *context = given;
    int bytes = (int)context->bytes, window = context->window;
    MPI_Request *receives = context->requests, *sends = receives + window;
    double began = clock_local(), now = began, sending = 0, receiving = 0;
    for (int i = 0; i < inner; i++) {
        double sent = now, received = now;
        for (int k = 0; k < window; k++)
            MPI_Irecv(context->receive + (size_t)k * context->bytes, bytes, MPI_BYTE, context->from, TAG, context->comm,
                      &receives[k]);
        for (int k = 0; k < window; k++)
            MPI_Isend(context->send + (size_t)k * context->bytes, bytes, MPI_BYTE, context->to, TAG, context->comm,
                      &sends[k]);
        MPI_Irecv(NULL, 0, MPI_BYTE, context->to, ANSWER, context->comm, &sends[window]);
        wait_for_both(context, &sent, &received);
        /* Messages to or from MPI_PROC_NULL are complete, but their requests must be freed. */
        if (context->to == MPI_PROC_NULL) MPI_Waitall(window + 1, sends, MPI_STATUSES_IGNORE);
        if (context->from == MPI_PROC_NULL) MPI_Waitall(window, receives, MPI_STATUSES_IGNORE);
        sending += sent - now;
        receiving += received - now;
        now = clock_local();
    }
    ends[0] = began + sending;
    ends[1] = began + receiving;
}

int window_of(const struct run *run, size_t bytes) {
    enum { USUAL = 64 };
    const size_t most = (size_t)32 << 20;
    if (run->options.window) return run->options.window;
    size_t fits = bytes ? most / bytes : USUAL;
    return fits < 1 ? 1 : fits > USUAL ? USUAL : (int)fits;
}

static int rank_in(const struct run *run) {
    int rank;
    MPI_Comm_rank(run->comm, &rank);
    return rank;
}

/* The rank in MPI_COMM_WORLD of one in run->comm. */
static int world_rank(const struct run *run, int rank) {
    MPI_Group here, world;
    int found;
    if (rank < 0) return -1;
    MPI_Comm_group(run->comm, &here);
    MPI_Comm_group(run->placement.comm, &world);
    MPI_Group_translate_ranks(here, 1, &rank, world, &found);
    MPI_Group_free(&here);
    MPI_Group_free(&world);
    return found;
}

void pairs_latency(struct run *run, const int *partner, size_t bytes) {
    int own = rank_in(run), peer = partner[own];
    run_room(run, bytes);
    struct pair pair = {peer, own < peer, bytes, run->send, run->receive, run->comm};
    struct job job = {.operate = ping_pong, .context = &pair, .participates = peer >= 0, .bytes = bytes, .messages = 1,
                      .divisor = 2};
    if (pair.is_first)
        job.series[0] = (struct series){"latency", world_rank(run, own), world_rank(run, peer)};
    measure_and_write(run, &job);
}

void flows_bandwidth(struct run *run, int to, int from, size_t bytes, bool separately) {
    int window = window_of(run, bytes), own = rank_in(run);
    run_room(run, bytes * (size_t)window);
    MPI_Request *requests = need(malloc((size_t)(2 * window + 1) * sizeof *requests));
    struct exchange context = {to < 0 ? MPI_PROC_NULL : to, from < 0 ? MPI_PROC_NULL : from, bytes, window, run->send,
                               run->receive, run->comm, requests};
    struct job job = {.operate = exchange, .context = &context, .participates = to >= 0 || from >= 0,
                      .starts_together = true, .bytes = bytes, .messages = window,
                      .work = bytes ? (double)bytes * window : 0, .divisor = window};
    /* Series 0 ends with the sends, series 1 with the receives. */
    job.series[0] = (struct series){to >= 0 && separately ? "send" : NULL, world_rank(run, own), world_rank(run, to)};
    job.series[1] = (struct series){from >= 0 ? separately ? "receive" : "bandwidth" : NULL, world_rank(run, from),
                                 world_rank(run, own)};
    measure_and_write(run, &job);
    free(requests);
}

void pairs_bandwidth(struct run *run, const int *partner, size_t bytes, enum direction direction) {
    int own = rank_in(run), peer = partner[own];
    bool sends = peer >= 0 && (direction == BOTH_DIRECTIONS || (own < peer) == (direction == THERE));
    bool receives = peer >= 0 && (direction == BOTH_DIRECTIONS || !sends);
    flows_bandwidth(run, sends ? peer : -1, receives ? peer : -1, bytes, false);
}
