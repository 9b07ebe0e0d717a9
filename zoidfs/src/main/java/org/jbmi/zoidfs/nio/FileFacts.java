package org.jbmi.zoidfs.nio;

import org.jbmi.zoidfs.protocol.Attributes;
import org.jbmi.zoidfs.protocol.FileType;
import org.jbmi.zoidfs.protocol.Timestamp;

import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserPrincipal;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * A file's attributes from a server.
 *
 * @param raw the attributes as the server sent them
 */
record FileFacts(Attributes raw) implements PosixFileAttributes {
    /** The permissions by the bits of a mode, from the lowest bit. */
    private static final List<PosixFilePermission> BITS =
            List.of(
                    PosixFilePermission.OTHERS_EXECUTE,
                    PosixFilePermission.OTHERS_WRITE,
                    PosixFilePermission.OTHERS_READ,
                    PosixFilePermission.GROUP_EXECUTE,
                    PosixFilePermission.GROUP_WRITE,
                    PosixFilePermission.GROUP_READ,
                    PosixFilePermission.OWNER_EXECUTE,
                    PosixFilePermission.OWNER_WRITE,
                    PosixFilePermission.OWNER_READ);

    /** Tells files of one server apart. */
    private record Key(int fileSystem, long file) {}

    /**
     * An owner, known by its number alone, since the protocol has no names.
     *
     * @param number the user's or the group's
     */
    record Principal(int number) implements GroupPrincipal {
        @Override
        public String getName() {
            return Integer.toUnsignedString(number);
        }

        @Override
        public String toString() {
            return getName();
        }
    }

    static int mode(Set<PosixFilePermission> permissions) {
        int mode = 0;
        for (int i = 0; i < BITS.size(); i++) {
            if (permissions.contains(BITS.get(i))) {
                mode |= 1 << i;
            }
        }
        return mode;
    }

    static Timestamp timestamp(FileTime time) {
        return Timestamp.of(time.toInstant());
    }

    private static FileTime time(Timestamp time) {
        return FileTime.from(time.toInstant());
    }

    @Override
    public UserPrincipal owner() {
        return new Principal(raw.uid());
    }

    @Override
    public GroupPrincipal group() {
        return new Principal(raw.gid());
    }

    @Override
    public Set<PosixFilePermission> permissions() {
        Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
        for (int i = 0; i < BITS.size(); i++) {
            if ((raw.mode() & 1 << i) != 0) {
                permissions.add(BITS.get(i));
            }
        }
        return permissions;
    }

    @Override
    public FileTime lastModifiedTime() {
        return time(raw.mtime());
    }

    @Override
    public FileTime lastAccessTime() {
        return time(raw.atime());
    }

    FileTime changeTime() {
        return time(raw.ctime());
    }

    /**
     * Returns the time of the last change, as other providers of the JDK do: the protocol has no
     * time of creation.
     */
    @Override
    public FileTime creationTime() {
        return lastModifiedTime();
    }

    @Override
    public boolean isRegularFile() {
        return raw.type() == FileType.REGULAR;
    }

    @Override
    public boolean isDirectory() {
        return raw.type() == FileType.DIRECTORY;
    }

    @Override
    public boolean isSymbolicLink() {
        return raw.type() == FileType.SYMLINK;
    }

    @Override
    public boolean isOther() {
        return !isRegularFile() && !isDirectory() && !isSymbolicLink();
    }

    @Override
    public long size() {
        return raw.size();
    }

    @Override
    public Object fileKey() {
        return new Key(raw.fsid(), raw.fileid());
    }
}
