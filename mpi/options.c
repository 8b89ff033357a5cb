#define _GNU_SOURCE
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: mpiexec -n RANKS lacis-mpi TEST[,TEST...] [OPTIONS]\n"
    "\n"
    "Measures a fabric with MPI; writes JSON lines.\n"
    "\n"
    "  -o, --output FILE        where rank 0 writes (standard output)\n"
    "  -b, --bytes N[,N...]     message sizes; K, M, G are powers of two (each test has its own)\n"
    "      --min N  --max N     repeats of a measurement (10, 100)\n"
    "      --width X            stop when the interval of the median is X of it (0.02)\n"
    "      --warm-up N          operations before measuring (5)\n"
    "      --window N           messages in flight (64, fewer where they are large)\n"
    "      --rounds N           rounds of random, shift and rounds (random: 10, else all)\n"
    "      --schedule S         of rounds: xor, round-robin, offset, or file:PATH with lines ROUND FROM TO\n"
    "      --pairs A-B[,...]    ranks that pingpong measures (0 and the first of the last node)\n"
    "      --leaves FILE        lines HOST LEAF, which make classes of pairs\n"
    "      --one-per-node       use only the first rank of each node\n"
    "      --one-at-a-time      nxn: one pair at a time instead of disjoint pairs at once\n"
    "      --both-ways          rounds: each pair sends in both directions at once\n"
    "      --line-rate RATE     of a node, bytes/s: higher rates are flagged\n"
    "      --congestor-bytes N  messages of the congestors (4096)\n"
    "      --threads N          tcp: streams of the 1-to-many test (4)\n"
    "      --interface ADDRESS  tcp: prefix of the addresses to use, such as 10.1. (the host name's)\n"
    "      --counters DIR       read port counters below DIR (/sys/class/infiniband) around each round\n"
    "      --handshake DIR      before and after each round create a file in DIR, and wait for FILE.done\n"
    "      --renew S            renew the clock models after S seconds (10)\n"
    "      --budget S           begin no round later than S seconds after the start\n"
    "      --seed N             of all random choices (1)\n"
    "      --list               list the tests\n";

enum { MIN = 256, MAX, WIDTH, WARM_UP, WINDOW, ROUNDS, SCHEDULE, PAIRS, LEAVES, ONE_PER_NODE, ONE_AT_A_TIME, BOTH_WAYS,
       LINE_RATE, CONGESTOR_BYTES, THREADS, INTERFACE, COUNTERS, HANDSHAKE, RENEW, BUDGET, SEED, LIST };

static const struct option known[] = {
    {"output", required_argument, NULL, 'o'},       {"bytes", required_argument, NULL, 'b'},
    {"help", no_argument, NULL, 'h'},               {"min", required_argument, NULL, MIN},
    {"max", required_argument, NULL, MAX},          {"width", required_argument, NULL, WIDTH},
    {"warm-up", required_argument, NULL, WARM_UP},  {"window", required_argument, NULL, WINDOW},
    {"rounds", required_argument, NULL, ROUNDS},    {"schedule", required_argument, NULL, SCHEDULE},
    {"pairs", required_argument, NULL, PAIRS},      {"leaves", required_argument, NULL, LEAVES},
    {"one-per-node", no_argument, NULL, ONE_PER_NODE}, {"one-at-a-time", no_argument, NULL, ONE_AT_A_TIME},
    {"both-ways", no_argument, NULL, BOTH_WAYS},    {"line-rate", required_argument, NULL, LINE_RATE},
    {"congestor-bytes", required_argument, NULL, CONGESTOR_BYTES}, {"threads", required_argument, NULL, THREADS},
    {"interface", required_argument, NULL, INTERFACE}, {"counters", required_argument, NULL, COUNTERS},
    {"handshake", required_argument, NULL, HANDSHAKE}, {"renew", required_argument, NULL, RENEW},
    {"budget", required_argument, NULL, BUDGET},    {"seed", required_argument, NULL, SEED},
    {"list", no_argument, NULL, LIST},              {NULL, 0, NULL, 0},
};

