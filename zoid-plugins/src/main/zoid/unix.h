/*
 * The plug-in "unix": the files of the server. A negative result is the negative of an error number
 * of Linux.
 */
#ifndef ZOID_UNIX_H
#define ZOID_UNIX_H
#include <sys/types.h>

typedef struct {
    uint64_t device;
    uint64_t inode;
    uint32_t mode;
    uint32_t links;
    uint32_t user;
    uint32_t group;
    int64_t size;
    int64_t accessed_ns;
    int64_t modified_ns;
    int64_t changed_ns;
} unix_status_t;

/* START-ZOID-SCANNER ID=2 INIT=NULL FINI=NULL PROC=unix_proc */

/* A FIFO is refused with -ENXIO: its open could wait without end. */
int unix_open(const char *path /* in:str */, int flags, mode_t mode);

int unix_close(int fd);

ssize_t unix_read(int fd, void *buffer /* out:arr:size=+1:zerocopy */,
                  size_t *count /* inout:ptr */);

ssize_t unix_write(int fd, const void *buffer /* in:arr:size=+1:zerocopy */, size_t count);

/* These two use memory of the plug-in, so the limit of messages is not theirs. */
ssize_t unix_pread(int fd, void *buffer /* out:arr:size=+1:zerocopy:userbuf */,
                   size_t *count /* inout:ptr */, off_t offset);

ssize_t unix_pwrite(int fd, const void *buffer /* in:arr:size=+1:zerocopy:userbuf */,
                    size_t count, off_t offset);

off_t unix_lseek(int fd, off_t offset, int whence);

/*
 * To make a file larger, the server opens its path again. If the path names another file or none,
 * the result is -ESTALE. If the server's user may not read and write the path, the server writes
 * the last byte, which may replace one that another process writes at that moment.
 */
int unix_ftruncate(int fd, off_t length);

int unix_fsync(int fd);

/*
 * Looks at the path of the file: -ESTALE if that names another file or none, and the errors of
 * unix_stat.
 */
int unix_fstat(int fd, unix_status_t *status /* out:ptr */);

int unix_stat(const char *path /* in:str */, unix_status_t *status /* out:ptr */);

int unix_lstat(const char *path /* in:str */, unix_status_t *status /* out:ptr */);

int unix_access(const char *path /* in:str */, int mode);

int unix_chmod(const char *path /* in:str */, mode_t mode);

int unix_unlink(const char *path /* in:str */);

int unix_mkdir(const char *path /* in:str */, mode_t mode);

int unix_rmdir(const char *path /* in:str */);

int unix_rename(const char *from /* in:str */, const char *to /* in:str */);

int unix_link(const char *from /* in:str */, const char *to /* in:str */);

int unix_symlink(const char *target /* in:str */, const char *path /* in:str */);

/* Without a zero byte at the end; the result is its length. */
ssize_t unix_readlink(const char *path /* in:str */, char *buffer /* out:arr:size=+1 */,
                      size_t *length /* inout:ptr */);

/*
 * Names of a folder in alphabetical order, each with a zero byte behind it, from the first one that
 * is greater than a name; as many as fit. The result is their number, 0 at the end.
 */
int unix_readdir(const char *path /* in:str */, const char *after /* in:str */,
                 char *names /* out:arr:size=+1 */, size_t *length /* inout:ptr */);

#endif
