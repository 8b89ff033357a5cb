#include "congestors.h"

#include <stdlib.h>

#include "failure.h"

const char *const congestor_names[CONGESTORS] = {"incast", "alltoall", "put incast", "broadcast"};

enum { STARTED = 8, STOP = 9, DATA = 10, IN_A_BURST = 10 };

/* All send to the first. */
static void incast(struct run *run, MPI_Comm comm, int rank, int size) {
    int bytes = (int)run->options.congestor_bytes;
    if (rank != 0) {
        for (int i = 0; i < IN_A_BURST; i++) MPI_Send(run->send, bytes, MPI_BYTE, 0, DATA, comm);
        return;
    }
    for (int i = 0; i < IN_A_BURST * (size - 1); i++)
        MPI_Recv(run->receive, bytes, MPI_BYTE, MPI_ANY_SOURCE, DATA, comm, MPI_STATUS_IGNORE);
}

static void one_sided_incast(struct run *run, MPI_Win window, int rank) {
    int bytes = (int)run->options.congestor_bytes;
    MPI_Win_lock_all(0, window);
    for (int i = 0; rank != 0 && i < IN_A_BURST; i++)
        MPI_Put(run->send, bytes, MPI_BYTE, 0, (MPI_Aint)rank * bytes, bytes, MPI_BYTE, window);
    MPI_Win_unlock_all(window);
}

static void send_burst(struct run *run, int kind, MPI_Comm comm, MPI_Win window, int rank, int size) {
    int bytes = (int)run->options.congestor_bytes;
    switch (kind) {
    case 0: incast(run, comm, rank, size); break;
    case 1: MPI_Alltoall(run->send, bytes, MPI_BYTE, run->receive, bytes, MPI_BYTE, comm); break;
    case 2: one_sided_incast(run, window, rank); break;
    default:
        for (int i = 0; i < IN_A_BURST; i++) MPI_Bcast(run->send, bytes, MPI_BYTE, i % size, comm);
    }
}

void congest(struct run *run, int kind, MPI_Comm comm, MPI_Comm everyone) {
    int rank, size, stops = 0;
    MPI_Request stop = MPI_REQUEST_NULL;
    MPI_Win window;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    size_t room = run->options.congestor_bytes * (size_t)size;
    run_room(run, room);
    char *shared = need(calloc(rank == 0 ? room : 1, 1));
    MPI_Win_create(shared, (MPI_Aint)(rank == 0 ? room : 0), 1, MPI_INFO_NULL, comm, &window);
    if (rank == 0) MPI_Irecv(NULL, 0, MPI_BYTE, 0, STOP, everyone, &stop);
    for (int bursts = 0; !stops; bursts++) {
        send_burst(run, kind, comm, window, rank, size);
        if (rank == 0 && bursts == 0) MPI_Send(NULL, 0, MPI_BYTE, 0, STARTED, everyone);
        if (rank == 0) MPI_Test(&stop, &stops, MPI_STATUS_IGNORE);
        MPI_Bcast(&stops, 1, MPI_INT, 0, comm);
    }
    MPI_Win_free(&window);
    free(shared);
}

void congestors_wait(int listener, MPI_Comm everyone) {
    MPI_Recv(NULL, 0, MPI_BYTE, listener, STARTED, everyone, MPI_STATUS_IGNORE);
}

void congestors_stop(int listener, MPI_Comm everyone) { MPI_Send(NULL, 0, MPI_BYTE, listener, STOP, everyone); }
