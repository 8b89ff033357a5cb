/* What cannot go on: one line on standard error, and every rank ends. */
#ifndef LACIS_FAILURE_H
#define LACIS_FAILURE_H

/* A user's mistake: rank 0 says it, all ranks leave with status 2. Collective: every rank found the same. */
_Noreturn void refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* This rank alone cannot go on: the whole run is aborted with status 1. */
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The pointer, or the end of the run where memory is short. */
void *need(void *pointer);

#endif
