#define _GNU_SOURCE
#include "placement.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "failure.h"

const char *const class_names[CLASSES] = {"same node", "same leaf", "different leaves", "leaf unknown"};

static void list_cores(struct rank_info *info) {
    cpu_set_t set;
    size_t used = 0;
    info->cpus[0] = '\0';
    info->cores = 0;
    if (sched_getaffinity(0, sizeof set, &set) != 0) return;
    for (int first = 0; first < CPU_SETSIZE; first++) {
        if (!CPU_ISSET(first, &set)) continue;
        int last = first;
        while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &set)) last++;
        info->cores += last - first + 1;
        int room = (int)(CPUS_CHARS - used), wrote;
        if (first == last) wrote = snprintf(info->cpus + used, (size_t)room, "%s%d", used ? "," : "", first);
        else wrote = snprintf(info->cpus + used, (size_t)room, "%s%d-%d", used ? "," : "", first, last);
        used = wrote < room ? used + (size_t)wrote : CPUS_CHARS - 1;
        first = last;
    }
}

static MPI_Comm split_by_node(MPI_Comm comm, struct rank_info *own) {
    MPI_Comm node;
    int rank;
    MPI_Comm_rank(comm, &rank);
#ifdef LACIS_TEST
    /* A test pretends that so many ranks share a node. */
    const char *ranks_per_node = getenv("LACIS_TEST_RANKS_PER_NODE");
    if (ranks_per_node && atoi(ranks_per_node) > 0) {
        int number = rank / atoi(ranks_per_node);
        snprintf(own->host, HOST_CHARS, "node%03d", number);
        MPI_Comm_split(comm, number, rank, &node);
        return node;
    }
#else
    (void)own;
#endif
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    return node;
}

void placement_discover(struct placement *placement) {
    struct rank_info own;
    memset(&own, 0, sizeof own);
    MPI_Comm_dup(MPI_COMM_WORLD, &placement->comm);
    MPI_Comm_rank(placement->comm, &placement->rank);
    MPI_Comm_size(placement->comm, &placement->ranks);
    gethostname(own.host, HOST_CHARS - 1);
    placement->node_comm = split_by_node(placement->comm, &own);

    int rank_in_node, ranks_in_node, cores;
    MPI_Comm_rank(placement->node_comm, &rank_in_node);
    MPI_Comm_size(placement->node_comm, &ranks_in_node);
    MPI_Comm_split(placement->comm, rank_in_node == 0 ? 0 : MPI_UNDEFINED, placement->rank, &placement->leaders);
    placement->nodes = own.node = 0;
    if (placement->leaders != MPI_COMM_NULL) {
        MPI_Comm_rank(placement->leaders, &own.node);
        MPI_Comm_size(placement->leaders, &placement->nodes);
    }
    MPI_Bcast(&own.node, 1, MPI_INT, 0, placement->node_comm);
    MPI_Bcast(&placement->nodes, 1, MPI_INT, 0, placement->node_comm);

    list_cores(&own);
    own.leaf = -1;
    own.pid = (int)getpid();
    cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    int crowded = ranks_in_node > (own.cores == 1 ? cores : (own.cores ? own.cores : cores));
    MPI_Allreduce(MPI_IN_PLACE, &crowded, 1, MPI_INT, MPI_LOR, placement->comm);
    placement->is_oversubscribed = crowded;
    placement->of = need(calloc((size_t)placement->ranks, sizeof *placement->of));
    MPI_Allgather(&own, (int)sizeof own, MPI_BYTE, placement->of, (int)sizeof own, MPI_BYTE, placement->comm);
    placement->leaves = 0;
    placement->leaf_names = NULL;
}

static bool is_host(const char *there, const char *asked) {
    size_t shorter = strcspn(there, ".");
    return strcmp(there, asked) == 0 || (strcspn(asked, ".") == shorter && strncmp(there, asked, shorter) == 0 &&
                                         (there[shorter] == '\0' || asked[shorter] == '\0'));
}

int placement_find(const struct placement *placement, const char *host) {
    for (int rank = 0; rank < placement->ranks; rank++)
        if (is_host(placement->of[rank].host, host)) return rank;
    return -1;
}

static int leaf_of(struct placement *placement, const char *name) {
    for (int leaf = 0; leaf < placement->leaves; leaf++)
        if (strcmp(placement->leaf_names[leaf], name) == 0) return leaf;
    placement->leaf_names = need(
        realloc(placement->leaf_names, ((size_t)placement->leaves + 1) * sizeof *placement->leaf_names));
    snprintf(placement->leaf_names[placement->leaves], NAME_CHARS, "%s", name);
    return placement->leaves++;
}

int placement_read_leaves(struct placement *placement, const char *text, const char **reason) {
    int number = 0;
    for (const char *line = text; *line; number++) {
        size_t length = strcspn(line, "\n");
        char copy[HOST_CHARS + NAME_CHARS + 2], host[HOST_CHARS], name[NAME_CHARS];
        *reason = "a line is too long";
        if (length >= sizeof copy) return number + 1;
        snprintf(copy, sizeof copy, "%.*s", (int)length, line);
        copy[strcspn(copy, "#\r")] = '\0';
        for (size_t end = strlen(copy); end > 0 && strchr(" \t", copy[end - 1]); end--) copy[end - 1] = '\0';
        int fields = sscanf(copy, "%255s %255[^\n]", host, name);
        *reason = "a host and its leaf were expected";
        if (fields == 1) return number + 1;
        for (int rank = 0; fields == 2 && rank < placement->ranks; rank++)
            if (is_host(placement->of[rank].host, host)) placement->of[rank].leaf = leaf_of(placement, name);
        line += length + (line[length] == '\n');
    }
    return 0;
}

enum pair_class placement_class(const struct placement *placement, int a, int b) {
    const struct rank_info *one = &placement->of[a], *other = &placement->of[b];
    if (one->node == other->node) return SAME_NODE;
    if (one->leaf < 0 || other->leaf < 0) return LEAF_UNKNOWN;
    return one->leaf == other->leaf ? SAME_LEAF : DIFFERENT_LEAVES;
}

bool placement_is_leader(const struct placement *placement, int rank) {
    for (int before = 0; before < rank; before++)
        if (placement->of[before].node == placement->of[rank].node) return false;
    return true;
}

void placement_free(struct placement *placement) {
    free(placement->of);
    free(placement->leaf_names);
    if (placement->leaders != MPI_COMM_NULL) MPI_Comm_free(&placement->leaders);
    MPI_Comm_free(&placement->node_comm);
    MPI_Comm_free(&placement->comm);
}
