/* Preloaded into OpenSM 3.3.23: reads the thread's CPU clock where table computation begins and ends.
 *
 * OpenSM calls osm_log_v2 on entering every function, whatever the log level; this file replaces that function. One
 * thread computes the tables between entering osm_ucast_mgr_process and the first ucast_mgr_set_fwd_top, which sends
 * them. The file that LACIS_CLOCK names receives errors, information, both readings of the CPU and the wall clock, the
 * process' greatest size so far, and the CPU time of the processes that it waited for.
 *
 *     cc -O2 -shared -fPIC -o opensm_clock.so opensm_clock.c
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { ERROR = 0x01, INFO = 0x02, FUNCTIONS = 0x10 };

static FILE *out;
static int computing;

static void stamp(const char *what)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	fprintf(out, "clock %s %lld.%09ld\n", what, (long long)t.tv_sec, t.tv_nsec);
	clock_gettime(CLOCK_MONOTONIC, &t);
	fprintf(out, "clock %s_wall %lld.%09ld\n", what, (long long)t.tv_sec, t.tv_nsec);
	fflush(out);
}

void osm_log_v2(void *log, unsigned char level, int file, const char *format, ...)
{
	(void)log;
	(void)file;
	if (!(level & (ERROR | INFO | FUNCTIONS)))
		return;
	if (!out && !(out = fopen(getenv("LACIS_CLOCK"), "w")))
		abort();
	va_list rest;
	va_start(rest, format);
	if (level & (ERROR | INFO)) {
		vfprintf(out, format, rest);
		fflush(out);
	} else if (!strcmp(format, "%s: [\n")) {
		const char *function = va_arg(rest, const char *);
		if (!computing && !strcmp(function, "osm_ucast_mgr_process")) {
			computing = 1;
			stamp("begin");
		} else if (computing == 1 && !strcmp(function, "ucast_mgr_set_fwd_top")) {
			struct rusage usage;
			getrusage(RUSAGE_SELF, &usage);
			computing = 2;
			stamp("end");
			fprintf(out, "clock peak_kb %ld\n", usage.ru_maxrss);
			getrusage(RUSAGE_CHILDREN, &usage);
			fprintf(out, "clock children %.6f\n", (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
				+ 1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec));
		}
	}
	va_end(rest);
}
