#include "counters.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"
#include "output.h"

/* Lines "device port counter value". */
struct text {
    char *at;
    size_t length, room;
};

static void add(struct text *text, const char *device, const char *port, const char *counter, unsigned long long value) {
    char line[1024];
    int wrote = snprintf(line, sizeof line, "%.200s %.20s %.200s %llu\n", device, port, counter, value);
    if (text->length + (size_t)wrote + 1 > text->room) {
        text->room = 2 * text->room + sizeof line;
        text->at = need(realloc(text->at, text->room));
    }
    memcpy(text->at + text->length, line, (size_t)wrote + 1);
    text->length += (size_t)wrote;
}

static void read_port(struct text *text, const char *folder, const char *device, const char *port) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s/ports/%s/counters", folder, device, port);
    DIR *counters = opendir(path);
    for (struct dirent *entry; counters && (entry = readdir(counters));) {
        unsigned long long value;
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s/ports/%s/counters/%s", folder, device, port, entry->d_name);
        FILE *file = fopen(path, "r");
        if (file && fscanf(file, "%llu", &value) == 1) add(text, device, port, entry->d_name, value);
        if (file) fclose(file);
    }
    if (counters) closedir(counters);
}

static void read_node(struct text *text, const char *folder) {
    DIR *devices = opendir(folder);
    for (struct dirent *device; devices && (device = readdir(devices));) {
        char path[4096];
        if (device->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s/ports", folder, device->d_name);
        DIR *ports = opendir(path);
        for (struct dirent *port; ports && (port = readdir(ports));)
            if (port->d_name[0] != '.') read_port(text, folder, device->d_name, port->d_name);
        if (ports) closedir(ports);
    }
    if (devices) closedir(devices);
}

static void write_node(const struct run *run, int rank, const char *when, char *text) {
    char device[201] = "", port[21] = "";
    bool is_open = false;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        char of[201], at[21], counter[201];
        unsigned long long value;
        if (sscanf(line, "%200s %20s %200s %llu", of, at, counter, &value) != 4) continue;
        if (!is_open || strcmp(of, device) != 0 || strcmp(at, port) != 0) {
            if (is_open) object_end(), record_end();
            record_begin("counters");
            write_text("test", run->test);
            write_text("when", when);
            write_integer("round", run->round);
            write_text("host", run->placement.of[rank].host);
            write_text("device", of);
            write_text("port", at);
            object_begin("values");
            snprintf(device, sizeof device, "%s", of);
            snprintf(port, sizeof port, "%s", at);
            is_open = true;
        }
        write_integer(counter, (long long)value);
    }
    if (is_open) object_end(), record_end();
}

void counters_read(const struct run *run, const char *when) {
    enum { TAG = 3 };
    if (!run->options.counters) return;
    MPI_Comm leaders = run->placement.leaders;
    if (leaders == MPI_COMM_NULL) return;
    struct text text = {0};
    read_node(&text, run->options.counters);
    int length = (int)text.length;
    if (run->rank != 0) {
        MPI_Send(&length, 1, MPI_INT, 0, TAG, leaders);
        if (length) MPI_Send(text.at, length, MPI_CHAR, 0, TAG, leaders);
    }
    for (int rank = 0; run->rank == 0 && rank < run->placement.ranks; rank++) {
        if (!placement_is_leader(&run->placement, rank)) continue;
        char *lines = text.at;
        if (rank != 0) {
            MPI_Recv(&length, 1, MPI_INT, run->placement.of[rank].node, TAG, leaders, MPI_STATUS_IGNORE);
            lines = need(calloc((size_t)length + 1, 1));
            if (length) MPI_Recv(lines, length, MPI_CHAR, run->placement.of[rank].node, TAG, leaders, MPI_STATUS_IGNORE);
        }
        if (length) write_node(run, rank, when, lines);
        else if (run->round == 1) remark(run, "no counters below %s on %s", run->options.counters, run->placement.of[rank].host);
        if (rank != 0) free(lines);
    }
    free(text.at);
}
