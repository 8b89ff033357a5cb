/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* An event plugin of OpenSM 3.3.23 that writes only the tables, whenever the subnet is up: `tables.lfts` in the folder of
 * OpenSM's dumps, in the format of dump_lfts, with the owner of each LID named once. OpenSM's own dumps of a fabric with
 * thousands of nodes take longer than the rest of the sweep.
 *
 *     cc -O2 -shared -fPIC -isystem /usr/include/infiniband -o liblacistables.so opensm_tables.c
 */
#include <opensm/osm_config.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <opensm/osm_event_plugin.h>
#include <opensm/osm_opensm.h>
#include <opensm/osm_version.h>

/* `named`: by LID, whether its owner has been written. */
static void write_table(FILE *out, osm_subn_t *subn, const osm_switch_t *sw, bool *named)
{
	fprintf(out, "Unicast lids [0x0-0x%x] of switch Lid %u guid 0x%016llx (switch):\n", sw->max_lid_ho,
		cl_ntoh16(osm_node_get_base_lid(sw->p_node, 0)), (unsigned long long)cl_ntoh64(osm_node_get_node_guid(sw->p_node)));
	for (unsigned lid = 1; lid <= sw->max_lid_ho && lid < sw->lft_size; lid++) {
		unsigned port = sw->lft[lid];
		if (port == OSM_NO_PATH)
			continue;
		char line[] = "0x0000 000";
		for (unsigned digit = 0; digit < 4; digit++)
			line[2 + digit] = "0123456789abcdef"[lid >> (12 - 4 * digit) & 15];
		line[7] = (char)('0' + port / 100);
		line[8] = (char)('0' + port / 10 % 10);
		line[9] = (char)('0' + port % 10);
		fputs(line, out);
		osm_port_t *owner = named[lid] ? NULL : osm_get_port_by_lid_ho(subn, (uint16_t)lid);
		if (owner)
			fprintf(out, " # Port portguid 0x%016llx: 'port'", (unsigned long long)cl_ntoh64(osm_port_get_guid(owner)));
		named[lid] = true;
		fputc('\n', out);
	}
}

static void *create(osm_opensm_t *osm)
{
	return osm;
}

static void delete(void *data)
{
	(void)data;
}

static void report(void *data, osm_epi_event_id_t event, void *event_data)
{
	osm_opensm_t *osm = data;
	char name[2][4096];
	bool named[0x10000] = { false };

	(void)event_data;
	if (event != OSM_EVENT_ID_SUBNET_UP)
		return;
	snprintf(name[0], sizeof(name[0]), "%s/tables.new", osm->subn.opt.dump_files_dir);
	snprintf(name[1], sizeof(name[1]), "%s/tables.lfts", osm->subn.opt.dump_files_dir);
	FILE *out = fopen(name[0], "w");
	if (!out)
		abort();
	cl_qmap_t *switches = &osm->subn.sw_guid_tbl;
	for (cl_map_item_t *item = cl_qmap_head(switches); item != cl_qmap_end(switches); item = cl_qmap_next(item))
		write_table(out, &osm->subn, (osm_switch_t *)item, named);
	if (fclose(out) || rename(name[0], name[1]))
		abort();
}

osm_event_plugin_t osm_event_plugin = {
	.osm_version = OSM_VERSION,
	.create = create,
	.delete = delete,
	.report = report,
};
