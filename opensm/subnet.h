/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* OpenSM's subnet object, described in the arrays of lacis.h. */
#ifndef LACIS_SUBNET_H
#define LACIS_SUBNET_H

/* First: its macros decide the layout of OpenSM's structures. */
#include <opensm/osm_config.h>

#include <opensm/osm_subnet.h>

#include "lacis.h"

/* How large a fabric is. */
struct subnet_size {
	uint32_t switches;
	uint32_t nodes;
	uint32_t ports;
	uint32_t most_ports;	/* of a switch, port 0 included */
	uint32_t max_lid;
};

#define FOR_EACH(type, item, map) \
	for (type *item = (type *)cl_qmap_head(map); item != (type *)cl_qmap_end(map); \
	     item = (type *)cl_qmap_next((cl_map_item_t *)item))

/* Counts. */
struct subnet_size subnet_size(osm_subn_t *subn);

/*
 * Fills in the question's nodes, ports and options; in the engine's process, which ends with them. Without memory it aborts, and the
 * manager learns that the process died.
 */
void subnet_describe(osm_subn_t *subn, struct subnet_size size, bool is_torus, struct lacis_question *question,
		     struct lacis_options *options);

#endif
