/* What the ranks of a program send each other, and where they wait: a library between the program and MPI (its profiling interface).
 *
 *     LD_PRELOAD=/path/to/liblacis-tracer.so mpiexec -n 64 ./program      writes lacis-trace.json, or $LACIS_TRACE
 *
 * Every call is passed on and counted: messages from rank to rank; collectives by communicator; seconds inside. Rank 0 writes one small JSON
 * file in MPI_Finalize. Persistent requests, one-sided calls and calls from Fortran are not seen. Calls of several threads at once may be
 * counted wrongly: MPI_THREAD_MULTIPLE is remarked on in the file. */
#include <inttypes.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind {
    SEND, RECEIVE, WAIT, BARRIER, BROADCAST, REDUCE, ALLREDUCE, GATHER, SCATTER, ALLGATHER, ALLTOALL, REDUCE_SCATTER, KINDS
};

static const char *const kinds[KINDS] = {"send",   "receive", "wait",      "barrier",  "broadcast", "reduce", "allreduce",
                                         "gather", "scatter", "allgather", "alltoall", "reduce_scatter"};

/* How often, how many bytes this rank gave, and seconds inside. */
struct tally {
    uint64_t calls, bytes;
    double seconds;
};

/* A communicator's collectives, and its ranks among all. It outlives the communicator. */
struct group {
    int size, rank;
    int *members;
    struct tally collectives[KINDS];
    struct group *next;
};

static struct {
    bool on;
    bool threaded;
    int rank, size;
    double begun;
    uint64_t *bytes, *messages; /* by receiver */
    struct tally blocking[KINDS], started[KINDS];
    struct group *groups;
    int key;
} tracer = {.key = MPI_KEYVAL_INVALID};

/* Memory that is short ends tracing, not the program. */
static void *some(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (memory == NULL) {
        tracer.on = false;
        fputs("lacis-tracer: memory is short; no more is recorded\n", stderr);
    }
    return memory;
}

static uint64_t volume(int count, MPI_Datatype type) {
    int size = 0;
    if (count <= 0 || type == MPI_DATATYPE_NULL || PMPI_Type_size(type, &size) != MPI_SUCCESS || size < 0) return 0;
    return (uint64_t)count * (uint64_t)size;
}

/* What is known of a communicator; null where nothing can be. */
static struct group *group_of(MPI_Comm comm) {
    struct group *found = NULL;
    int flag = 0;
    if (!tracer.on || comm == MPI_COMM_NULL) return NULL;
    PMPI_Comm_get_attr(comm, tracer.key, &found, &flag);
    if (flag) return found;
    int inter = 0;
    PMPI_Comm_test_inter(comm, &inter);
    if (inter) return NULL;
    found = some(1, sizeof *found);
    if (found == NULL) return NULL;
    PMPI_Comm_size(comm, &found->size);
    PMPI_Comm_rank(comm, &found->rank);
    found->members = some((size_t)found->size, sizeof *found->members);
    int *own = some((size_t)found->size, sizeof *own);
    if (found->members == NULL || own == NULL) {
        free(own);
        free(found->members);
        free(found);
        return NULL;
    }
    for (int i = 0; i < found->size; i++) own[i] = i;
    MPI_Group some_ranks, all;
    PMPI_Comm_group(comm, &some_ranks);
    PMPI_Comm_group(MPI_COMM_WORLD, &all);
    PMPI_Group_translate_ranks(some_ranks, found->size, own, all, found->members);
    PMPI_Group_free(&some_ranks);
    PMPI_Group_free(&all);
    free(own);
    found->next = tracer.groups;
    tracer.groups = found;
    PMPI_Comm_set_attr(comm, tracer.key, found);
    return found;
}

static void sent_to(int receiver, uint64_t bytes) {
    if (receiver < 0 || receiver >= tracer.size || receiver == tracer.rank) return;
    tracer.bytes[receiver] += bytes;
    tracer.messages[receiver]++;
}

