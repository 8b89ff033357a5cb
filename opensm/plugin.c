/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Lacis' routing engines inside OpenSM: the event plugin `osmlacis`.
 *
 *     event_plugin_name osmlacis
 *     routing_engine lacis-eventree,minhop
 *
 * This file and subnet.c alone know OpenSM's structures. In each sweep OpenSM, which holds its lock, calls build_tables() of one engine
 * of its list. The engine runs in a process of its own (apart.c); its answer is written into the switches' new tables only when it
 * is whole and proved. Otherwise the call fails, and OpenSM turns to the next engine of its list.
 */
/* First: its macros decide the layout of osm_opensm_t. */
#include <opensm/osm_config.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <opensm/osm_file_ids.h>
#define FILE_ID OSM_FILE_EVENT_PLUGIN_C
#include <opensm/osm_event_plugin.h>
#include <opensm/osm_opensm.h>
#include <opensm/osm_version.h>

#include "apart.h"
#include "lacis.h"
#include "report.h"
#include "settings.h"
#include "subnet.h"

#define COMPLAINT 256
#define SERVICE_LEVELS 16
#define NAME 32

struct plugin;

/* A routing engine, and what it answers after its tables were taken: service levels and lanes. */
struct engine {
	struct plugin *plugin;
	char name[NAME];	/* lacis-ftree */
	const char *core_name;	/* ftree */
	bool is_torus;
	/* Of the last answer; none before the first. */
	void *kept;
	size_t kept_size;
	struct lacis_answer answer;
	uint32_t num_switches;
	uint32_t max_lid;
};

struct plugin {
	osm_opensm_t *osm;
	struct settings settings;
	char complaint[COMPLAINT];	/* why the settings make no sense; empty where they do */
	struct engine *engines;
	size_t num_engines;
};

/* What the engine's process is given. */
struct errand {
	struct engine *engine;
	struct subnet_size size;
	struct lacis_question question;
	struct lacis_answer *answer;
};

/* The engine's process: describes the subnet object, and has the question answered. */
static void answer_apart(void *argument)
{
	struct errand *errand = argument;
	struct lacis_options options;

	subnet_describe(&errand->engine->plugin->osm->subn, errand->size, errand->engine->is_torus, &errand->question, &options);
	lacis_answer_question(&errand->question, errand->answer);
}

/* --- a sweep ------------------------------------------------------------------------------------------------------ */

/* Two pieces of shared memory: what is copied at once, and what is kept for questions about paths. */
struct memory {
	uint8_t *work;
	size_t work_size;
	uint8_t *kept;
	size_t kept_size;
};

static void *piece(size_t *size, uint8_t *base, size_t bytes)
{
	size_t at = *size;

	*size += (bytes + 63) & ~(size_t)63;
	return base ? base + at : NULL;
}

/* Lays the answer's arrays out; without memory only says how much it takes. */
static void lay_out(struct lacis_answer **answer, struct memory *memory, const struct engine *engine, struct subnet_size size)
{
	size_t entries = (size_t)size.switches * (size.max_lid + 1);
	struct lacis_answer arrays = { .stride_ports = size.most_ports };

	memory->work_size = 0;
	memory->kept_size = 0;
	*answer = piece(&memory->work_size, memory->work, sizeof(**answer));
	arrays.tables = piece(&memory->work_size, memory->work, entries);
	arrays.hop_lids = piece(&memory->work_size, memory->work, (size.max_lid + 1) * sizeof(uint16_t));
	arrays.hops = piece(&memory->work_size, memory->work, entries * size.most_ports);
	arrays.first_ports = piece(&memory->work_size, memory->work, entries);
	arrays.paths = piece(&memory->work_size, memory->work, size.ports * sizeof(uint32_t));
	arrays.levels = piece(&memory->kept_size, memory->kept, entries);
	arrays.rows = piece(&memory->kept_size, memory->kept, (size.max_lid + 1) * sizeof(uint32_t));
	if (engine->is_torus)
		arrays.lanes = piece(&memory->kept_size, memory->kept,
				     (size_t)size.switches * size.most_ports * size.most_ports * SERVICE_LEVELS);
	if (memory->work)
		**answer = arrays;
}

static bool reserve(struct memory *memory, struct lacis_answer **answer, const struct engine *engine, struct subnet_size size)
{
	*memory = (struct memory){ 0 };
	lay_out(answer, memory, engine, size);
	memory->work = shared_memory(memory->work_size);
	memory->kept = shared_memory(memory->kept_size);
	if (!memory->work || !memory->kept)
		return false;
	lay_out(answer, memory, engine, size);
	return true;
}

static void release(struct memory *memory)
{
	shared_memory_free(memory->work, memory->work_size);
	shared_memory_free(memory->kept, memory->kept_size);
}

