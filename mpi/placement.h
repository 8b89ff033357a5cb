/* Which rank runs on which host, node and leaf, as MPI and the host report. */
#ifndef LACIS_PLACEMENT_H
#define LACIS_PLACEMENT_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

enum { HOST_CHARS = 256, CPUS_CHARS = 256, NAME_CHARS = 256 };

struct rank_info {
    char host[HOST_CHARS];
    char cpus[CPUS_CHARS]; /* the cores that it may run on, as in 0-3,8 */
    int node;              /* counted from 0 in the order of first ranks */
    int leaf;              /* index of a leaf's name; -1 where the file of leaves does not name the host */
    int pid;
    int cores; /* how many it may run on */
};

struct placement {
    MPI_Comm comm;      /* all ranks */
    MPI_Comm node_comm; /* those that share this rank's node; rank 0 is the leader */
    MPI_Comm leaders;   /* one of each node; MPI_COMM_NULL on the others */
    int rank, ranks, nodes, leaves;
    struct rank_info *of; /* by rank */
    char (*leaf_names)[NAME_CHARS];
    bool is_oversubscribed; /* a node has more ranks than cores: waiting ranks must yield */
};

/* The class of a pair, by where its ends run. */
enum pair_class { SAME_NODE, SAME_LEAF, DIFFERENT_LEAVES, LEAF_UNKNOWN, CLASSES };
extern const char *const class_names[CLASSES];

/* Collective. */
void placement_discover(struct placement *placement);
/* Reads lines "HOST LEAF" (blanks or a tab between; # begins a comment) from text. Returns 0, or the number of the
 * bad line. */
int placement_read_leaves(struct placement *placement, const char *text, const char **reason);
enum pair_class placement_class(const struct placement *placement, int a, int b);
/* The first rank of a host, by its full or its short name (before the first dot); -1 where there is none. */
int placement_find(const struct placement *placement, const char *host);
bool placement_is_leader(const struct placement *placement, int rank);
void placement_free(struct placement *placement);

#endif
