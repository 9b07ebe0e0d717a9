#ifndef SAMPLE_H
#define SAMPLE_H
#include <stddef.h>

#define HANDLE_BYTES 32

typedef struct {
    uint8_t data[HANDLE_BYTES];
} sample_handle_t;

typedef struct sample_range {
    uint64_t offset; /* in the file */
    uint64_t length;
} sample_range_t;

struct sample_list {
    struct sample_list *next;
    int value;
};

typedef enum { SAMPLE_A, SAMPLE_B } sample_kind_t;
typedef unsigned int sample_count;

#ifdef __cplusplus
extern "C" {
#endif

/* START-ZOID-SCANNER ID=4711 INIT=sample_init FINI=NULL PROC=sample_proc */

/* A function without parameters. */
int sample_ping(void);

int sample_open(const char * path /* in:str */,
                int flags, mode_t mode /* in:obj */);

ssize_t sample_read(int fd /* in:obj */,
                    void *buf /* out:arr:size=+1:zerocopy:userbuf */,
                    size_t *count /* inout:ptr */);

ssize_t sample_write(int fd, const void *buf /* in:arr:size=3:zerocopy:userbuf */, size_t count);

int sample_readlink(const sample_handle_t * handle /* in:ptr */,
                    char * buffer /* out:arr:size=+1 */,
                    size_t buffer_length /* in:obj */);

int sample_lists(size_t mem_count, const void *mem_starts[] /* in:arr2d:size=+1 */,
                 const size_t mem_sizes[] /* in:arr:size=-2 */,
                 const sample_range_t *ranges /* in:arr:size=1 */,
                 sample_handle_t *created /* out:ptr:nullok */,
                 sample_kind_t kind, sample_count times);

void sample_default(int *switch /* inout:ptr */, char *name /* out:str:nullok */);

#ifdef __cplusplus
}
#endif
#endif /* SAMPLE_H */
