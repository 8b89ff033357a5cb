/* Fatal errors: one line on standard error, and every rank ends. */
#ifndef LACIS_FAILURE_H
#define LACIS_FAILURE_H

/* A user's mistake: rank 0 prints it, all ranks exit with status 2. Collective: every rank must call it. */
_Noreturn void refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* An error on this rank: the whole run is aborted with status 1. */
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The pointer; where it is null, memory is short and the run is aborted. */
void *need(void *pointer);

#endif