static void forget(struct engine *engine)
{
	shared_memory_free(engine->kept, engine->kept_size);
	engine->kept = NULL;
	engine->answer = (struct lacis_answer){ 0 };
}

/*
 * Writes hops where OpenSM's own engines would: for its dumps, where these are asked for, those by every port, and for its multicast
 * trees the least, by the first port that has them: of all ports this is the one that they take.
 */
static bool write_hops(osm_switch_t *sw, const struct lacis_answer *answer, size_t row)
{
	uint32_t width = answer->hop_width < sw->num_ports ? answer->hop_width : sw->num_ports;
	const uint8_t *hops = answer->hops + row * answer->num_hop_lids * answer->hop_width;
	const uint8_t *ports = answer->first_ports + row * answer->num_hop_lids;

	for (uint32_t i = 0; i < answer->num_hop_lids; i++, hops += answer->hop_width) {
		uint16_t lid = answer->hop_lids[i];
		if (lid >= sw->num_hops || (!sw->hops[lid] && hops[0] == OSM_NO_PATH))
			continue;
		if (!sw->hops[lid] && !(sw->hops[lid] = malloc(sw->num_ports)))
			return false;
		/* Also of what an engine that failed before has left. */
		memset(sw->hops[lid], OSM_NO_PATH, sw->num_ports);
		memcpy(sw->hops[lid], hops, width);
		if (width == 1 && ports[i] && ports[i] < sw->num_ports)
			sw->hops[lid][ports[i]] = hops[0];
	}
	return true;
}

/* Takes the answer over: tables and hop matrices into OpenSM's, levels and lanes into the engine. */
static bool take_over(struct engine *engine, struct memory *memory, const struct lacis_answer *answer, struct subnet_size size)
{
	osm_subn_t *subn = &engine->plugin->osm->subn;
	size_t stride = size.max_lid + 1;
	size_t row = 0;

	/* What may fail comes first: tables are written for all switches or for none. */
	FOR_EACH(osm_switch_t, sw, &subn->sw_guid_tbl) {
		if (!write_hops(sw, answer, row++))
			return false;
	}
	row = 0;
	FOR_EACH(osm_switch_t, sw, &subn->sw_guid_tbl)
		memcpy(sw->new_lft, answer->tables + row++ * stride, stride < sw->lft_size ? stride : sw->lft_size);
	forget(engine);
	engine->kept = memory->kept;
	engine->kept_size = memory->kept_size;
	engine->answer = *answer;
	engine->num_switches = size.switches;
	engine->max_lid = size.max_lid;
	memory->kept = NULL;
	return true;
}

