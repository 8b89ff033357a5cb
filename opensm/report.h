/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A sweep as a line of JSON, for exporters. */
#ifndef LACIS_REPORT_H
#define LACIS_REPORT_H

#include <stddef.h>

#include "lacis.h"

/*
 * A sweep as one line of JSON, schema lacis.opensm/1. NULL where there is no memory; the caller frees it.
 */
char *sweep_as_json(const char *engine, const char *outcome, const char *reason, const struct lacis_question *question,
		    const struct lacis_answer *answer, double total_s, size_t *length);

/*
 * Appends a line to a regular file in one write, without waiting. NULL, or why it cannot, which lasts until the next call
 * in the C library that makes such texts.
 */
const char *append_line(const char *path, const char *line, size_t length);

#endif
