#include "run.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "counters.h"
#include "failure.h"
#include "output.h"

static char *touched(size_t bytes, int value) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    bytes = (bytes + page - 1) / page * page;
    char *buffer = need(aligned_alloc(page, bytes));
    memset(buffer, value, bytes);
    return buffer;
}

void run_room(struct run *run, size_t bytes) {
    if (bytes < 1) bytes = 1;
    if (bytes <= run->room) return;
    free(run->send);
    free(run->receive);
    run->send = touched(bytes, 1);
    run->receive = touched(bytes, 2);
    run->room = bytes;
}

static double unix_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Rank 0 creates DIR/TEST-ROUND-WHEN, and waits for DIR/TEST-ROUND-WHEN.done. */
static void handshake(const struct run *run, const char *when) {
    enum { MOST_SECONDS = 60 };
    if (!run->options.handshake || run->rank != 0) return;
    char asked[4096], answered[4096 + 8];
    snprintf(asked, sizeof asked, "%s/%s-%d-%s", run->options.handshake, run->test, run->round, when);
    snprintf(answered, sizeof answered, "%s.done", asked);
    FILE *file = fopen(asked, "w");
    if (!file || fclose(file) != 0) fail("%s: %s", asked, strerror(errno));
    double began = clock_local();
    while (access(answered, F_OK) != 0) {
        if (clock_local() - began > MOST_SECONDS) {
            remark(run, "no answer to %s within %d s", asked, MOST_SECONDS);
            return;
        }
        nanosleep(&(struct timespec){0, 2000000}, NULL);
    }
}

bool round_begin(struct run *run, const char *what) {
    clock_renew(&run->placement, run->options.renew);
    int is_spent = run->options.budget > 0 && clock_global(clock_local()) - run->began > run->options.budget;
    MPI_Bcast(&is_spent, 1, MPI_INT, 0, run->placement.comm);
    if (is_spent) {
        remark(run, "the budget of %g s is spent after %d of %d rounds", run->options.budget, run->round, run->rounds);
        return false;
    }
    run->round++;
    if (run->rank == 0) {
        record_begin("round");
        put_text("test", run->test);
        put_integer("round", run->round);
        put_integer("of", run->rounds);
        if (what) put_text("what", what);
        put_integer("unix_ms", (long long)(1e3 * unix_time()));
        put_number("since_start", clock_local() - run->began);
        record_end();
    }
    handshake(run, "before");
    counters_read(run, "before");
    MPI_Barrier(run->placement.comm);
    return true;
}

void round_end(struct run *run) {
    MPI_Barrier(run->placement.comm);
    counters_read(run, "after");
    handshake(run, "after");
}

void remark(const struct run *run, const char *format, ...) {
    char text[4096 + 256];
    va_list arguments;
    if (run->rank != 0) return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    record_begin("remark");
    put_text("text", text);
    record_end();
}

size_t run_sizes(struct run *run, const size_t *own, size_t count, size_t *sizes) {
    int order[MOST_SIZES];
    if (run->options.size_count) own = run->options.sizes, count = run->options.size_count;
    for (size_t i = 0; i < count; i++) order[i] = (int)i;
    shuffle(&run->random, order, count);
    for (size_t i = 0; i < count; i++) sizes[i] = own[order[i]];
    return count;
}

char *run_read(const struct run *run, const char *path) {
    enum { MOST = 1 << 28 };
    char *text = NULL;
    long length = -1;
    if (run->rank == 0) {
        FILE *file = fopen(path, "r");
        errno = file ? 0 : errno;
        if (file && fseek(file, 0, SEEK_END) == 0 && (length = ftell(file)) >= 0 && length < MOST) {
            rewind(file);
            text = need(malloc((size_t)length + 1));
            length = (long)fread(text, 1, (size_t)length, file);
        } else {
            length = -1 - (errno ? errno : EFBIG);
        }
        if (file) fclose(file);
    }
    MPI_Bcast(&length, 1, MPI_LONG, 0, run->placement.comm);
    if (length < 0) refuse("%s: %s", path, strerror((int)(-1 - length)));
    if (!text) text = need(malloc((size_t)length + 1));
    MPI_Bcast(text, (int)length, MPI_CHAR, 0, run->placement.comm);
    text[length] = '\0';
    return text;
}