/* A message to a rank of a communicator. */
static void message(MPI_Comm comm, int to, uint64_t bytes) {
    if (!tracer.on || to == MPI_PROC_NULL) return;
    struct group *group = group_of(comm);
    if (group != NULL && to >= 0 && to < group->size) sent_to(group->members[to], bytes);
}

static void count(struct tally *tally, uint64_t bytes, double begun) {
    tally->calls++;
    tally->bytes += bytes;
    tally->seconds += PMPI_Wtime() - begun;
}

static void point(enum kind kind, bool blocking, uint64_t bytes, double begun) {
    if (tracer.on) count(blocking ? &tracer.blocking[kind] : &tracer.started[kind], bytes, begun);
}

static void collective(enum kind kind, bool blocking, MPI_Comm comm, uint64_t bytes, double begun) {
    if (!tracer.on) return;
    point(kind, blocking, bytes, begun);
    struct group *group = group_of(comm);
    if (group != NULL) count(&group->collectives[kind], bytes, begun);
}

/* --- the file ------------------------------------------------------------------------------------------------------ */

struct text {
    char *data;
    size_t length, room;
};

static void write_text(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void write_text(struct text *text, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int more = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (more > 0) {
        if (text->length + (size_t)more + 1 > text->room) {
            size_t room = 2 * (text->length + (size_t)more + 1);
            char *data = realloc(text->data, room);
            if (data == NULL) PMPI_Abort(MPI_COMM_WORLD, 1);
            text->data = data;
            text->room = room;
        }
        vsnprintf(text->data + text->length, (size_t)more + 1, format, again);
        text->length += (size_t)more;
    }
    va_end(again);
}

/* This rank's objects, each on a line that ends with a comma. */
static void describe(struct text *text) {
    char name[MPI_MAX_PROCESSOR_NAME + 1] = "";
    int length = 0;
    PMPI_Get_processor_name(name, &length);
    for (char *c = name; *c != '\0'; c++)
        if (*c == '"' || *c == '\\' || (unsigned char)*c < 32) *c = '?';
    write_text(text, "{\"rank\": %d, \"host\": \"%s\", \"calls\": [", tracer.rank, name);
    const char *between = "";
    for (int kind = 0; kind < KINDS; kind++) {
        for (int blocking = 0; blocking < 2; blocking++) {
            const struct tally *tally = blocking ? &tracer.blocking[kind] : &tracer.started[kind];
            if (tally->calls == 0) continue;
            write_text(text, "%s[\"%s\", %s, %" PRIu64 ", %" PRIu64 ", %.9g]", between, kinds[kind], blocking ? "true" : "false",
                       tally->calls, tally->bytes, tally->seconds);
            between = ", ";
        }
    }
    write_text(text, "], \"sent\": [");
    between = "";
    for (int to = 0; to < tracer.size; to++) {
        if (tracer.messages[to] == 0) continue;
        write_text(text, "%s[%d, %" PRIu64 ", %" PRIu64 "]", between, to, tracer.bytes[to], tracer.messages[to]);
        between = ", ";
    }
    write_text(text, "], \"collectives\": [");
    between = "";
    for (const struct group *group = tracer.groups; group != NULL; group = group->next) {
        for (int kind = 0; kind < KINDS; kind++) {
            const struct tally *tally = &group->collectives[kind];
            /* What all ranks of a communicator give alike is written once. */
            if (tally->calls == 0 || group->rank != 0) continue;
            write_text(text, "%s{\"kind\": \"%s\", \"calls\": %" PRIu64 ", \"bytes\": %" PRIu64 ", \"ranks\": [", between, kinds[kind],
                       tally->calls, tally->bytes);
            for (int i = 0; i < group->size; i++) write_text(text, "%s%d", i ? ", " : "", group->members[i]);
            write_text(text, "]}");
            between = ", ";
        }
    }
    write_text(text, "]},\n");
}

/* Collective: rank 0 writes what all have. */
static void write_file(void) {
    struct text own = {0}, head = {0};
    double seconds = PMPI_Wtime() - tracer.begun;
    describe(&own);
    int *lengths = NULL, *begins = NULL, length = (int)own.length;
    long long total = 0, mine = (long long)own.length;
    PMPI_Allreduce(&mine, &total, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (total > INT32_MAX) {
        if (tracer.rank == 0) fputs("lacis-tracer: more than 2 GB of records; nothing is written\n", stderr);
        free(own.data);
        return;
    }
    char *all = NULL;
    if (tracer.rank == 0) {
        lengths = calloc((size_t)tracer.size, sizeof *lengths);
        begins = calloc((size_t)tracer.size, sizeof *begins);
        all = malloc((size_t)total + 1);
        if (lengths == NULL || begins == NULL || all == NULL) PMPI_Abort(MPI_COMM_WORLD, 1);
    }
    PMPI_Gather(&length, 1, MPI_INT, lengths, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 1; tracer.rank == 0 && i < tracer.size; i++) begins[i] = begins[i - 1] + lengths[i - 1];
    PMPI_Gatherv(own.data, length, MPI_CHAR, all, lengths, begins, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (tracer.rank == 0) {
        const char *path = getenv("LACIS_TRACE");
        if (path == NULL || *path == '\0') path = "lacis-trace.json";
        /* The last object has no comma after it. */
        size_t end = (size_t)total - 2;
        write_text(&head, "%s.part", path);
        FILE *file = fopen(head.data, "w");
        bool good = file != NULL;
        if (good) {
            fprintf(file, "{\"schema\": \"lacis.mpi-trace/1\", \"ranks\": %d, \"seconds\": %.9g, \"threaded\": %s, \"of\": [\n", tracer.size,
                    seconds, tracer.threaded ? "true" : "false");
            good = fwrite(all, 1, end, file) == end && fputs("\n]}\n", file) >= 0;
            good = fclose(file) == 0 && good && rename(head.data, path) == 0;
        }
        if (!good) fprintf(stderr, "lacis-tracer: %s cannot be written\n", path);
    }
    free(own.data);
    free(head.data);
    free(all);
    free(lengths);
    free(begins);
}

static void begin(int level) {
    PMPI_Comm_rank(MPI_COMM_WORLD, &tracer.rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &tracer.size);
    tracer.on = true;
    tracer.threaded = level == MPI_THREAD_MULTIPLE;
    tracer.bytes = some((size_t)tracer.size, sizeof *tracer.bytes);
    tracer.messages = some((size_t)tracer.size, sizeof *tracer.messages);
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &tracer.key, NULL);
    tracer.begun = PMPI_Wtime();
}

int MPI_Init(int *argc, char ***argv) {
    int result = PMPI_Init(argc, argv);
    if (result == MPI_SUCCESS) begin(MPI_THREAD_SINGLE);
    return result;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
    int result = PMPI_Init_thread(argc, argv, required, provided);
    if (result == MPI_SUCCESS) begin(*provided);
    return result;
}

int MPI_Finalize(void) {
    int whole = tracer.on, every = 0;
    PMPI_Allreduce(&whole, &every, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    if (every) write_file();
    tracer.on = false;
    return PMPI_Finalize();
}

/* --- point to point ------------------------------------------------------------------------------------------------ */

#define SEND_CALL(name)                                                                                                            \
    int MPI_##name(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm) {                                   \
        double begun = PMPI_Wtime();                                                                                               \
        int result = PMPI_##name(data, n, type, to, tag, comm);                                                                    \
        uint64_t bytes = volume(n, type);                                                                                          \
        point(SEND, true, bytes, begun);                                                                                           \
        message(comm, to, bytes);                                                                                                  \
        return result;                                                                                                             \
    }
SEND_CALL(Send)
SEND_CALL(Ssend)
SEND_CALL(Bsend)
SEND_CALL(Rsend)

#define ISEND_CALL(name)                                                                                                           \
    int MPI_##name(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {             \
        double begun = PMPI_Wtime();                                                                                               \
        int result = PMPI_##name(data, n, type, to, tag, comm, request);                                                           \
        uint64_t bytes = volume(n, type);                                                                                          \
        point(SEND, false, bytes, begun);                                                                                          \
        message(comm, to, bytes);                                                                                                  \
        return result;                                                                                                             \
    }
ISEND_CALL(Isend)
ISEND_CALL(Issend)
ISEND_CALL(Ibsend)
ISEND_CALL(Irsend)

int MPI_Recv(void *data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status) {
    double begun = PMPI_Wtime();
    int result = PMPI_Recv(data, n, type, from, tag, comm, status);
    point(RECEIVE, true, 0, begun);
    return result;
}

int MPI_Irecv(void *data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request) {
    double begun = PMPI_Wtime();
    int result = PMPI_Irecv(data, n, type, from, tag, comm, request);
    point(RECEIVE, false, 0, begun);
    return result;
}

int MPI_Sendrecv(const void *data, int n, MPI_Datatype type, int to, int tag, void *into, int room, MPI_Datatype of, int from, int with,
                 MPI_Comm comm, MPI_Status *status) {
    double begun = PMPI_Wtime();
    int result = PMPI_Sendrecv(data, n, type, to, tag, into, room, of, from, with, comm, status);
    uint64_t bytes = volume(n, type);
    point(SEND, true, bytes, begun);
    message(comm, to, bytes);
    return result;
}

int MPI_Sendrecv_replace(void *data, int n, MPI_Datatype type, int to, int tag, int from, int with, MPI_Comm comm, MPI_Status *status) {
    double begun = PMPI_Wtime();
    int result = PMPI_Sendrecv_replace(data, n, type, to, tag, from, with, comm, status);
    uint64_t bytes = volume(n, type);
    point(SEND, true, bytes, begun);
    message(comm, to, bytes);
    return result;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status) {
    double begun = PMPI_Wtime();
    int result = PMPI_Wait(request, status);
    point(WAIT, true, 0, begun);
    return result;
}

int MPI_Waitall(int n, MPI_Request requests[], MPI_Status *statuses) {
    double begun = PMPI_Wtime();
    int result = PMPI_Waitall(n, requests, statuses);
    point(WAIT, true, 0, begun);
    return result;
}

int MPI_Waitany(int n, MPI_Request requests[], int *index, MPI_Status *status) {
    double begun = PMPI_Wtime();
    int result = PMPI_Waitany(n, requests, index, status);
    point(WAIT, true, 0, begun);
    return result;
}

int MPI_Waitsome(int n, MPI_Request requests[], int *done, int indices[], MPI_Status *statuses) {
    double begun = PMPI_Wtime();
    int result = PMPI_Waitsome(n, requests, done, indices, statuses);
    point(WAIT, true, 0, begun);
    return result;
}

/* --- collectives: each blocking and non-blocking ------------------------------------------------------------------- */

/* What stands in the parentheses is declared, passed on, and counted. */
#define PAIR(name, started, kind, declared, passed, bytes)                                                                         \
    int MPI_##name(UNPACK declared, MPI_Comm comm) {                                                                               \
        double begun = PMPI_Wtime();                                                                                               \
        uint64_t given = bytes;                                                                                                    \
        int result = PMPI_##name(UNPACK passed, comm);                                                                             \
        collective(kind, true, comm, given, begun);                                                                                \
        return result;                                                                                                             \
    }                                                                                                                              \
    int MPI_##started(UNPACK declared, MPI_Comm comm, MPI_Request *request) {                                                      \
        double begun = PMPI_Wtime();                                                                                               \
        uint64_t given = bytes;                                                                                                    \
        int result = PMPI_##started(UNPACK passed, comm, request);                                                                 \
        collective(kind, false, comm, given, begun);                                                                               \
        return result;                                                                                                             \
    }
