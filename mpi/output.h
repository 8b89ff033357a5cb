/* JSON lines: one object a line, written and flushed by rank 0 as soon as it is complete, so that the file of a crashed
 * run can be read. Times are seconds, rates bytes per second. */
#ifndef LACIS_OUTPUT_H
#define LACIS_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

/* Only rank 0 calls these functions. "-" is standard output. False where the file cannot be written. */
bool output_open(const char *path);
void output_close(void);

void record_begin(const char *kind);
void record_end(void);
void write_text(const char *key, const char *value);
void write_integer(const char *key, long long value);
/* null where it is not finite. */
void write_number(const char *key, double value);
void write_bool(const char *key, bool value);
void write_null(const char *key);
void write_numbers(const char *key, const double *values, size_t count);
void write_integers(const char *key, const int *values, size_t count);
/* Seconds since 1970 from which and to which something was measured, in whole microseconds that enclose it. */
void day_write(double began, double ended);
void object_begin(const char *key);
void object_end(void);

#endif
