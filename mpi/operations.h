/* The operations that are timed: messages between two ranks, or along a permutation. */
#ifndef LACIS_OPERATIONS_H
#define LACIS_OPERATIONS_H

#include "measure.h"

struct pair {
    int peer;
    bool is_first; /* sends first */
    size_t bytes;
    char *send, *receive;
    MPI_Comm comm;
};

/* Ping-pongs by blocking messages: an operation is a message there and one back. */
void ping_pong(void *pair, int inner, double *ends);

struct exchange {
    int to, from; /* ranks of `comm`, or MPI_PROC_NULL */
    size_t bytes;
    int window;
    char *send, *receive; /* `window` messages each */
    MPI_Comm comm;
    MPI_Request *requests; /* 2 * window + 1 */
};

/* A window of messages to one rank, and one from another, at the same time. A receiver answers when it has all messages:
 * ends[0] is when the answer arrived, ends[1] when all messages from the other rank had arrived. */
void exchange(void *exchange, int inner, double *ends);

/* Messages in flight for a size: the option, or 64, fewer where they are large. */
int window_of(const struct run *run, size_t bytes);

enum direction { THERE, BACK, BOTH_DIRECTIONS };
/* Latency of ranks in pairs; `partner` by rank of run->comm, -1 for ranks that wait. The lower rank reports. */
void pairs_latency(struct run *run, const int *partner, size_t bytes);
/* Bandwidth from the lower rank of each pair to the higher, back, or both at once. The receiver reports. */
void pairs_bandwidth(struct run *run, const int *partner, size_t bytes, enum direction direction);
/* All flows at once: this rank sends to `to` and receives from `from`, -1 for none. With `separately` sender and receiver
 * report, else only the receiver. */
void flows_bandwidth(struct run *run, int to, int from, size_t bytes, bool separately);

#endif