static bool read_size(const char *text, size_t length, size_t *bytes) {
    char *end;
    errno = 0;
    if (length == 0 || *text < '0' || *text > '9') return false;
    unsigned long long value = strtoull(text, &end, 10);
    int shift = *end == 'K' || *end == 'k' ? 10 : *end == 'M' || *end == 'm' ? 20 : *end == 'G' || *end == 'g' ? 30 : 0;
    if (errno || end + (shift > 0) != text + length || value > (1ull << 30) >> shift) return false;
    *bytes = (size_t)(value << shift);
    return true;
}

static bool read_sizes(const char *text, struct options *options) {
    for (options->size_count = 0;; text++) {
        size_t length = strcspn(text, ",");
        if (options->size_count == MOST_SIZES || !read_size(text, length, &options->sizes[options->size_count++]))
            return false;
        text += length;
        if (*text == '\0') return true;
    }
}

static bool read_count(const char *text, long least, int *value) {
    char *end;
    errno = 0;
    long read = strtol(text, &end, 10);
    if (errno || *text == '\0' || *end || read < least || read > 10000) return false;
    *value = (int)read;
    return true;
}

static bool read_number(const char *text, double least, double *value) {
    char *end;
    *value = strtod(text, &end);
    return *text && !*end && isfinite(*value) && *value >= least;
}

static bool read_option(struct options *options, int which, char *value) {
    char *end;
    switch (which) {
    case 'o': options->output = value; return true;
    case 'b': return read_sizes(value, options);
    case MIN: return read_count(value, 1, &options->least);
    case MAX: return read_count(value, 1, &options->most);
    case WIDTH: return read_number(value, 0, &options->width);
    case WARM_UP: return read_count(value, 0, &options->warm_up);
    case WINDOW: return read_count(value, 1, &options->window) && options->window <= 4096;
    case ROUNDS: return read_count(value, 1, &options->rounds);
    case SCHEDULE: options->schedule = value; return true;
    case PAIRS: options->pairs = value; return true;
    case LEAVES: options->leaves = value; return true;
    case ONE_PER_NODE: options->one_per_node = true; return true;
    case ONE_AT_A_TIME: options->one_at_a_time = true; return true;
    case BOTH_WAYS: options->both_ways = true; return true;
    case LINE_RATE: return read_number(value, 1, &options->line_rate);
    case CONGESTOR_BYTES: return read_size(value, strlen(value), &options->congestor_bytes) && options->congestor_bytes > 0;
    case THREADS: return read_count(value, 1, &options->threads) && options->threads <= 64;
    case INTERFACE: options->interface = value; return true;
    case COUNTERS: options->counters = value; return true;
    case HANDSHAKE: options->handshake = value; return true;
    case RENEW: return read_number(value, 0.1, &options->renew);
    case BUDGET: return read_number(value, 0, &options->budget);
    case SEED:
        errno = 0;
        options->seed = strtoull(value, &end, 10);
        return *value >= '0' && *value <= '9' && !*end && !errno;
    default: return false;
    }
}

static const char *name_of(int which) {
    for (const struct option *option = known; option->name; option++)
        if (option->val == which) return option->name;
    return "?";
}

int options_read(struct options *options, int count, char **arguments, bool speaks) {
    *options = (struct options){.output = "-", .least = 10, .most = 100, .warm_up = 5, .threads = 4, .width = 0.02,
                                .renew = 10, .seed = 1, .congestor_bytes = 4096, .schedule = "xor"};
    opterr = 0;
    for (int which; (which = getopt_long(count, arguments, "o:b:h", known, NULL)) != -1;) {
        if (which == 'h' || which == LIST) {
            if (speaks && which == 'h') fputs(usage, stdout);
            options->lists_tests = which == LIST;
            return 0;
        }
        if (which == '?' || which == ':') {
            if (speaks) fprintf(stderr, "lacis-mpi: no such option, or its value is missing: %s\n", arguments[optind - 1]);
            return 2;
        }
        if (!read_option(options, which, optarg)) {
            if (speaks) fprintf(stderr, "lacis-mpi: --%s: not a value that it takes: %s\n", name_of(which), optarg);
            return 2;
        }
    }
    if (optind + 1 != count) {
        if (speaks && optind == count) fputs(usage, stderr);
        else if (speaks) fprintf(stderr, "lacis-mpi: tests are given once, with commas between them: %s\n", arguments[optind + 1]);
        return 2;
    }
    options->test = arguments[optind];
    if (options->most < options->least) options->most = options->least;
    return -1;
}
