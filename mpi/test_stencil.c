/* A seven-point stencil in three dimensions: only computing, only exchanging faces, one after the other, and faces in
 * flight while the inside is computed. `bytes` is the size of a face. */
#include <math.h>
#include <stdlib.h>

#include "aggregate.h"
#include "failure.h"
#include "output.h"
#include "rounds.h"
#include "tests.h"

enum { FACES = 6 };

struct stencil {
    int edge; /* cells; a halo of one cell is around them */
    int neighbours[FACES];
    MPI_Comm grid;
    double *now, *next, *out[FACES], *in[FACES];
    bool computes, exchanges, overlaps;
};

static size_t cell(const struct stencil *s, int x, int y, int z) {
    size_t width = (size_t)s->edge + 2;
    return ((size_t)x * width + (size_t)y) * width + (size_t)z;
}

static void compute(struct stencil *s, const int from[3], const int to[3]) {
    size_t dy = (size_t)s->edge + 2, dx = dy * dy;
    for (int x = from[0]; x < to[0]; x++)
        for (int y = from[1]; y < to[1]; y++)
            for (int z = from[2]; z < to[2]; z++) {
                const double *at = s->now + cell(s, x, y, z);
                s->next[cell(s, x, y, z)] = (at[0] + at[1] + *(at - 1) + at[dy] + *(at - dy) + at[dx] + *(at - dx)) / 7;
            }
}

static void compute_range(struct stencil *s, int first, int beyond) {
    compute(s, (int[]){first, first, first}, (int[]){beyond, beyond, beyond});
}

/* The outermost layer, as six slabs that do not overlap. */
static void compute_shell(struct stencil *s) {
    int k = s->edge;
    for (int side = 0; side < 2; side++) {
        int at = side ? k : 1;
        if (side && k == 1) continue;
        compute(s, (int[]){at, 1, 1}, (int[]){at + 1, k + 1, k + 1});
        compute(s, (int[]){2, at, 1}, (int[]){k, at + 1, k + 1});
        compute(s, (int[]){2, 2, at}, (int[]){k, k, at + 1});
    }
}

/* Copies the outermost cells of a face into its send buffer, or the receive buffer into its halo. */
static void copy_face(struct stencil *s, int face, bool is_out) {
    int k = s->edge, axis = face / 2, layer = face % 2 ? (is_out ? k : k + 1) : (is_out ? 1 : 0);
    for (int a = 0; a < k; a++)
        for (int b = 0; b < k; b++) {
            int at[3] = {a + 1, a + 1, a + 1};
            at[axis] = layer;
            at[axis == 2 ? 1 : 2] = b + 1;
            double *inside = s->now + cell(s, at[0], at[1], at[2]), *packed = (is_out ? s->out : s->in)[face] + a * k + b;
            if (is_out) *packed = *inside;
            else *inside = *packed;
        }
}

static void operate(void *given, int inner, double *ends) {
    struct stencil *s = given;
    int cells = s->edge * s->edge;
    (void)ends;
    for (int i = 0; i < inner; i++) {
        MPI_Request requests[2 * FACES];
        if (s->exchanges) {
            for (int face = 0; face < FACES; face++) {
                copy_face(s, face, true);
                MPI_Irecv(s->in[face], cells, MPI_DOUBLE, s->neighbours[face], face ^ 1, s->grid, &requests[face]);
                MPI_Isend(s->out[face], cells, MPI_DOUBLE, s->neighbours[face], face, s->grid, &requests[FACES + face]);
            }
            if (s->overlaps) compute_range(s, 2, s->edge);
            MPI_Waitall(2 * FACES, requests, MPI_STATUSES_IGNORE);
            for (int face = 0; face < FACES; face++) copy_face(s, face, false);
        }
        if (s->overlaps) compute_shell(s);
        else if (s->computes) compute_range(s, 1, s->edge + 1);
        double *swap = s->now;
        s->now = s->next;
        s->next = swap;
    }
}

static double *zeros(size_t count) {
    double *values = need(malloc(count * sizeof *values));
    for (size_t i = 0; i < count; i++) values[i] = 0;
    return values;
}

static void one_size(struct run *run, MPI_Comm grid, size_t bytes) {
    static const char *const whats[] = {"compute", "exchange", "one after the other", "overlapped"};
    struct stencil s = {.edge = (int)sqrt((double)bytes / sizeof(double)), .grid = grid};
    if (s.edge < 3) s.edge = 3;
    size_t cells = (size_t)s.edge * (size_t)s.edge, width = (size_t)s.edge + 2;
    double seconds[4];
    s.now = zeros(width * width * width);
    s.next = zeros(width * width * width);
    for (int axis = 0; axis < 3; axis++) MPI_Cart_shift(grid, axis, 1, &s.neighbours[2 * axis], &s.neighbours[2 * axis + 1]);
    for (int face = 0; face < FACES; face++) s.out[face] = zeros(cells), s.in[face] = zeros(cells);
    for (int kind = 0; kind < 4; kind++) {
        s.computes = kind != 1;
        s.exchanges = kind != 0;
        s.overlaps = kind == 3;
        struct job job = {.operate = operate, .context = &s, .participates = true, .starts_together = true,
                          .bytes = cells * sizeof(double), .messages = FACES, .divisor = 1};
        seconds[kind] = measure_together(run, &job, whats[kind]);
    }
    if (run->rank == 0) {
        record_begin("overlap");
        write_text("test", run->test);
        write_integer("round", run->round);
        write_integer("bytes", (long long)(cells * sizeof(double)));
        write_integer("edge", s.edge);
        write_number("hidden", (seconds[2] - seconds[3]) / fmin(seconds[0], seconds[1]));
        record_end();
    }
    for (int face = 0; face < FACES; face++) free(s.out[face]), free(s.in[face]);
    free(s.now);
    free(s.next);
}

void test_stencil(struct run *run) {
    static const size_t sizes[] = {8192, 131072};
    int dims[3] = {0, 0, 0};
    size_t chosen[MOST_SIZES], count = run_sizes(run, sizes, sizeof sizes / sizeof *sizes, chosen);
    MPI_Comm grid;
    MPI_Dims_create(run->placement.ranks, 3, dims);
    MPI_Cart_create(run->comm, 3, dims, (int[]){1, 1, 1}, 0, &grid);
    run->rounds = (int)count;
    for (size_t i = 0; i < count && round_begin(run, NULL); i++) {
        if (chosen[i] <= (size_t)2 << 20) one_size(run, grid, chosen[i]);
        else remark(run, "faces of %zu bytes are left out: a block would not fit", chosen[i]);
        round_end(run);
    }
    MPI_Comm_free(&grid);
}
