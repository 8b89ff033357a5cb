/* What tests/mpi/test_tracer.py knows by hand, on four ranks. */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, size;
    double values[1000] = {0}, into[4000];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    /* 800 bytes to the next rank, not blocking; 7 bytes from rank 0 to rank 2, blocking; none to no process. */
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Isend(values, 100, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(into, 100, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, statuses);
    if (rank == 0) MPI_Send(values, 7, MPI_CHAR, 2, 1, MPI_COMM_WORLD);
    if (rank == 2) MPI_Recv(into, 7, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &statuses[0]);
    MPI_Send(values, 9, MPI_CHAR, MPI_PROC_NULL, 1, MPI_COMM_WORLD);

    /* Ranks 0 and 2, and 1 and 3: an allreduce of 80 bytes, and 8 bytes from each to each; then rank 0 of each to the other. */
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Allreduce(values, into, 10, MPI_DOUBLE, MPI_SUM, half);
    MPI_Ialltoall(values, 2, MPI_INT, into, 2, MPI_INT, half, &requests[0]);
    MPI_Wait(&requests[0], &statuses[0]);
    if (rank / 2 == 0) MPI_Send(values, 3, MPI_CHAR, 1, 2, half);
    if (rank / 2 == 1) MPI_Recv(into, 3, MPI_CHAR, 0, 2, half, &statuses[0]);
    MPI_Comm_free(&half);

    /* Each rank sends as many bytes to a rank as that one's number. */
    int counts[4] = {0, 1, 2, 3}, begins[4] = {0, 1, 2, 3}, room[4], at[4];
    for (int i = 0; i < 4; i++) {
        room[i] = rank;
        at[i] = 10 * i;
    }
    MPI_Alltoallv(values, counts, begins, MPI_CHAR, into, room, at, MPI_CHAR, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
