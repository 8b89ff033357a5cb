#include "output.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "failure.h"

static FILE *out;
static bool is_first;

bool output_open(const char *path) {
    out = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
    return out != NULL;
}

void output_close(void) {
    if (out && out != stdout && fclose(out) != 0) fail("the results cannot be written: %s", strerror(errno));
    out = NULL;
}

/* Bytes beyond ASCII are written as the code points of the same number, so that a name in any encoding keeps its bytes. */
static void quoted(const char *text) {
    fputc('"', out);
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        if (*at == '"' || *at == '\\') fprintf(out, "\\%c", *at);
        else if (*at < 0x20 || *at >= 0x7f) fprintf(out, "\\u%04x", *at);
        else fputc(*at, out);
    }
    fputc('"', out);
}

static void key_of(const char *key) {
    if (!is_first) fputs(", ", out);
    is_first = false;
    quoted(key);
    fputs(": ", out);
}

void record_begin(const char *kind) {
    fputc('{', out);
    is_first = true;
    write_text("record", kind);
}

void record_end(void) {
    fputs("}\n", out);
    if (fflush(out) != 0 || ferror(out)) fail("the results cannot be written: %s", strerror(errno));
}

static void number(double value) {
    if (isfinite(value)) fprintf(out, "%.9g", value);
    else fputs("null", out);
}

void write_text(const char *key, const char *value) { key_of(key), quoted(value); }
void write_integer(const char *key, long long value) { key_of(key), fprintf(out, "%lld", value); }
void write_number(const char *key, double value) { key_of(key), number(value); }
void write_bool(const char *key, bool value) { key_of(key), fputs(value ? "true" : "false", out); }
void write_null(const char *key) { key_of(key), fputs("null", out); }

void write_numbers(const char *key, const double *values, size_t count) {
    key_of(key);
    fputc('[', out);
    for (size_t i = 0; i < count; i++) {
        if (i) fputs(", ", out);
        number(values[i]);
    }
    fputc(']', out);
}

void write_integers(const char *key, const int *values, size_t count) {
    key_of(key);
    fputc('[', out);
    for (size_t i = 0; i < count; i++) fprintf(out, "%s%d", i ? ", " : "", values[i]);
    fputc(']', out);
}

void day_write(double began, double ended) {
    write_integer("began_us", (long long)floor(1e6 * began));
    write_integer("ended_us", (long long)ceil(1e6 * ended));
}

void object_begin(const char *key) {
    key_of(key);
    fputc('{', out);
    is_first = true;
}

void object_end(void) {
    fputc('}', out);
    is_first = false;
}
