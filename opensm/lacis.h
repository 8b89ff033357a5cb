/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * What the plugin and the engine hand each other. Nothing here is a structure of OpenSM's: only plugin.c and subnet.c
 * know those, and only crates/lacis-opensm knows these on the other side: ffi.rs, with
 * the plain ones of question.rs and answer.rs.
 *
 * Everything is in host byte order. Switches are the first nodes, in the order of OpenSM's table of switches, which
 * is also the order of rows in every result.
 */
#ifndef LACIS_H
#define LACIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lacis_kind { LACIS_SWITCH = 1, LACIS_ADAPTER = 2, LACIS_ROUTER = 3 };

/* A node; its ports follow one another, port 0 first. */
struct lacis_node {
	uint64_t guid;
	uint64_t system_guid;
	const char *description;
	const uint8_t *table;	/* what the switch forwards by now, by LID; NULL where it has none */
	uint32_t table_size;	/* LIDs in it */
	uint32_t first_port;
	uint32_t vendor;
	uint32_t device;
	uint8_t num_ports;	/* without port 0 */
	uint8_t kind;		/* enum lacis_kind */
	bool enhanced_port0;
};

/* A port, and the far end of its cable. */
struct lacis_port {
	uint64_t guid;
	uint64_t peer_guid;	/* port GUID, of a switch's ports its own; 0 without a cable */
	uint32_t paths;		/* counted on it by engines that failed before in this sweep */
	uint16_t lid;		/* base LID; 0 where it has none */
	uint8_t peer_number;
	uint8_t lmc;
	uint8_t lanes;		/* width: 1, 2, 4, 8 or 12; 0 unknown */
	uint8_t speed;		/* as PortInfo codes LinkSpeedActive: 1 SDR, 2 DDR, 4 QDR */
	uint8_t speed_ext;	/* as PortInfo codes LinkSpeedExtActive: 1 FDR, 2 EDR, 4 HDR, 8 NDR; 0 where speed counts */
	uint8_t op_vls;		/* as PortInfo codes OperationalVLs: 1, 2, 4, 8, 15 lanes; 0 unknown */
	bool fdr10;
	bool healthy;		/* the manager trusts both ends of the cable */
	bool throttled;		/* the cable runs below what its ends have enabled */
};

/* The options of OpenSM that change a table; files by path, NULL where not given, in the order of `File` in question.rs. */
struct lacis_options {
	const char *root_guid_file;
	const char *cn_guid_file;
	const char *io_guid_file;
	const char *guid_routing_order_file;
	const char *ids_guid_file;
	const char *hop_weights_file;
	const char *port_prof_ignore_file;
	const char *port_search_ordering_file;
	const char *torus_conf_file;
	const char *lfts_file;
	const char *lid_matrix_dump_file;
	uint32_t scatter_ports;
	uint16_t max_reverse_hops;
	uint8_t lash_start_vl;
	uint8_t nue_max_num_vls;
	uint8_t vls;		/* data lanes to count with; 0: as many as each cabled port of a switch has */
	bool guid_routing_order_no_scatter;
	bool connect_roots;
	bool port_shifting;
	bool port_profile_switch_nodes;
	bool quasi_ftree_indexing;
	bool avoid_throttled_links;
	bool do_mesh_analysis;
	bool nue_include_switches;
	bool qos;		/* lanes are set up; without, all packets use one */
};

/* What must hold before tables are programmed. */
enum lacis_proof {
	LACIS_PROVE_ALL = 0,	/* every pair of end ports delivered, no credit loop among them */
	LACIS_PROVE_HOSTS = 1,	/* the same among host adapters alone */
	LACIS_PROVE_DELIVERY = 2,	/* every pair delivered; credit loops are logged */
	LACIS_PROVE_NOTHING = 3
};

/* One sweep's question. */
struct lacis_question {
	const char *engine;	/* as OpenSM spells it, without "lacis-" */
	const struct lacis_node *nodes;
	const struct lacis_port *ports;
	const struct lacis_options *options;
	uint64_t manager_guid;	/* port GUID */
	uint32_t num_nodes;
	uint32_t num_switches;
	uint32_t num_ports;
	uint32_t max_lid;
	uint32_t threads;	/* 0: one for each core */
	uint32_t fault;		/* enum lacis_fault: tests break the engine on purpose */
	uint8_t proof;		/* enum lacis_proof */
	bool dumps_hops;	/* the manager dumps its hop matrices: the hops by each port are wanted too */
	bool keep_tables;	/* entries that still serve may stay: nothing appeared since the last sweep */
};