/* What an engine that refused has counted, the next engine of the list finds, as with OpenSM's own. */
static void take_over_paths(osm_subn_t *subn, const struct lacis_answer *answer)
{
	const uint32_t *paths = answer->paths;

	FOR_EACH(osm_switch_t, sw, &subn->sw_guid_tbl) {
		uint8_t physp = osm_node_get_num_physp(sw->p_node);
		for (unsigned number = 0; number < physp; number++)
			sw->p_prof[number].num_paths = *paths++;
	}
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* What became of the engine's process, in words; NULL where it has tables. */
static const char *judge(enum ending ending, int detail, const struct settings *settings, const struct lacis_answer *answer,
			 char *words, size_t size)
{
	switch (ending) {
	case NOT_STARTED:
		snprintf(words, size, "its process could not be started: %s", strerror(detail));
		return words;
	case TOOK_TOO_LONG:
		snprintf(words, size, "it took longer than %" PRIu32 " s (time=)", settings->time_s);
		return words;
	case DIED:
		snprintf(words, size, "its process ended by signal %d (%s); it may reserve %" PRIu32 " MiB (memory=)", detail,
			 strsignal(detail), settings->memory_mib);
		return words;
	case ENDED:
		break;
	}
	if (answer->state == LACIS_TABLES)
		return NULL;
	if (answer->state == LACIS_REFUSED)
		return answer->message;
	return "its process ended without an answer";
}

static void report(const struct plugin *plugin, const struct errand *errand, const char *outcome, const char *reason,
		   double total_s)
{
	const char *path = plugin->settings.report;
	size_t length = 0;

	if (!path)
		return;
	char *line = sweep_as_json(errand->engine->name, outcome, reason, &errand->question, errand->answer, total_s, &length);
	const char *failure = line ? append_line(path, line, length) : strerror(ENOMEM);
	if (failure)
		OSM_LOG(&plugin->osm->log, OSM_LOG_ERROR, "ERR LA02: cannot write to %s: %s\n", path, failure);
	free(line);
}

static void log_success(const struct plugin *plugin, const struct errand *errand, double total_s)
{
	const struct lacis_figures *f = &errand->answer->figures;
	char balance[96] = "";

	if (f->mean > 0)
		snprintf(balance, sizeof(balance), ", fullest link %.2f x the mean", (double)f->fullest / f->mean);
	OSM_LOG(&plugin->osm->log, OSM_LOG_INFO,
		"%s: %" PRIu32 " switches, %" PRIu32 " nodes: tables in %.3f s, proof in %.3f s, all in %.3f s; %" PRIu64 " of %"
		PRIu64 " entries change, %" PRIu64 " credit loops%s\n", errand->engine->name, errand->size.switches,
		errand->size.nodes, f->route_s, f->prove_s, total_s, f->changed, f->entries, f->credit_loops, balance);
}

/* OpenSM calls this for one engine of its list. Returns 0, or -1 where OpenSM shall ask the next engine. */
static int build_tables(void *context)
{
	struct engine *engine = context;
	struct plugin *plugin = engine->plugin;
	osm_subn_t *subn = &plugin->osm->subn;
	osm_log_t *log = &plugin->osm->log;
	struct errand errand = { .engine = engine, .size = subnet_size(subn) };
	struct memory memory = { 0 };
	const char *reason = NULL;
	char words[COMPLAINT];
	double start = seconds();

	if (*plugin->complaint) {
		OSM_LOG(log, OSM_LOG_ERROR, "ERR LA01: %s: %s\n", engine->name, plugin->complaint);
		return -1;
	}
	if (!reserve(&memory, &errand.answer, engine, errand.size)) {
		OSM_LOG(log, OSM_LOG_ERROR, "ERR LA01: %s: there is no memory for its answer\n", engine->name);
		release(&memory);
		return -1;
	}
	errand.question = (struct lacis_question){
		.engine = engine->core_name,
		.manager_guid = cl_ntoh64(subn->sm_port_guid),
		.num_nodes = errand.size.nodes,
		.num_switches = errand.size.switches,
		.num_ports = errand.size.ports,
		.max_lid = errand.size.max_lid,
		.threads = plugin->settings.threads,
		.fault = plugin->settings.fault,
		.proof = plugin->settings.proof,
		.dumps_hops = osm_log_is_active_v2(log, OSM_LOG_ROUTING, FILE_ID),
		.keep_tables = !subn->ignore_existing_lfts,
	};
	int detail;
	enum ending ending = run_apart(answer_apart, &errand, plugin->settings.time_s, plugin->settings.memory_mib, &detail);
	reason = judge(ending, detail, &plugin->settings, errand.answer, words, sizeof(words));
	if (!reason && !take_over(engine, &memory, errand.answer, errand.size))
		reason = "there is no memory for its hop matrices";
	if (reason) {
		OSM_LOG(log, OSM_LOG_ERROR, "ERR LA01: %s: %s\n", engine->name, reason);
		if (errand.answer->has_paths && errand.answer->state == LACIS_REFUSED)
			take_over_paths(subn, errand.answer);
	} else {
		log_success(plugin, &errand, seconds() - start);
	}
	report(plugin, &errand, reason ? "failed" : "tables", reason, seconds() - start);
	release(&memory);
	return reason ? -1 : 0;
}

/* The tables bring their hop matrices: OpenSM need not build its own first. */
static int no_lid_matrices(void *context)
{
	(void)context;
	return 0;
}

/* --- service levels and lanes --------------------------------------------------------------------------------------- */

static uint8_t path_level(void *context, uint8_t hint, const ib_net16_t slid, const ib_net16_t dlid)
{
	const struct engine *engine = context;
	const struct lacis_answer *answer = &engine->answer;
	uint32_t from = cl_ntoh16(slid);
	uint32_t to = cl_ntoh16(dlid);

	if (!answer->has_levels || answer->hint == LACIS_HINT_ALWAYS)
		return hint;
	bool is_known = from <= engine->max_lid && to <= engine->max_lid && answer->rows[from] != LACIS_NO_ROW
			&& answer->rows[to] != LACIS_NO_ROW;
	if (!is_known)
		return answer->hint == LACIS_HINT_UNKNOWN ? hint : 0;
	uint8_t level = answer->levels[(size_t)answer->rows[from] * (engine->max_lid + 1) + to];
	if (answer->hint == LACIS_HINT_QUALITY)
		level |= hint & 8;
	return level;
}

/* A switch's row in the answer; LACIS_NO_ROW where it has none. */
static uint32_t row_of(const struct engine *engine, osm_node_t *node)
{
	uint32_t lid = node->sw ? cl_ntoh16(osm_node_get_base_lid(node, 0)) : 0;

	return lid && lid <= engine->max_lid && engine->answer.maps_lanes ? engine->answer.rows[lid] : LACIS_NO_ROW;
}

static void update_sl2vl(void *context, osm_physp_t *port, uint8_t in, uint8_t out, ib_slvl_table_t *table)
{
	const struct engine *engine = context;
	uint32_t ports = engine->answer.stride_ports;
	uint32_t row = row_of(engine, osm_physp_get_node_ptr(port));
	bool has_quality_lanes = engine->plugin->osm->subn.min_data_vls >= 2;

	for (uint8_t level = 0; level < SERVICE_LEVELS; level++) {
		uint8_t lane = has_quality_lanes ? level >> 3 : 0;	/* of an end node */
		if (row != LACIS_NO_ROW && in < ports && out < ports)
			lane = engine->answer.lanes[(((size_t)row * ports + in) * ports + out) * SERVICE_LEVELS + level];
		ib_slvl_table_set(table, level, lane);
	}
}

/* Ports to end nodes use lanes 0 and 1 for what is 0 and 4 between switches; other lanes are not served there. */
static void update_vlarb(void *context, osm_physp_t *port, uint8_t number, ib_vl_arb_table_t *block, unsigned length,
			 unsigned block_number)
{
	const struct engine *engine = context;
	osm_node_t *node = osm_physp_get_node_ptr(port);
	osm_physp_t *remote = osm_physp_get_remote(port);
	unsigned used = 0;

	(void)block_number;
	if (row_of(engine, node) == LACIS_NO_ROW || !number || !remote || osm_physp_get_node_ptr(remote)->sw)
		return;
	for (unsigned i = 0; i < length; i++) {
		ib_vl_arb_element_t element = block->vl_entry[i];
		block->vl_entry[i] = (ib_vl_arb_element_t){ 0 };
		if (element.vl == 0 || element.vl == 4) {
			element.vl = element.vl ? 1 : 0;
			block->vl_entry[used++] = element;
		}
	}
}

/* --- registration -------------------------------------------------------------------------------------------------------- */

static void end_engine(void *context)
{
	forget(context);
}

static int set_up_engine(osm_routing_engine_t *re, osm_opensm_t *osm)
{
	struct engine *engine = re->context;

	(void)osm;
	re->build_lid_matrices = no_lid_matrices;
	re->ucast_build_fwd_tables = build_tables;
	re->path_sl = path_level;
	re->destroy = end_engine;
	/* Where this is set OpenSM asks for each pair of ports. */
	if (engine->is_torus) {
		re->update_sl2vl = update_sl2vl;
		re->update_vlarb = update_vlarb;
	}
	return 0;
}

static void delete_plugin(void *data)
{
	struct plugin *plugin = data;

	for (size_t i = 0; i < plugin->num_engines; i++)
		forget(&plugin->engines[i]);
	free(plugin->engines);
	free(plugin->settings.report);
	free(plugin);
}

static void *create_plugin(osm_opensm_t *osm)
{
	static const char prefix[] = "lacis-";
	const char *names = osm->subn.opt.event_plugin_name;
	bool others = names && strcspn(names, " ,\t") != strlen(names);
	struct plugin *plugin = calloc(1, sizeof(*plugin));
	size_t count = 0;

	while (lacis_engine_name(count))
		count++;
	if (!plugin || !(plugin->engines = calloc(count, sizeof(*plugin->engines)))) {
		OSM_LOG(&osm->log, OSM_LOG_ERROR, "ERR LA03: there is no memory for the plugin\n");
		free(plugin);
		return NULL;
	}
	plugin->osm = osm;
	plugin->num_engines = count;
	if (!settings_read(&plugin->settings, osm->subn.opt.event_plugin_options, others, plugin->complaint,
			   sizeof(plugin->complaint)))
		OSM_LOG(&osm->log, OSM_LOG_ERROR, "ERR LA03: %s\n", plugin->complaint);
	for (size_t i = 0; i < count; i++) {
		struct engine *engine = &plugin->engines[i];
		*engine = (struct engine){ .plugin = plugin, .core_name = lacis_engine_name(i) };
		engine->is_torus = !strcmp(engine->core_name, "torus-2QoS");
		snprintf(engine->name, sizeof(engine->name), "%s%s", prefix, engine->core_name);
		const external_routing_engine_module_t module = { .name = engine->name, .setup = set_up_engine };
		if (osm_register_external_routing_engine(osm, &module, engine) != CL_SUCCESS)
			OSM_LOG(&osm->log, OSM_LOG_ERROR, "ERR LA03: OpenSM does not take the engine %s\n", engine->name);
	}
	OSM_LOG(&osm->log, OSM_LOG_INFO, "Lacis: %zu routing engines, lacis-minhop and others\n", count);
	return plugin;
}

__attribute__((visibility("default"))) osm_event_plugin_t osm_event_plugin = {
	.osm_version = OSM_VERSION,
	.create = create_plugin,
	.delete = delete_plugin,
};
