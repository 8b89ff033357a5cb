/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The engine's process, apart from the manager's, and the memory that both see. */
#ifndef LACIS_APART_H
#define LACIS_APART_H

#include <stddef.h>
#include <stdint.h>

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

#endif