#define UNPACK(...) __VA_ARGS__

PAIR(Bcast, Ibcast, BROADCAST, (void *data, int n, MPI_Datatype type, int root), (data, n, type, root), volume(n, type))
PAIR(Reduce, Ireduce, REDUCE, (const void *data, void *into, int n, MPI_Datatype type, MPI_Op op, int root),
     (data, into, n, type, op, root), volume(n, type))
PAIR(Allreduce, Iallreduce, ALLREDUCE, (const void *data, void *into, int n, MPI_Datatype type, MPI_Op op), (data, into, n, type, op),
     volume(n, type))
PAIR(Gather, Igather, GATHER, (const void *data, int n, MPI_Datatype type, void *into, int room, MPI_Datatype of, int root),
     (data, n, type, into, room, of, root), data == MPI_IN_PLACE ? volume(room, of) : volume(n, type))
PAIR(Scatter, Iscatter, SCATTER, (const void *data, int n, MPI_Datatype type, void *into, int room, MPI_Datatype of, int root),
     (data, n, type, into, room, of, root), into == MPI_IN_PLACE ? volume(n, type) : volume(room, of))
PAIR(Allgather, Iallgather, ALLGATHER, (const void *data, int n, MPI_Datatype type, void *into, int room, MPI_Datatype of),
     (data, n, type, into, room, of), volume(room, of))
