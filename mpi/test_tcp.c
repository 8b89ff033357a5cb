/* TCP over the hosts' IP network from one rank to one and to four others, one thread a stream. MPI only arranges the
 * connections. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "failure.h"
#include "output.h"
#include "rounds.h"
#include "samples.h"
#include "sockets.h"
#include "tests.h"

#include "measure.h"

enum { TAG = 11, MOST_STREAMS = 64, MOST_RECEIVERS = 4, USUAL_BYTES = 16 << 20, PIECE = 1 << 18 };

struct bundle {
    struct stream streams[MOST_STREAMS];
    int count;
};

static void send_all(void *given, int inner, double *ends) {
    struct bundle *bundle = given;
    int started = 0;
    (void)ends;
    for (int i = 0; i < bundle->count; i++) bundle->streams[i].inner = inner;
    for (; started < bundle->count; started++) {
        struct stream *stream = &bundle->streams[started];
        if (pthread_create(&stream->thread, NULL, stream_send, stream) != 0) fail("a thread cannot be started");
    }
    for (int i = 0; i < started; i++) pthread_join(bundle->streams[i].thread, NULL);
}

/* The first ranks of other nodes than rank 0's; where there are too few, any other ranks. */
static int choose_receivers(const struct run *run, int *receivers) {
    int count = 0;
    for (int rank = 1; rank < run->placement.ranks && count < MOST_RECEIVERS; rank++)
        if (run->placement.of[rank].node != run->placement.of[0].node && placement_is_leader(&run->placement, rank))
            receivers[count++] = rank;
    for (int rank = 1; rank < run->placement.ranks && count == 0; rank++)
        for (; rank < run->placement.ranks && count < MOST_RECEIVERS; rank++) receivers[count++] = rank;
    return count;
}

struct address {
    struct in_addr host;
    in_port_t port;
    int error;
};

/* The receiver's end: sends its address to rank 0, accepts, and starts a thread for each stream. */
static int receive(const struct run *run, struct bundle *bundle, int count, size_t bytes) {
    struct address own = {0};
    int listening = -1;
    if (!socket_address(run->options.interface, &own.host)) own.error = EADDRNOTAVAIL;
    else if ((listening = socket_listen(own.host, &own.port)) < 0) own.error = errno;
    MPI_Send(&own, (int)sizeof own, MPI_BYTE, 0, TAG, run->comm);
    for (int i = 0; listening >= 0 && i < count; i++) {
        struct stream *stream = &bundle->streams[bundle->count];
        *stream = (struct stream){.socket = socket_accept(listening), .bytes = bytes};
        if (stream->socket < 0) break;
        stream->buffer = need(malloc(PIECE));
        if (pthread_create(&stream->thread, NULL, stream_receive, stream) != 0) fail("a thread cannot be started");
        bundle->count++;
    }
    if (listening >= 0) close(listening);
    return own.error;
}

static int send_to(const struct run *run, struct bundle *bundle, int receiver, int count, size_t bytes) {
    struct address other;
    MPI_Recv(&other, (int)sizeof other, MPI_BYTE, receiver, TAG, run->comm, MPI_STATUS_IGNORE);
    for (int i = 0; !other.error && i < count; i++) {
        struct stream *stream = &bundle->streams[bundle->count];
        *stream = (struct stream){.socket = socket_connect(other.host, other.port), .bytes = bytes};
        if (stream->socket < 0) return errno;
        stream->buffer = need(malloc(PIECE));
        memset(stream->buffer, 1, PIECE);
        bundle->count++;
    }
    return other.error;
}

static void drop(struct bundle *bundle, bool joins) {
    for (int i = 0; i < bundle->count; i++) {
        if (joins) pthread_join(bundle->streams[i].thread, NULL);
        close(bundle->streams[i].socket);
        free(bundle->streams[i].buffer);
    }
}

static void one_case(struct run *run, const int *receivers, int count, int streams, size_t bytes, const char *what) {
    struct bundle bundle = {.count = 0};
    int error = 0;
    bool receives = false;
    for (int i = 0; i < count; i++) {
        if (run->rank == receivers[i]) receives = true, receive(run, &bundle, streams, bytes);
        if (run->rank == 0 && !error) error = send_to(run, &bundle, receivers[i], streams, bytes);
        else if (run->rank == 0) (void)send_to(run, &(struct bundle){.count = 0}, receivers[i], 0, bytes);
    }
    MPI_Bcast(&error, 1, MPI_INT, 0, run->comm);
    if (!error) {
        struct job job = {.operate = send_all, .context = &bundle, .participates = run->rank == 0, .bytes = bytes,
                          .messages = count * streams, .work = (double)bytes * count * streams, .divisor = 1};
        if (run->rank == 0) job.series[0] = (struct series){what, 0, receivers[0]};
        measure_and_write(run, &job);
        for (int i = 0; i < bundle.count && run->rank == 0; i++) error = bundle.streams[i].error ? bundle.streams[i].error : error;
    }
    if (error) remark(run, "%s: %s", what, strerror(error));
    if (run->rank == 0) drop(&bundle, false);
    else if (receives) drop(&bundle, true);
    MPI_Barrier(run->comm);
}

void test_tcp(struct run *run) {
    const size_t usual = USUAL_BYTES;
    int receivers[MOST_RECEIVERS], count = choose_receivers(run, receivers), threads = run->options.threads;
    size_t chosen[MOST_SIZES], sizes = run_sizes(run, &usual, 1, chosen);
    run->rounds = (int)sizes;
    for (size_t i = 0; i < sizes && round_begin(run, NULL); i++) {
        size_t bytes = chosen[i] ? chosen[i] : 1;
        one_case(run, receivers, 1, 1, bytes, "tcp 1 to 1");
        if (threads > 1) one_case(run, receivers, 1, threads, bytes, "tcp 1 to 1, threads");
        if (count > 1) {
            if (count < MOST_RECEIVERS) remark(run, "tcp 1 to %d: there are no more hosts", count);
            one_case(run, receivers, count, 1, bytes, "tcp 1 to many");
        }
        round_end(run);
    }
}
