#include "run.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

void remark(const struct run *run, const char *format, ...) {
    char text[4096 + 256];
    va_list arguments;
    if (run->rank != 0) return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    record_begin("remark");
    write_text("text", text);
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
