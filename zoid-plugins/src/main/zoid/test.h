/* The plug-in "test": each kind of argument, each way it travels, and what may go wrong. */
#ifndef ZOID_TEST_H
#define ZOID_TEST_H
#include <stddef.h>
#include <stdint.h>

typedef struct {
    int32_t x;
    int32_t y;
    double weight;
} test_point_t;

/* START-ZOID-SCANNER ID=4 INIT=test_init FINI=test_fini PROC=test_proc */

/* Does nothing. */
void test_null(void);

int test_add(int a, int b);

double test_scalars(int8_t b, short s, int i, int64_t l, float f, double d, bool flag);

/* The length of what comes in, -1 if nothing does; the same in capitals comes out. */
int test_upper(const char *text /* in:str:nullok */, char *upper /* out:str */);

/* Counts up; half of it comes out, if it is wanted. */
int test_count(int *counter /* inout:ptr */, double *half /* out:ptr:nullok */);

int test_scale(const test_point_t *point /* in:ptr */, double factor,
               test_point_t *scaled /* out:ptr */);

/* The sum of an array, which may be missing. */
int64_t test_sum(const int *values /* in:arr:size=+1:nullok */, int count);

/* Fills an array with 0, 1, 2, and so on; returns fewer than there is room for. */
int test_iota(int *values /* out:arr:size=+1 */, size_t *count /* inout:ptr */, int most);

int test_square(double *values /* inout:arr:size=2 */, int count);

double test_centre(const test_point_t *points /* in:arr:size=+1 */, int count);

/* The sum of all elements. */
int64_t test_sum_rows(const int64_t **rows /* in:arr2d:size=+1 */,
                      const int *sizes /* in:arr:size=+1 */, int count);

/* Fills each row with its number, and halves its size. */
int test_fill_rows(char **rows /* out:arr2d:size=+1 */, int *sizes /* inout:arr:size=+1 */,
                   int count);

/* The same without copies. */
int test_fill_large_rows(void **rows /* out:arr2d:size=+1:zerocopy */,
                         int *sizes /* inout:arr:size=+1 */, int count);

/* A checksum of bytes. */
int64_t test_checksum(const void *data /* in:arr:size=+1:zerocopy */, size_t length);

/* Fills memory with a pattern, as far as is wanted. */
int64_t test_pattern(void *data /* out:arr:size=+1:zerocopy */, size_t *length /* inout:ptr */,
                     int seed, size_t most);

/* The same in memory of the plug-in: a checksum, and a pattern. */
int64_t test_keep(const void *data /* in:arr:size=+1:zerocopy:userbuf */, size_t length);

int64_t test_give(void *data /* out:arr:size=+1:zerocopy:userbuf */,
                  size_t *length /* inout:ptr */, int seed);

/* The number of the calling process. */
int test_process(void);

/* Writes to the standard output or error of the job. */
int test_say(int stream, const char *text /* in:str */);

/* Waits, as a function does that hangs. */
void test_wait(int milliseconds);

/* Fails as a function does that has a fault. */
void test_fail(const char *words /* in:str */);

/* How many calls of "keep" and "give" have not given their memory back. */
int test_held(void);

#endif
