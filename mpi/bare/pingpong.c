/* A ping-pong and nothing else, to compare lacis-mpi's with: `mpiexec -n 2 bare-pingpong SECONDS BYTES...` prints, for each
 * size, the median over samples of half a round trip [s]. It shares no code with lacis-mpi. */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SAMPLES = 20000, BATCH = 100, TAG = 7 };
#define SAMPLE 100e-6 /* s, as lacis-mpi has it */

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Half a round trip of so many exchanges [s]. */
static double sample(int rank, char *send, char *receive, int bytes, int exchanges) {
    double began = MPI_Wtime();
    for (int i = 0; i < exchanges; i++) {
        if (rank == 0) {
            MPI_Send(send, bytes, MPI_BYTE, 1, TAG, MPI_COMM_WORLD);
            MPI_Recv(receive, bytes, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(receive, bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(send, bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
        }
    }
    return (MPI_Wtime() - began) / exchanges / 2;
}

int main(int count, char **arguments) {
    static double values[MOST_SAMPLES];
    int rank, ranks;
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks != 2 || count < 3) {
        if (rank == 0) fputs("usage: mpiexec -n 2 bare-pingpong SECONDS BYTES...\n", stderr);
        MPI_Finalize();
        return 2;
    }
    double seconds = atof(arguments[1]);
    for (int i = 2; i < count; i++) {
        int bytes = atoi(arguments[i]), samples = 0;
        size_t room = bytes > 0 ? ((size_t)bytes + 4095) / 4096 * 4096 : 4096;
        char *send = aligned_alloc(4096, room), *receive = aligned_alloc(4096, room);
        if (!send || !receive) MPI_Abort(MPI_COMM_WORLD, 1);
        memset(send, 1, room);
        memset(receive, 2, room);
        sample(rank, send, receive, bytes, 1000);
        double one = 2 * sample(rank, send, receive, bytes, 1000);
        int exchanges = one < SAMPLE ? (int)(SAMPLE / one) + 1 : 1;
        MPI_Bcast(&exchanges, 1, MPI_INT, 0, MPI_COMM_WORLD);
        double end = MPI_Wtime() + seconds;
        for (int more = 1; more;) {
            for (int k = 0; k < BATCH; k++) values[samples++] = sample(rank, send, receive, bytes, exchanges);
            more = MPI_Wtime() < end && samples + BATCH <= MOST_SAMPLES;
            MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
        }
        qsort(values, (size_t)samples, sizeof *values, by_value);
        if (rank == 0) printf("%d %.4e\n", bytes, values[samples / 2]);
        free(send);
        free(receive);
    }
    MPI_Finalize();
    return 0;
}
