#include "environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clock.h"
#include "failure.h"
#include "output.h"

#ifndef LACIS_VERSION
#define LACIS_VERSION "unknown"
#endif

extern char **environ;

/* Variables that choose transports, rails and cores. No others are written: an environment holds secrets. */
static const char *const prefixes[] = {"OMPI_MCA_pml", "OMPI_MCA_btl", "OMPI_MCA_mtl", "OMPI_MCA_hwloc", "OMPI_MCA_rmaps",
                                       "OMPI_MCA_coll", "UCX_", "FI_", "PSM2_", "PSM3_", "HFI_", "MPICH_", "MPIR_CVAR_",
                                       "I_MPI_", "MV2_", "NCCL_", "OMP_NUM_THREADS", "OMP_PROC_BIND", "OMP_PLACES",
                                       "SLURM_JOB_ID", "SLURM_JOB_NODELIST", "SLURM_CPU_BIND", "FLUX_JOB_ID"};
/* Control variables of MPI libraries that name a transport. */
static const char *const controls[] = {"pml", "btl", "mtl", "MPIR_CVAR_CH4_NETMOD", "MPIR_CVAR_OFI_USE_PROVIDER", "MPIR_CVAR_CH4_SHM"};

static void write_variables(void) {
    object_begin("variables");
    for (char **at = environ; *at; at++) {
        size_t length = strcspn(*at, "=");
        bool is_wanted = false;
        for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
            is_wanted |= strncmp(*at, prefixes[i], strlen(prefixes[i])) == 0;
        if (!is_wanted || (*at)[length] != '=' || length >= 256) continue;
        char name[256];
        snprintf(name, sizeof name, "%.*s", (int)length, *at);
        write_text(name, *at + length + 1);
    }
    object_end();
}

/* The values of the library's control variables, as text or number. */
static void write_control(int index, const char *name) {
    MPI_T_cvar_handle handle;
    MPI_Datatype type;
    MPI_T_enum names;
    int verbosity, bind, scope, count = 0, length = 0;
    if (MPI_T_cvar_get_info(index, NULL, &length, &verbosity, &type, &names, NULL, NULL, &bind, &scope) != MPI_SUCCESS) return;
    if (bind != MPI_T_BIND_NO_OBJECT || type != MPI_CHAR) return;
    if (MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS) return;
    char *value = need(calloc((size_t)count + 1, 1));
    if (MPI_T_cvar_read(handle, value) == MPI_SUCCESS && value[0]) write_text(name, value);
    free(value);
    MPI_T_cvar_handle_free(&handle);
}

static void write_transport(void) {
    int provided;
    object_begin("transport_asked");
    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS) {
        for (size_t i = 0; i < sizeof controls / sizeof *controls; i++) {
            int index;
            if (MPI_T_cvar_get_index(controls[i], &index) == MPI_SUCCESS) write_control(index, controls[i]);
        }
        MPI_T_finalize();
    }
    object_end();
}

/* What MPI provides for threads, by the standard's names. */
static const char *threads(void) {
    int level;
    MPI_Query_thread(&level);
    return level == MPI_THREAD_SINGLE     ? "single"
           : level == MPI_THREAD_FUNNELED ? "funneled"
           : level == MPI_THREAD_SERIALIZED ? "serialized"
                                            : "multiple";
}

static void write_run(const struct run *run) {
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "", now[64];
    int length, version, subversion;
    time_t seconds = time(NULL);
    struct tm utc;
    MPI_Get_library_version(library, &length);
    MPI_Get_version(&version, &subversion);
    /* MPICH goes on with all it was configured with. */
    char *more = strstr(library, "MPICH configure");
    if (more) *more = '\0';
    for (char *at = library; *at; at++)
        if (*at == '\n' || *at == '\t') *at = ' ';
    if (!gmtime_r(&seconds, &utc) || strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0) now[0] = '\0';
    record_begin("run");
    write_text("schema", "lacis.mpi/1");
    write_text("provenance", "measured");
    write_text("version", LACIS_VERSION);
    write_text("tests", run->options.test);
    write_text("started", now);
    write_integer("ranks", run->placement.ranks);
    write_integer("nodes", run->placement.nodes);
    write_integer("leaves", run->placement.leaves);
    write_bool("oversubscribed", run->placement.is_oversubscribed);
    write_integer("seed", (long long)run->options.seed);
    write_integer("min", run->options.least);
    write_integer("max", run->options.most);
    write_number("width", run->options.width);
    write_integer("warm_up", run->options.warm_up);
    record_end();
    record_begin("environment");
    write_text("library", library);
    char standard[32];
    snprintf(standard, sizeof standard, "%d.%d", version, subversion);
    write_text("mpi", standard);
    write_text("threads", threads());
    write_transport();
    write_variables();
    record_end();
}

static void write_ranks(const struct run *run) {
    for (int rank = 0; rank < run->placement.ranks; rank++) {
        const struct rank_info *of = &run->placement.of[rank];
        record_begin("rank");
        write_integer("rank", rank);
        write_text("host", of->host);
        write_integer("node", of->node);
        if (of->leaf >= 0) write_text("leaf", run->placement.leaf_names[of->leaf]);
        else write_null("leaf");
        write_text("cores", of->cpus);
        write_integer("pid", of->pid);
        record_end();
    }
}

static void write_clocks(struct run *run) {
    enum { DAY = 7, NUMBERS };
    int ranks = run->placement.ranks;
    double resolution, *all = need(malloc((size_t)ranks * NUMBERS * sizeof *all));
    struct clock_model model = clock_model();
    clock_measure(&resolution, &run->clock_cost);
    /* Both readings are made at one time, so that the days that ranks have differ by what their clocks of the day do. */
    double day = clock_of_day() - clock_global(clock_local());
    double own[NUMBERS] = {resolution, run->clock_cost, model.offset, model.slope, model.error, model.growth, model.round_trip, day};
    MPI_Gather(own, NUMBERS, MPI_DOUBLE, all, NUMBERS, MPI_DOUBLE, 0, run->placement.comm);
    for (int rank = 0; run->rank == 0 && rank < ranks; rank++) {
        static const char *const keys[DAY] = {"resolution", "overhead", "offset", "drift", "error", "error_per_second", "round_trip"};
        record_begin("clock");
        write_integer("rank", rank);
        for (int i = 0; i < DAY; i++) write_number(keys[i], all[rank * NUMBERS + i]);
        write_number("day_off", all[rank * NUMBERS + DAY] - all[DAY]);
        record_end();
    }
    free(all);
}

void environment_write(struct run *run) {
    if (run->rank == 0) {
        write_run(run);
        write_ranks(run);
    }
    write_clocks(run);
}
