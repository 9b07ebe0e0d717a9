package org.jbmi.zoid.plugins.zoidfs;

import org.jbmi.shipper.codec.Shipped;
import org.jbmi.zoid.forward.Cell;
import org.jbmi.zoid.forward.In;
import org.jbmi.zoid.forward.InOut;
import org.jbmi.zoid.forward.IntCell;
import org.jbmi.zoid.forward.LongCell;
import org.jbmi.zoid.forward.NullOk;
import org.jbmi.zoid.forward.Out;
import org.jbmi.zoid.forward.PluginLifecycle;
import org.jbmi.zoid.forward.Sized;
import org.jbmi.zoid.forward.ZeroCopy;
import org.jbmi.zoid.forward.ZoidPlugin;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/** The functions of zoidfs.h. */
@ZoidPlugin(id = 1, name = "zoidfs")
public interface Zoidfs extends PluginLifecycle {
    /** {@code int zoidfs_null()} */
    int null_();

    /** {@code int zoidfs_getattr(zoidfs_handle_t *handle, zoidfs_attr_t *attributes)} */
    int getattr(@In ZoidfsHandle handle, @Out Cell<ZoidfsAttr> attributes);

    /**
     * {@code int zoidfs_setattr(zoidfs_handle_t *handle, zoidfs_sattr_t *wanted, zoidfs_attr_t
     * *attributes)}
     */
    int setattr(@In ZoidfsHandle handle, @In ZoidfsSattr wanted, @Out Cell<ZoidfsAttr> attributes);

    /** {@code int zoidfs_lookup(zoidfs_handle_t *parent, char *name, zoidfs_handle_t *handle)} */
    int lookup(
            @In @NullOk @Nullable ZoidfsHandle parent,
            @In String name,
            @Out Cell<ZoidfsHandle> handle);

    /** {@code int zoidfs_readlink(zoidfs_handle_t *handle, char *buffer, size_t *length)} */
    int readlink(
            @In ZoidfsHandle handle,
            @Out @Sized("length") MemorySegment buffer,
            @InOut LongCell length);

    /** {@code int zoidfs_commit(zoidfs_handle_t *handle)} */
    int commit(@In ZoidfsHandle handle);

    /**
     * {@code int zoidfs_create(zoidfs_handle_t *parent, char *name, zoidfs_sattr_t *wanted,
     * zoidfs_handle_t *handle, int *created)}
     */
    int create(
            @In @NullOk @Nullable ZoidfsHandle parent,
            @In String name,
            @In ZoidfsSattr wanted,
            @Out Cell<ZoidfsHandle> handle,
            @Out IntCell created);

    /** {@code int zoidfs_remove(zoidfs_handle_t *parent, char *name)} */
    int remove(@In @NullOk @Nullable ZoidfsHandle parent, @In String name);

    /**
     * {@code int zoidfs_rename(zoidfs_handle_t *from_parent, char *from, zoidfs_handle_t
     * *to_parent, char *to)}
     */
    int rename(
            @In @NullOk @Nullable ZoidfsHandle fromParent,
            @In String from,
            @In @NullOk @Nullable ZoidfsHandle toParent,
            @In String to);

    /**
     * {@code int zoidfs_link(zoidfs_handle_t *from_parent, char *from, zoidfs_handle_t *to_parent,
     * char *to)}
     */
    int link(
            @In @NullOk @Nullable ZoidfsHandle fromParent,
            @In String from,
            @In @NullOk @Nullable ZoidfsHandle toParent,
            @In String to);

    /** {@code int zoidfs_symlink(char *target, zoidfs_handle_t *parent, char *name)} */
    int symlink(@In String target, @In @NullOk @Nullable ZoidfsHandle parent, @In String name);

    /** {@code int zoidfs_mkdir(zoidfs_handle_t *parent, char *name, zoidfs_sattr_t *wanted)} */
    int mkdir(@In @NullOk @Nullable ZoidfsHandle parent, @In String name, @In ZoidfsSattr wanted);

    /**
     * {@code int zoidfs_readdir(zoidfs_handle_t *handle, uint64_t cookie, int flags,
     * zoidfs_dirent_t *entries, size_t *count, char *names, size_t *length)}
     */
    int readdir(
            @In ZoidfsHandle handle,
            long cookie,
            int flags,
            @Out @Sized("count") ZoidfsDirent[] entries,
            @InOut LongCell count,
            @Out @Sized("length") MemorySegment names,
            @InOut LongCell length);

    /** {@code int zoidfs_resize(zoidfs_handle_t *handle, uint64_t size)} */
    int resize(@In ZoidfsHandle handle, long size);

    /**
     * {@code int zoidfs_read(zoidfs_handle_t *handle, size_t mem_count, void **mem_starts, uint64_t
     * *mem_sizes, size_t file_count, uint64_t *file_starts, uint64_t *file_sizes)}
     */
    int read(
            @In ZoidfsHandle handle,
            long memCount,
            @Out @Sized("memSizes") @ZeroCopy MemorySegment[] memStarts,
            @InOut @Sized("memCount") long[] memSizes,
            long fileCount,
            @In @Sized("fileCount") long[] fileStarts,
            @InOut @Sized("fileCount") long[] fileSizes);

    /**
     * {@code int zoidfs_write(zoidfs_handle_t *handle, size_t mem_count, void **mem_starts,
     * uint64_t *mem_sizes, size_t file_count, uint64_t *file_starts, uint64_t *file_sizes)}
     */
    int write(
            @In ZoidfsHandle handle,
            long memCount,
            @In @Sized("memSizes") @ZeroCopy MemorySegment[] memStarts,
            @In @Sized("memCount") long[] memSizes,
            long fileCount,
            @In @Sized("fileCount") long[] fileStarts,
            @InOut @Sized("fileCount") long[] fileSizes);

    /** A structure of the header. */
    @Shipped
    record ZoidfsHandle(long first, long second, long third, long fourth) {}

    /** A structure of the header. */
    @Shipped
    record ZoidfsAttr(
            int type,
            int mask,
            int mode,
            int links,
            int user,
            int group,
            long size,
            int blockSize,
            int fileSystem,
            long number,
            ZoidfsTime accessed,
            ZoidfsTime modified,
            ZoidfsTime changed) {}

    /** A structure of the header. */
    @Shipped
    record ZoidfsTime(long seconds, int nanos) {}

    /** A structure of the header. */
    @Shipped
    record ZoidfsSattr(
            int mask, int mode, int user, int group, ZoidfsTime accessed, ZoidfsTime modified) {}

    /** A structure of the header. */
    @Shipped
    record ZoidfsDirent(long cookie, ZoidfsHandle handle, ZoidfsAttr attributes) {}
}
