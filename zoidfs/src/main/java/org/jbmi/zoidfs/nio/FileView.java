package org.jbmi.zoidfs.nio;

import org.jbmi.zoidfs.protocol.Timestamp;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.ProviderMismatchException;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserPrincipal;
import java.util.Set;

/** Reads and changes the attributes of a file by its path. */
final class FileView implements PosixFileAttributeView {
    private final String name;
    private final ZoidfsPath path;
    private final boolean followLinks;

    FileView(String name, ZoidfsPath path, boolean followLinks) {
        this.name = name;
        this.path = path;
        this.followLinks = followLinks;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public FileFacts readAttributes() throws IOException {
        return path.getFileSystem().operations().facts(path, followLinks);
    }

    private void set(
            @Nullable Integer mode,
            @Nullable Integer uid,
            @Nullable Integer gid,
            @Nullable Timestamp atime,
            @Nullable Timestamp mtime)
            throws IOException {
        path.getFileSystem()
                .operations()
                .set(path, followLinks, Operations.settable(mode, uid, gid, atime, mtime));
    }

    void setMode(int mode) throws IOException {
        set(mode, null, null, null, null);
    }

    void setOwners(@Nullable Integer uid, @Nullable Integer gid) throws IOException {
        set(null, uid, gid, null, null);
    }

    /** Ignores the time of creation: the protocol has none. */
    @Override
    public void setTimes(
            @Nullable FileTime lastModifiedTime,
            @Nullable FileTime lastAccessTime,
            @Nullable FileTime createTime)
            throws IOException {
        if (lastModifiedTime != null || lastAccessTime != null) {
            set(
                    null,
                    null,
                    null,
                    lastAccessTime == null ? null : FileFacts.timestamp(lastAccessTime),
                    lastModifiedTime == null ? null : FileFacts.timestamp(lastModifiedTime));
        }
    }

    @Override
    public void setPermissions(Set<PosixFilePermission> permissions) throws IOException {
        setMode(FileFacts.mode(permissions));
    }

    @Override
    public UserPrincipal getOwner() throws IOException {
        return readAttributes().owner();
    }

    @Override
    public void setOwner(UserPrincipal owner) throws IOException {
        setOwners(number(owner), null);
    }

    @Override
    public void setGroup(GroupPrincipal group) throws IOException {
        setOwners(null, number(group));
    }

    private static int number(UserPrincipal principal) {
        if (principal instanceof FileFacts.Principal own) {
            return own.number();
        }
        throw new ProviderMismatchException(
                principal + " is not a principal of a zoidfs file system");
    }
}
