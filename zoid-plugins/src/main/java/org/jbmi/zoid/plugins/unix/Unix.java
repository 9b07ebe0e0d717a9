package org.jbmi.zoid.plugins.unix;

import org.jbmi.shipper.codec.Shipped;
import org.jbmi.zoid.forward.Cell;
import org.jbmi.zoid.forward.In;
import org.jbmi.zoid.forward.InOut;
import org.jbmi.zoid.forward.LongCell;
import org.jbmi.zoid.forward.Out;
import org.jbmi.zoid.forward.PluginLifecycle;
import org.jbmi.zoid.forward.Sized;
import org.jbmi.zoid.forward.UserBuffer;
import org.jbmi.zoid.forward.ZeroCopy;
import org.jbmi.zoid.forward.ZoidPlugin;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/**
 * The functions of unix.h.
 *
 * <p>The header also names what an implementation overrides: {@link #proc} (there {@code
 * unix_proc}).
 */
@ZoidPlugin(id = 2, name = "unix")
public interface Unix extends PluginLifecycle {
    /** {@code int unix_open(char *path, int flags, mode_t mode)} */
    int open(@In String path, int flags, int mode);

    /** {@code int unix_close(int fd)} */
    int close(int fd);

    /** {@code ssize_t unix_read(int fd, void *buffer, size_t *count)} */
    long read(int fd, @Out @Sized("count") @ZeroCopy MemorySegment buffer, @InOut LongCell count);

    /** {@code ssize_t unix_write(int fd, void *buffer, size_t count)} */
    long write(int fd, @In @Sized("count") @ZeroCopy MemorySegment buffer, long count);

    /** {@code ssize_t unix_pread(int fd, void *buffer, size_t *count, off_t offset)} */
    long pread(
            int fd,
            @Out @Sized("count") @ZeroCopy @UserBuffer MemorySegment buffer,
            @InOut LongCell count,
            long offset);

    /** {@code ssize_t unix_pwrite(int fd, void *buffer, size_t count, off_t offset)} */
    long pwrite(
            int fd,
            @In @Sized("count") @ZeroCopy @UserBuffer MemorySegment buffer,
            long count,
            long offset);

    /**
     * Brings the memory for {@code buffer} of {@link #pwrite}, before its bytes move.
     *
     * @param bytes how many bytes it must have
     * @return the memory, or null if there is none: then the call fails with ENOMEM
     */
    default @Nullable MemorySegment pwriteAllocate(int bytes) {
        return null;
    }

    /** {@code off_t unix_lseek(int fd, off_t offset, int whence)} */
    long lseek(int fd, long offset, int whence);

    /** {@code int unix_ftruncate(int fd, off_t length)} */
    int ftruncate(int fd, long length);

    /** {@code int unix_fsync(int fd)} */
    int fsync(int fd);

    /** {@code int unix_fstat(int fd, unix_status_t *status)} */
    int fstat(int fd, @Out Cell<UnixStatus> status);

    /** {@code int unix_stat(char *path, unix_status_t *status)} */
    int stat(@In String path, @Out Cell<UnixStatus> status);

    /** {@code int unix_lstat(char *path, unix_status_t *status)} */
    int lstat(@In String path, @Out Cell<UnixStatus> status);

    /** {@code int unix_access(char *path, int mode)} */
    int access(@In String path, int mode);

    /** {@code int unix_chmod(char *path, mode_t mode)} */
    int chmod(@In String path, int mode);

    /** {@code int unix_unlink(char *path)} */
    int unlink(@In String path);

    /** {@code int unix_mkdir(char *path, mode_t mode)} */
    int mkdir(@In String path, int mode);

    /** {@code int unix_rmdir(char *path)} */
    int rmdir(@In String path);

    /** {@code int unix_rename(char *from, char *to)} */
    int rename(@In String from, @In String to);

    /** {@code int unix_link(char *from, char *to)} */
    int link(@In String from, @In String to);

    /** {@code int unix_symlink(char *target, char *path)} */
    int symlink(@In String target, @In String path);

    /** {@code ssize_t unix_readlink(char *path, char *buffer, size_t *length)} */
    long readlink(
            @In String path, @Out @Sized("length") MemorySegment buffer, @InOut LongCell length);

    /** {@code int unix_readdir(char *path, char *after, char *names, size_t *length)} */
    int readdir(
            @In String path,
            @In String after,
            @Out @Sized("length") MemorySegment names,
            @InOut LongCell length);

    /** A structure of the header. */
    @Shipped
    record UnixStatus(
            long device,
            long inode,
            int mode,
            int links,
            int user,
            int group,
            long size,
            long accessedNs,
            long modifiedNs,
            long changedNs) {}
}