PAIR(Alltoall, Ialltoall, ALLTOALL, (const void *data, int n, MPI_Datatype type, void *into, int room, MPI_Datatype of),
     (data, n, type, into, room, of), volume(room, of))
PAIR(Reduce_scatter_block, Ireduce_scatter_block, REDUCE_SCATTER,
     (const void *data, void *into, int n, MPI_Datatype type, MPI_Op op), (data, into, n, type, op), volume(n, type))

int MPI_Barrier(MPI_Comm comm) {
    double begun = PMPI_Wtime();
    int result = PMPI_Barrier(comm);
    collective(BARRIER, true, comm, 0, begun);
    return result;
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request) {
    double begun = PMPI_Wtime();
    int result = PMPI_Ibarrier(comm, request);
    collective(BARRIER, false, comm, 0, begun);
    return result;
}

/* Sizes differ from rank to rank: they are counted as messages, and the call by its time. */
static void spread(MPI_Comm comm, const int *counts, MPI_Datatype type, bool in_place) {
    struct group *group = group_of(comm);
    for (int i = 0; group != NULL && counts != NULL && !in_place && i < group->size; i++)
        if (counts[i] > 0) sent_to(group->members[i], volume(counts[i], type));
}

int MPI_Alltoallv(const void *data, const int counts[], const int begins[], MPI_Datatype type, void *into, const int room[],
                  const int at[], MPI_Datatype of, MPI_Comm comm) {
    double begun = PMPI_Wtime();
    int result = PMPI_Alltoallv(data, counts, begins, type, into, room, at, of, comm);
    point(ALLTOALL, true, 0, begun);
    if (tracer.on) spread(comm, counts, type, data == MPI_IN_PLACE);
    return result;
}

int MPI_Ialltoallv(const void *data, const int counts[], const int begins[], MPI_Datatype type, void *into, const int room[],
                   const int at[], MPI_Datatype of, MPI_Comm comm, MPI_Request *request) {
    double begun = PMPI_Wtime();
    int result = PMPI_Ialltoallv(data, counts, begins, type, into, room, at, of, comm, request);
    point(ALLTOALL, false, 0, begun);
    if (tracer.on) spread(comm, counts, type, data == MPI_IN_PLACE);
    return result;
}
