#include "summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"
#include "output.h"

struct group {
    char what[32];
    const char *unit;
    size_t bytes, count, room;
    struct entry {
        double median;
        int class;
    } *entries;
};

static struct group *groups;
static size_t group_count;

void summary_add(const struct run *run, const struct series *series, const struct job *job, double median) {
    if (run->rank != 0 || series->from < 0 || !isfinite(median)) return;
    struct group *group = groups;
    while (group < groups + group_count && (group->bytes != job->bytes || strcmp(group->what, series->what) != 0)) group++;
    if (group == groups + group_count) {
        groups = need(realloc(groups, (group_count + 1) * sizeof *groups));
        group = &groups[group_count++];
        *group = (struct group){.unit = job->work > 0 ? "bytes/s" : "s", .bytes = job->bytes};
        strncpy(group->what, series->what, sizeof group->what - 1);
    }
    if (group->count == group->room) {
        group->room = 2 * group->room + 64;
        group->entries = need(realloc(group->entries, group->room * sizeof *group->entries));
    }
    group->entries[group->count++] =
        (struct entry){median, (int)placement_class(&run->placement, series->from, series->to)};
}

static void write_class(const struct run *run, const struct group *group, int class, double *values) {
    size_t count = 0;
    for (size_t i = 0; i < group->count; i++)
        if (class == CLASSES || group->entries[i].class == class) values[count++] = group->entries[i].median;
    if (count == 0) return;
    struct interval interval = median_of(values, count);
    record_begin("summary");
    write_text("test", run->test);
    write_text("what", group->what);
    write_text("class", class == CLASSES ? "overall" : class_names[class]);
    write_integer("bytes", (long long)group->bytes);
    write_text("unit", group->unit);
    write_integer("pairs", (long long)count);
    write_number("min", values[0]);
    write_number("mean", mean_of(values, count));
    write_number("median", interval.median);
    write_number("max", values[count - 1]);
    record_end();
}

void summary_write(const struct run *run) {
    for (struct group *group = groups; group < groups + group_count; group++) {
        double *values = need(malloc(group->count * sizeof *values));
        for (int class = 0; class <= CLASSES; class++) write_class(run, group, class, values);
        free(values);
        free(group->entries);
    }
    free(groups);
    groups = NULL;
    group_count = 0;
}