/* Faults that tests inject. */
enum lacis_fault { LACIS_NO_FAULT = 0, LACIS_FAULT_PANIC = 1, LACIS_FAULT_HANG = 2, LACIS_FAULT_MEMORY = 3 };

enum lacis_state {
	LACIS_UNFINISHED = 0,	/* the engine's process has ended or been ended before it had an answer */
	LACIS_TABLES = 1,
	LACIS_REFUSED = 2	/* message says why */
};

/* What the service level that a client asks for counts beside that of the path. */
enum lacis_hint {
	LACIS_HINT_IGNORED = 0,	/* unknown paths have level 0 */
	LACIS_HINT_UNKNOWN = 1,	/* it is the level of unknown paths */
	LACIS_HINT_ALWAYS = 2,	/* any level will do: it is the level of all paths */
	LACIS_HINT_QUALITY = 3	/* bit 3 is its own, the others are the path's */
};

/* For the log, and for exporters. */
struct lacis_figures {
	double build_s;		/* the fabric, and the files of options */
	double route_s;
	double prove_s;
	double write_s;		/* the answer, hop matrices included */
	uint64_t entries;	/* of assigned LIDs */
	uint64_t changed;	/* entries that differ from what switches forward by now */
	uint64_t kept;		/* destinations whose entries were all kept from the last sweep */
	uint64_t pairs;		/* of end ports, judged */
	uint64_t undelivered;
	uint64_t credit_loops;
	uint64_t fullest;	/* pairs on the fullest link between switches */
	double mean;		/* pairs on the mean one */
	uint32_t lanes_used;
};

#define LACIS_MESSAGE 2048
#define LACIS_NO_ROW UINT32_MAX

/*
 * The answer, in memory that both processes share. The arrays are the plugin's, large enough for any engine.
 * S: switches, L: max_lid + 1, P: the most ports of any switch, port 0 included.
 */
struct lacis_answer {
	uint8_t *tables;	/* S x L: port, 255 none */
	uint8_t *levels;	/* S x L: service level from a switch to a LID, where has_levels */
	uint32_t *rows;		/* L: the row of levels for packets from a LID, LACIS_NO_ROW where it is unknown */
	uint8_t *lanes;		/* S x P x P x 16: lane by input port, output port, service level, where maps_lanes */
	uint16_t *hop_lids;	/* L: LIDs that have rows in hops, as many as num_hop_lids */
	uint8_t *hops;		/* S x num_hop_lids x hop_width: the least hops, then those by port 1 and on */
	uint8_t *first_ports;	/* S x num_hop_lids: the first port by which the least hops lead, 0 none; where hop_width is 1 */
	uint32_t *paths;	/* one for each port: counted by an engine that refused, where has_paths */
	uint32_t num_hop_lids;
	uint32_t hop_width;	/* P where the question asks for the hops by each port, else 1 */
	uint32_t stride_ports;	/* P */
	uint32_t state;		/* enum lacis_state, written last */
	uint32_t hint;		/* enum lacis_hint */
	bool has_levels;
	bool maps_lanes;
	bool has_paths;
	struct lacis_figures figures;
	char message[LACIS_MESSAGE];	/* UTF-8, ends in 0 */
};

/* ffi.rs asks the same of its side. */
_Static_assert(offsetof(struct lacis_options, scatter_ports) == 88 && offsetof(struct lacis_options, qos) == 105, "as in ffi.rs");
_Static_assert(sizeof(struct lacis_node) == 56 && sizeof(struct lacis_port) == 32, "as in ffi.rs");
_Static_assert(sizeof(struct lacis_options) == 112 && sizeof(struct lacis_question) == 72, "as in ffi.rs");
_Static_assert(sizeof(struct lacis_figures) == 104 && sizeof(struct lacis_answer) == 2240, "as in ffi.rs");

/* Answers a question. Nothing unwinds out of it; it never touches what the question points to. */
void lacis_answer_question(const struct lacis_question *question, struct lacis_answer *answer);

/* The engines by number, as OpenSM spells them; NULL behind the last. */
const char *lacis_engine_name(size_t number);

#endif
