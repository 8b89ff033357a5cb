/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What event_plugin_options says. */
#ifndef LACIS_SETTINGS_H
#define LACIS_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct settings {
	uint8_t proof;		/* enum lacis_proof */
	uint32_t time_s;	/* a sweep's engine may take */
	uint32_t memory_mib;	/* it may reserve beyond what the manager has */
	uint32_t threads;	/* 0: one for each core */
	uint32_t fault;		/* enum lacis_fault */
	char *report;		/* file that gets a JSON line for each sweep; NULL: none */
};

/*
 * Reads the options. False where they make no sense: then `complaint` says what does not. A word that is no option of ours is
 * another plugin's where there is one.
 */
bool settings_read(struct settings *settings, const char *text, bool others, char *complaint, size_t size);

#endif
