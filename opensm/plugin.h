/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What the files of the plugin share. */
#ifndef LACIS_PLUGIN_H
#define LACIS_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lacis.h"

/* What event_plugin_options says. */
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

/* How the engine's process ended. */
enum ending { ENDED, TOOK_TOO_LONG, DIED, NOT_STARTED };

/*
 * Runs `work(argument)` in a process of its own and waits for its end: at most `time_s` seconds, with at most `memory_mib` MiB of
 * address space beyond the manager's. `detail` is the signal that ended it, or errno where it could not be started.
 */
enum ending run_apart(void (*work)(void *), void *argument, uint32_t time_s, uint32_t memory_mib, int *detail);

/* Memory that both processes see; pages that nothing writes to cost nothing. NULL where there is none. */
void *shared_memory(size_t size);
void shared_memory_free(void *memory, size_t size);

/* Appends a line to a file in one write. False, with errno, where it cannot. */
bool append_line(const char *path, const char *line, size_t length);

/*
 * A sweep as one line of JSON, schema lacis.opensm/1. NULL where there is no memory; the caller frees it.
 */
char *sweep_as_json(const char *engine, const char *outcome, const char *reason, const struct lacis_question *question,
		    const struct lacis_answer *answer, double total_s, size_t *length);

#endif
