/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * event_plugin_options: words `key=value`, separated by blanks or commas.
 *
 *     event_plugin_options prove=hosts time=30 memory=4096 report=/var/log/opensm-lacis.jsonl
 */
#include "settings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lacis.h"

#define DEFAULT_TIME_S 60
#define DEFAULT_MEMORY_MIB 8192
#define MOST_THREADS 512
#define STACK_MIB 2	/* that a thread reserves */

struct word {
	const char *text;
	uint32_t value;
};

static const struct word proofs[] = {
	{ "all", LACIS_PROVE_ALL },
	{ "hosts", LACIS_PROVE_HOSTS },
	{ "delivery", LACIS_PROVE_DELIVERY },
	{ "nothing", LACIS_PROVE_NOTHING },
	{ NULL, 0 },
};

static const struct word faults[] = {
	{ "panic", LACIS_FAULT_PANIC },
	{ "hang", LACIS_FAULT_HANG },
	{ "memory", LACIS_FAULT_MEMORY },
	{ NULL, 0 },
};

static bool one_of(const struct word *words, const char *text, uint32_t *value)
{
	for (; words->text; words++) {
		if (!strcmp(words->text, text)) {
			*value = words->value;
			return true;
		}
	}
	return false;
}

/* A decimal number from `least` to `most`. */
static bool number(const char *text, uint32_t least, uint32_t most, uint32_t *value)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	unsigned long long n = strtoull(text, &end, 10);
	if (*end || errno || n < least || n > most)
		return false;
	*value = (uint32_t)n;
	return true;
}

/* Whether a word is an option of ours; `ok` says whether it makes sense. */
static bool read_option(struct settings *settings, const char *key, const char *value, bool *ok)
{
	uint32_t n = 0;

	if (!strcmp(key, "prove")) {
		*ok = one_of(proofs, value, &n);
		settings->proof = (uint8_t)n;
	} else if (!strcmp(key, "time")) {
		*ok = number(value, 1, INT32_MAX, &settings->time_s);
	} else if (!strcmp(key, "memory")) {
		*ok = number(value, 1, INT32_MAX, &settings->memory_mib);
	} else if (!strcmp(key, "threads")) {
		*ok = number(value, 0, MOST_THREADS, &settings->threads);
	} else if (!strcmp(key, "fault")) {
		*ok = one_of(faults, value, &settings->fault);
	} else if (!strcmp(key, "report")) {
		*ok = *value == '/';
		free(settings->report);
		settings->report = strdup(value);
	} else {
		return false;
	}
	return true;
}

bool settings_read(struct settings *settings, const char *text, bool others, char *complaint, size_t size)
{
	bool good = true;

	*settings = (struct settings){ .time_s = DEFAULT_TIME_S, .memory_mib = DEFAULT_MEMORY_MIB };
	char *copy = strdup(text ? text : "");
	if (!copy) {
		snprintf(complaint, size, "event_plugin_options: there is no memory to read them");
		return false;
	}
	char *rest;
	for (char *word = strtok_r(copy, " ,\t", &rest); word && good; word = strtok_r(NULL, " ,\t", &rest)) {
		char *equals = strchr(word, '=');
		bool ok = true;
		bool ours = false;

		if (equals) {
			*equals = '\0';
			ours = read_option(settings, word, equals + 1, &ok);
			*equals = '=';
		}
		if (!ok) {
			snprintf(complaint, size, "event_plugin_options: %s makes no sense (prove=all|hosts|delivery|nothing, "
				 "time=SECONDS, memory=MIB, threads=N up to %d, report=/PATH)", word, MOST_THREADS);
			good = false;
		} else if (!ours && !others) {
			snprintf(complaint, size, "event_plugin_options: there is no option %s (prove, time, memory, threads, "
				 "report)", word);
			good = false;
		}
	}
	free(copy);
	if (good && settings->threads > settings->memory_mib / STACK_MIB) {
		snprintf(complaint, size, "event_plugin_options: threads=%" PRIu32 " needs memory=%" PRIu32 " or more, and has %"
			 PRIu32, settings->threads, settings->threads * STACK_MIB, settings->memory_mib);
		good = false;
	}
	return good;
}
