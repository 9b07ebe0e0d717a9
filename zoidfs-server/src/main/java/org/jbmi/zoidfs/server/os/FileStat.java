package org.jbmi.zoidfs.server.os;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import org.jbmi.zoidfs.protocol.AttributeMask;
import org.jbmi.zoidfs.protocol.Attributes;
import org.jbmi.zoidfs.protocol.FileType;
import org.jbmi.zoidfs.protocol.Timestamp;

import java.lang.foreign.MemorySegment;

/** The result of statx for a file; may be filled many times. Not thread-safe. */
public final class FileStat {
    private static final int TYPE_BITS = 0170000;
    private static final int MODE_BITS = 07777;

    /** With relatime a read changes a time older than a day; an hour is left for other clocks. */
    private static final long READ_TIME_SECONDS = 23 * 3_600;

    private int mode;
    private int nlink;
    private int uid;
    private int gid;
    private int blockSize;
    private long inode;
    private long size;
    private long device;
    private long birth;
    private Timestamp atime = Timestamp.ZERO;
    private Timestamp mtime = Timestamp.ZERO;
    private Timestamp ctime = Timestamp.ZERO;

    /** Makes an empty result. */
    public FileStat() {}

    void load(MemorySegment from) {
        blockSize = from.get(JAVA_INT, 4);
        nlink = from.get(JAVA_INT, 16);
        uid = from.get(JAVA_INT, 20);
        gid = from.get(JAVA_INT, 24);
        mode = from.get(JAVA_SHORT, 28) & 0xffff;
        inode = from.get(JAVA_LONG, 32);
        size = from.get(JAVA_LONG, 40);
        atime = time(from, 64);
        birth = from.get(JAVA_LONG, 80) * 1_000_000_007L + from.get(JAVA_INT, 88);
        ctime = time(from, 96);
        mtime = time(from, 112);
        device = ((long) from.get(JAVA_INT, 136) << 32) | (from.get(JAVA_INT, 140) & 0xffffffffL);
    }

    private static Timestamp time(MemorySegment from, long at) {
        return new Timestamp(from.get(JAVA_LONG, at), from.get(JAVA_INT, at + 8));
    }

    /** The kind, see {@link FileType}. */
    public int type() {
        return switch (mode & TYPE_BITS) {
            case 0100000 -> FileType.REGULAR;
            case 0040000 -> FileType.DIRECTORY;
            case 0120000 -> FileType.SYMLINK;
            case 0020000 -> FileType.CHARACTER_DEVICE;
            case 0060000 -> FileType.BLOCK_DEVICE;
            case 0010000 -> FileType.FIFO;
            case 0140000 -> FileType.SOCKET;
            default -> FileType.INVALID;
        };
    }

    /** How many names it has; 0 for a removed file. */
    public int links() {
        return nlink;
    }

    /** Its length in bytes. */
    public long size() {
        return size;
    }

    /** Its number in the file system. */
    public long inode() {
        return inode;
    }

    /** Its file system. */
    public long device() {
        return device;
    }

    /** Whether both are of the same file. */
    public boolean isSame(FileStat other) {
        return inode == other.inode && device == other.device;
    }

    /** Its time of creation as one number, if the file system has it: differs in a later file. */
    public long birth() {
        return birth;
    }

    /**
     * Whether a read leaves the time of the last read as it is, on a file system with relatime.
     * That changes the time only if it is not newer than the last change, or older than a day.
     *
     * @param nowSeconds the present time, since 1970
     */
    public boolean readTimeStays(long nowSeconds) {
        return isNewer(atime, mtime)
                && isNewer(atime, ctime)
                && nowSeconds - atime.seconds() < READ_TIME_SECONDS;
    }

    private static boolean isNewer(Timestamp one, Timestamp other) {
        return one.seconds() > other.seconds()
                || (one.seconds() == other.seconds() && one.nanos() > other.nanos());
    }

    /** All attributes, in the form of the wire. */
    public Attributes attributes() {
        int fsid = (int) (((device >>> 32) << 8) ^ device);
        return new Attributes(
                type(),
                AttributeMask.ALL,
                mode & MODE_BITS,
                nlink,
                uid,
                gid,
                size,
                blockSize,
                fsid,
                inode,
                atime,
                mtime,
                ctime);
    }
}
