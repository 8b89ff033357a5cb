/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* OpenSM's subnet object, described: nodes, ports, cables, LIDs, and the options that change a table. */
#include "subnet.h"

#include <stdlib.h>

#include <opensm/osm_node.h>
#include <opensm/osm_port.h>
#include <opensm/osm_switch.h>

struct subnet_size subnet_size(osm_subn_t *subn)
{
	struct subnet_size size = { 0 };
	size_t lids = cl_ptr_vector_get_size(&subn->port_lid_tbl);

	size.max_lid = lids ? (uint32_t)lids - 1 : 0;
	FOR_EACH(osm_switch_t, sw, &subn->sw_guid_tbl) {
		size.switches++;
		if (sw->num_ports > size.most_ports)
			size.most_ports = sw->num_ports;
	}
	FOR_EACH(osm_node_t, node, &subn->node_guid_tbl) {
		if (node->sw || osm_node_get_type(node) != IB_NODE_TYPE_SWITCH) {
			size.nodes++;
			size.ports += osm_node_get_num_physp(node);
		}
	}
	return size;
}

static void describe_port(struct lacis_port *to, osm_subn_t *subn, osm_node_t *node, uint8_t number)
{
	osm_physp_t *port = osm_node_get_physp_ptr(node, number);
	bool is_switch = node->sw != NULL;

	*to = (struct lacis_port){ .healthy = true };
	if (!port)
		return;
	if (!is_switch || number == 0) {
		to->guid = cl_ntoh64(osm_physp_get_port_guid(port));
		to->lid = cl_ntoh16(osm_physp_get_base_lid(port));
		if (!is_switch || ib_switch_info_is_enhanced_port0(&node->sw->switch_info))
			to->lmc = ib_port_info_get_lmc(&port->port_info);
	}
	if (is_switch)
		to->paths = node->sw->p_prof[number].num_paths;
	osm_physp_t *remote = osm_physp_get_remote(port);
	if (!remote)
		return;
	to->peer_guid = cl_ntoh64(osm_physp_get_port_guid(remote));
	to->peer_number = osm_physp_get_port_num(remote);
	switch (port->port_info.link_width_active) {
	case IB_LINK_WIDTH_ACTIVE_1X: to->lanes = 1; break;
	case IB_LINK_WIDTH_ACTIVE_2X: to->lanes = 2; break;
	case IB_LINK_WIDTH_ACTIVE_4X: to->lanes = 4; break;
	case IB_LINK_WIDTH_ACTIVE_8X: to->lanes = 8; break;
	case IB_LINK_WIDTH_ACTIVE_12X: to->lanes = 12; break;
	}
	to->speed = ib_port_info_get_link_speed_active(&port->port_info);
	to->speed_ext = ib_port_info_get_link_speed_ext_active(&port->port_info);
	to->fdr10 = port->ext_port_info.link_speed_active & FDR10;
	to->op_vls = ib_port_info_get_op_vls(&port->port_info);
	to->healthy = port->healthy && remote->healthy;
	to->throttled = subn->opt.avoid_throttled_links && osm_link_is_throttled(port, subn->opt.fdr10 == 1);
}

static void describe_node(struct lacis_node *to, struct lacis_port *ports, uint32_t *num_ports, osm_subn_t *subn,
			  osm_node_t *node)
{
	uint8_t physp = osm_node_get_num_physp(node);

	*to = (struct lacis_node){
		.guid = cl_ntoh64(osm_node_get_node_guid(node)),
		.system_guid = cl_ntoh64(node->node_info.sys_guid),
		.description = node->print_desc,
		.first_port = *num_ports,
		.vendor = cl_ntoh32(ib_node_info_get_vendor_id(&node->node_info)),
		.device = cl_ntoh16(node->node_info.device_id),
		.num_ports = physp ? physp - 1 : 0,
		.kind = LACIS_ADAPTER,
	};
	if (node->sw) {
		to->kind = LACIS_SWITCH;
		to->table = node->sw->lft;
		to->table_size = node->sw->lft ? node->sw->lft_size : 0;
		to->enhanced_port0 = ib_switch_info_is_enhanced_port0(&node->sw->switch_info);
	} else if (osm_node_get_type(node) == IB_NODE_TYPE_ROUTER) {
		to->kind = LACIS_ROUTER;
	}
	for (unsigned number = 0; number < physp; number++)
		describe_port(&ports[(*num_ports)++], subn, node, (uint8_t)number);
}

static struct lacis_options describe_options(osm_subn_t *subn, bool is_torus)
{
	const osm_subn_opt_t *opt = &subn->opt;

	return (struct lacis_options){
		.root_guid_file = opt->root_guid_file,
		.cn_guid_file = opt->cn_guid_file,
		.io_guid_file = opt->io_guid_file,
		.guid_routing_order_file = opt->guid_routing_order_file,
		.ids_guid_file = opt->ids_guid_file,
		.hop_weights_file = opt->hop_weights_file,
		.port_prof_ignore_file = opt->port_prof_ignore_file,
		.port_search_ordering_file = opt->port_search_ordering_file,
		.torus_conf_file = opt->torus_conf_file,
		.lfts_file = opt->lfts_file,
		.lid_matrix_dump_file = opt->lid_matrix_dump_file,
		.scatter_ports = opt->scatter_ports,
		.max_reverse_hops = opt->max_reverse_hops,
		.lash_start_vl = opt->lash_start_vl,
		.nue_max_num_vls = opt->nue_max_num_vls,
		.vls = is_torus ? subn->min_sw_data_vls : 0,
		.guid_routing_order_no_scatter = opt->guid_routing_order_no_scatter,
		.connect_roots = opt->connect_roots,
		.port_shifting = opt->port_shifting,
		.port_profile_switch_nodes = opt->port_profile_switch_nodes,
		.quasi_ftree_indexing = opt->quasi_ftree_indexing,
		.avoid_throttled_links = opt->avoid_throttled_links,
		.do_mesh_analysis = opt->do_mesh_analysis,
		.nue_include_switches = opt->nue_include_switches,
		.qos = opt->qos,
	};
}

void subnet_describe(osm_subn_t *subn, struct subnet_size size, bool is_torus, struct lacis_question *question,
		     struct lacis_options *options)
{
	struct lacis_node *nodes = calloc(size.nodes + 1, sizeof(*nodes));
	struct lacis_port *ports = calloc(size.ports + 1, sizeof(*ports));
	uint32_t num_nodes = 0;
	uint32_t num_ports = 0;

	if (!nodes || !ports)
		abort();
	FOR_EACH(osm_switch_t, sw, &subn->sw_guid_tbl)
		describe_node(&nodes[num_nodes++], ports, &num_ports, subn, sw->p_node);
	FOR_EACH(osm_node_t, node, &subn->node_guid_tbl) {
		if (osm_node_get_type(node) != IB_NODE_TYPE_SWITCH)
			describe_node(&nodes[num_nodes++], ports, &num_ports, subn, node);
	}
	*options = describe_options(subn, is_torus);
	question->nodes = nodes;
	question->ports = ports;
	question->options = options;
}
