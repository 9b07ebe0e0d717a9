package org.jbmi.zoidfs.nio;

import org.jbmi.zoidfs.protocol.SettableAttributes;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.LinkOption;
import java.nio.file.ProviderMismatchException;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserPrincipal;
import java.util.List;
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

    static boolean followsLinks(LinkOption... options) {
        return !List.of(options).contains(LinkOption.NOFOLLOW_LINKS);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public FileFacts readAttributes() throws IOException {
        return path.getFileSystem().operations().facts(path, followLinks);
    }

    private void set(SettableAttributes settable) throws IOException {
        path.getFileSystem().operations().set(path, followLinks, settable);
    }

    void setMode(int mode) throws IOException {
        set(SettableAttributes.ofMode(mode));
    }

    void setOwners(@Nullable Integer uid, @Nullable Integer gid) throws IOException {
        set(SettableAttributes.ofOwners(uid, gid));
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
                    SettableAttributes.ofTimes(
                            lastAccessTime == null ? null : FileFacts.timestamp(lastAccessTime),
                            lastModifiedTime == null
                                    ? null
                                    : FileFacts.timestamp(lastModifiedTime)));
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
