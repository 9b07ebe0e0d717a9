/* The plug-in "zoidfs": the sixteen operations of a zoidfs server. Each returns its status, 0 for
 * success. A file that may not exist yet is named by the handle of a folder and a name in it, or,
 * without a handle, by a path from the root of what the server exports. */
#ifndef ZOID_ZOIDFS_H
#define ZOID_ZOIDFS_H
#include <stddef.h>
#include <stdint.h>

/* The 32 bytes of a handle as four numbers, the first byte of each the most significant one. */
typedef struct {
    uint64_t first;
    uint64_t second;
    uint64_t third;
    uint64_t fourth;
} zoidfs_handle_t;

typedef struct {
    uint64_t seconds;
    uint32_t nanos;
} zoidfs_time_t;

typedef struct {
    int32_t type;
    int32_t mask;
    int32_t mode;
    int32_t links;
    uint32_t user;
    uint32_t group;
    uint64_t size;
    uint32_t block_size;
    uint32_t file_system;
    uint64_t number;
    zoidfs_time_t accessed;
    zoidfs_time_t modified;
    zoidfs_time_t changed;
} zoidfs_attr_t;

typedef struct {
    int32_t mask;
    int32_t mode;
    uint32_t user;
    uint32_t group;
    zoidfs_time_t accessed;
    zoidfs_time_t modified;
} zoidfs_sattr_t;

typedef struct {
    uint64_t cookie;
    zoidfs_handle_t handle;
    zoidfs_attr_t attributes;
} zoidfs_dirent_t;

/* START-ZOID-SCANNER ID=1 INIT=NULL FINI=NULL PROC=NULL */

int zoidfs_null(void);

int zoidfs_getattr(const zoidfs_handle_t *handle /* in:ptr */,
                   zoidfs_attr_t *attributes /* out:ptr */);

int zoidfs_setattr(const zoidfs_handle_t *handle /* in:ptr */,
                   const zoidfs_sattr_t *wanted /* in:ptr */,
                   zoidfs_attr_t *attributes /* out:ptr */);

int zoidfs_lookup(const zoidfs_handle_t *parent /* in:ptr:nullok */, const char *name /* in:str */,
                  zoidfs_handle_t *handle /* out:ptr */);

int zoidfs_readlink(const zoidfs_handle_t *handle /* in:ptr */,
                    char *buffer /* out:arr:size=+1 */, size_t *length /* inout:ptr */);

/* Makes what was written durable. */
int zoidfs_commit(const zoidfs_handle_t *handle /* in:ptr */);

/* Makes a file, or finds the one that is there: "created" tells. */
int zoidfs_create(const zoidfs_handle_t *parent /* in:ptr:nullok */, const char *name /* in:str */,
                  const zoidfs_sattr_t *wanted /* in:ptr */,
                  zoidfs_handle_t *handle /* out:ptr */, int *created /* out:ptr */);

int zoidfs_remove(const zoidfs_handle_t *parent /* in:ptr:nullok */, const char *name /* in:str */);

int zoidfs_rename(const zoidfs_handle_t *from_parent /* in:ptr:nullok */,
                  const char *from /* in:str */,
                  const zoidfs_handle_t *to_parent /* in:ptr:nullok */,
                  const char *to /* in:str */);

int zoidfs_link(const zoidfs_handle_t *from_parent /* in:ptr:nullok */,
                const char *from /* in:str */,
                const zoidfs_handle_t *to_parent /* in:ptr:nullok */,
                const char *to /* in:str */);

int zoidfs_symlink(const char *target /* in:str */,
                   const zoidfs_handle_t *parent /* in:ptr:nullok */,
                   const char *name /* in:str */);

int zoidfs_mkdir(const zoidfs_handle_t *parent /* in:ptr:nullok */, const char *name /* in:str */,
                 const zoidfs_sattr_t *wanted /* in:ptr */);

/* Entries behind a cookie, 0 for the first ones, and their names, each with a NUL behind it; no
 * entry is the end. The status is 22 (invalid) if the first name does not fit. */
int zoidfs_readdir(const zoidfs_handle_t *handle /* in:ptr */, uint64_t cookie, int flags,
                   zoidfs_dirent_t *entries /* out:arr:size=+1 */, size_t *count /* inout:ptr */,
                   char *names /* out:arr:size=+1 */, size_t *length /* inout:ptr */);

int zoidfs_resize(const zoidfs_handle_t *handle /* in:ptr */, uint64_t size);

/* Regions of a file into regions of memory; the sizes become what there was. */
int zoidfs_read(const zoidfs_handle_t *handle /* in:ptr */, size_t mem_count,
                void *mem_starts[] /* out:arr2d:size=+1:zerocopy */,
                uint64_t mem_sizes[] /* inout:arr:size=-2 */, size_t file_count,
                const uint64_t file_starts[] /* in:arr:size=-1 */,
                uint64_t file_sizes[] /* inout:arr:size=-2 */);

/* Regions of memory into regions of a file; the sizes become what was written. */
int zoidfs_write(const zoidfs_handle_t *handle /* in:ptr */, size_t mem_count,
                 const void *mem_starts[] /* in:arr2d:size=+1:zerocopy */,
                 const uint64_t mem_sizes[] /* in:arr:size=-2 */, size_t file_count,
                 const uint64_t file_starts[] /* in:arr:size=-1 */,
                 uint64_t file_sizes[] /* inout:arr:size=-2 */);

#endif
