/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A sweep as a line of JSON, for exporters. */
#define _GNU_SOURCE
#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char not_regular[] = "it is no regular file";

/* A JSON string. */
static void quote(FILE *out, const char *text)
{
	fputc('"', out);
	for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
		if (*c == '"' || *c == '\\')
			fprintf(out, "\\%c", *c);
		else if (*c < 0x20)
			fprintf(out, "\\u%04x", *c);
		else
			fputc(*c, out);
	}
	fputc('"', out);
}

char *sweep_as_json(const char *engine, const char *outcome, const char *reason, const struct lacis_question *question,
		    const struct lacis_answer *answer, double total_s, size_t *length)
{
	const struct lacis_figures *f = &answer->figures;
	char *line = NULL;
	char when[32];
	time_t now = time(NULL);
	struct tm utc;
	FILE *out = open_memstream(&line, length);

	if (!out)
		return NULL;
	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
	fprintf(out, "{\"schema\":\"lacis.opensm/1\",\"time\":\"%s\",\"engine\":", when);
	quote(out, engine);
	fprintf(out, ",\"outcome\":\"%s\",\"reason\":", outcome);
	if (reason)
		quote(out, reason);
	else
		fputs("null", out);
	fprintf(out, ",\"switches\":%" PRIu32 ",\"nodes\":%" PRIu32 ",\"max_lid\":%" PRIu32, question->num_switches,
		question->num_nodes, question->max_lid);
	fprintf(out, ",\"seconds\":{\"build\":%.6f,\"route\":%.6f,\"prove\":%.6f,\"write\":%.6f,\"all\":%.6f}", f->build_s,
		f->route_s, f->prove_s, f->write_s, total_s);
	fprintf(out, ",\"entries\":%" PRIu64 ",\"entries_changed\":%" PRIu64 ",\"destinations_kept\":%" PRIu64, f->entries,
		f->changed, f->kept);
	fprintf(out, ",\"pairs\":%" PRIu64 ",\"pairs_lost\":%" PRIu64 ",\"credit_loops\":%" PRIu64, f->pairs, f->undelivered,
		f->credit_loops);
	fprintf(out, ",\"lanes\":%" PRIu32 ",\"fullest_link\":%" PRIu64 ",\"mean_link\":%.3f}\n", f->lanes_used, f->fullest,
		f->mean);
	if (fclose(out)) {
		free(line);
		return NULL;
	}
	return line;
}

const char *append_line(const char *path, const char *line, size_t length)
{
	/* A pipe may have no reader, and a device may not be ready: nothing here waits. */
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0644);
	struct stat file;
	const char *reason = NULL;

	if (fd < 0)
		return errno == ENXIO ? not_regular : strerror(errno);
	if (fstat(fd, &file)) {
		reason = strerror(errno);
	} else if (!S_ISREG(file.st_mode)) {
		reason = not_regular;
	} else {
		ssize_t written = write(fd, line, length);
		if (written != (ssize_t)length)
			reason = written < 0 ? strerror(errno) : strerror(ENOSPC);
	}
	close(fd);
	return reason;
}
