package org.jbmi.zoidfs.fuse;

import org.cryptomator.jfuse.api.DirFiller;
import org.cryptomator.jfuse.api.Errno;
import org.cryptomator.jfuse.api.FileInfo;
import org.cryptomator.jfuse.api.FuseConfig;
import org.cryptomator.jfuse.api.FuseConnInfo;
import org.cryptomator.jfuse.api.FuseOperations;
import org.cryptomator.jfuse.api.Stat;
import org.cryptomator.jfuse.api.TimeSpec;
import org.jbmi.zoidfs.client.DirectoryParts;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.client.ZoidfsException;
import org.jbmi.zoidfs.protocol.Attributes;
import org.jbmi.zoidfs.protocol.DirectoryEntry;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.protocol.FileType;
import org.jbmi.zoidfs.protocol.SettableAttributes;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.protocol.Timestamp;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Answers the requests of the kernel for a mount by calls to the server. Its methods have the names
 * of FUSE; each returns 0, a count, or a negative error number. Safe for use by any thread.
 */
final class MountedFiles implements FuseOperations {
    private static final int WRITE_BYTES = 1 << 20;

    /** How often to look a path up whose file is removed between two calls. */
    private static final int MAX_TRIES = 8;

    private static final int BLOCK_BYTES = 512;

    /** Where st_blocks lies in the struct stat of x86_64 and of aarch64. */
    private static final int BLOCKS_AT = 64;

    private static final int O_EXCL = 0x80;
    private static final int O_TRUNC = 0x200;
    private static final int O_APPEND = 0x400;
    private static final int NAMETOOLONG = 36;
    private static final int NOSYS = 38;
    private static final int NOTEMPTY = 39;
    private static final int STALE = 116;
    private static final int DQUOT = 122;

    private static final char REPLACEMENT = '\ufffd';

    /** Up to this value a status is the error number of Linux. */
    private static final int LAST_SAME = Status.NOTIMPL - 1;

    private final ZoidfsClient client;
    private final Errno errno;
    private final Runnable whenEnded;
    private final Map<Long, FileHandle> open = new ConcurrentHashMap<>();
    private final AtomicLong lastOpen = new AtomicLong();

    MountedFiles(ZoidfsClient client, Errno errno, Runnable whenEnded) {
        this.client = client;
        this.errno = errno;
        this.whenEnded = whenEnded;
    }

    @Override
    public Errno errno() {
        return errno;
    }

    @Override
    public Set<Operation> supportedOperations() {
        return EnumSet.of(
                Operation.INIT,
                Operation.DESTROY,
                Operation.GET_ATTR,
                Operation.READLINK,
                Operation.MKDIR,
                Operation.UNLINK,
                Operation.RMDIR,
                Operation.SYMLINK,
                Operation.RENAME,
                Operation.CHMOD,
                Operation.CHOWN,
                Operation.TRUNCATE,
                Operation.UTIMENS,
                Operation.CREATE,
                Operation.OPEN,
                Operation.READ,
                Operation.WRITE,
                Operation.RELEASE,
                Operation.FSYNC,
                Operation.FSYNCDIR,
                Operation.READ_DIR);
    }

    /** A call to the server; its result is 0 or a count. */
    private interface Asked {
        int run() throws IOException;
    }

    /**
     * An exception that left this class would end the process, and leave the mount point behind. So
     * whatever can fail belongs in here.
     */
    private static int ask(Asked asked) {
        try {
            return asked.run();
        } catch (ZoidfsException e) {
            return -number(e.status());
        } catch (OutOfMemoryError e) {
            return -Status.NOMEM;
        } catch (IOException | RuntimeException | Error e) {
            try {
                System.getLogger("org.jbmi.zoidfs.fuse")
                        .log(System.Logger.Level.ERROR, "An operation of a mount failed", e);
            } catch (RuntimeException | Error unlogged) {
                // The program gets its error all the same.
            }
            return -Status.IO;
        }
    }

    /** A call to the server without a result. */
    private interface Done {
        void run() throws IOException;
    }

    private static int done(Done call) {
        return ask(
                () -> {
                    call.run();
                    return 0;
                });
    }

    private static int number(int status) {
        if (status > 0 && status <= LAST_SAME) {
            return status;
        }
        return switch (status) {
            case Status.NOTIMPL -> NOSYS;
            case Status.NAMETOOLONG -> NAMETOOLONG;
            case Status.NOTEMPTY -> NOTEMPTY;
            case Status.DQUOT -> DQUOT;
            case Status.STALE -> STALE;
            default -> Status.IO;
        };
    }

    private static FileSpec spec(String path) throws ZoidfsException {
        return FileSpec.path(wireText(path));
    }

    // The library of FUSE puts U+FFFD in place of bytes that are not UTF-8. So two names of a
    // program may be one text here, and a write to one would reach the other.
    private static String wireText(String text) throws ZoidfsException {
        if (text.indexOf(REPLACEMENT) >= 0) {
            throw new ZoidfsException(Status.INVAL, "not in UTF-8: " + text);
        }
        return ZoidfsClient.wireText(text);
    }

    /** A use of a file; its result is 0, a count or a negative error number. */
    private interface Use {
        int of(FileHandle file) throws IOException;
    }

    /** Uses an open file, or the one of a path. */
    private int onFile(String path, @Nullable FileInfo info, Use use) {
        return ask(
                () -> {
                    FileHandle known = info == null ? null : open.get(info.getFh());
                    return known == null ? onPath(path, use) : use.of(known);
                });
    }

    /**
     * Uses the file of a path. If the file is removed after the look-up, the method looks the path
     * up again. So a program that gave a path never gets ESTALE.
     */
    private int onPath(String path, Use use) {
        return ask(
                () -> {
                    for (int i = 0; i < MAX_TRIES; i++) {
                        try {
                            return use.of(client.lookup(spec(path)));
                        } catch (ZoidfsException e) {
                            if (e.status() != Status.STALE) {
                                throw e;
                            }
                        }
                    }
                    return -Status.NOENT;
                });
    }

    /** A use of a file without a result. */
    private interface Doing {
        void with(FileHandle file) throws IOException;
    }

    private int doing(String path, @Nullable FileInfo info, Doing use) {
        return onFile(
                path,
                info,
                file -> {
                    use.with(file);
                    return 0;
                });
    }

    private void keep(FileHandle handle, FileInfo info) {
        long number = lastOpen.incrementAndGet();
        open.put(number, handle);
        info.setFh(number);
    }

    @Override
    public void init(FuseConnInfo connection, @Nullable FuseConfig config) {
        connection.setMaxWrite(WRITE_BYTES);
    }

    @Override
    public void destroy() {
        whenEnded.run();
    }

    @Override
    public int getattr(String path, Stat stat, @Nullable FileInfo info) {
        return doing(path, info, file -> fill(stat, client.getAttributes(file)));
    }

    private static void fill(Stat stat, Attributes attributes) {
        stat.setMode(typeBits(attributes.type()) | attributes.mode());
        stat.setNLink((short) Math.min(attributes.nlink(), Short.MAX_VALUE));
        stat.setUid(attributes.uid());
        stat.setGid(attributes.gid());
        stat.setSize(attributes.size());
        setBlocks(stat, Math.ceilDiv(attributes.size(), BLOCK_BYTES));
        stat.aTime().set(attributes.atime().toInstant());
        stat.mTime().set(attributes.mtime().toInstant());
        stat.cTime().set(attributes.ctime().toInstant());
    }

    /**
     * Some archivers take a file without blocks for one without data. The type of jfuse has no
     * method for blocks, so this looks into the record, if that is open and as it is today.
     */
    private static void setBlocks(Stat stat, long blocks) {
        try {
            Method segment = stat.getClass().getDeclaredMethod("segment");
            segment.setAccessible(true);
            ((MemorySegment) segment.invoke(stat)).set(ValueLayout.JAVA_LONG, BLOCKS_AT, blocks);
        } catch (ReflectiveOperationException | RuntimeException e) {
            // The number stays 0.
        }
    }

    private static int typeBits(int type) {
        return switch (type) {
            case FileType.REGULAR -> Stat.S_IFREG;
            case FileType.DIRECTORY -> Stat.S_IFDIR;
            case FileType.SYMLINK -> Stat.S_IFLNK;
            case FileType.CHARACTER_DEVICE -> Stat.S_IFCHR;
            case FileType.BLOCK_DEVICE -> Stat.S_IFBLK;
            case FileType.FIFO -> Stat.S_IFIFO;
            default -> Stat.S_IFSOCK;
        };
    }

    @Override
    public int readlink(String path, ByteBuffer text, long size) {
        return onPath(
                path,
                file -> {
                    String link = client.readLink(file);
                    byte[] bytes = link.getBytes(StandardCharsets.ISO_8859_1);
                    // A text that does not fit is cut, and always ends with a NUL.
                    int length = (int) Math.min(bytes.length, Math.min(size, text.remaining()) - 1);
                    text.put(bytes, 0, length).put((byte) 0);
                    return 0;
                });
    }

    @Override
    public int mkdir(String path, int mode) {
        return done(
                () -> client.makeDirectory(spec(path), SettableAttributes.ofMode(mode & 07777)));
    }

    @Override
    public int unlink(String path) {
        return done(() -> client.remove(spec(path)));
    }

    /**
     * The slash makes the server refuse what is no directory. The kernel has checked that too, but
     * another client may have replaced the directory since.
     */
    @Override
    public int rmdir(String path) {
        return done(() -> client.remove(spec(path + "/")));
    }

    @Override
    public int symlink(String text, String path) {
        return done(() -> client.symlink(wireText(text), spec(path)));
    }

    /** The flags ask for an exchange or forbid a replacement. The protocol can do neither. */
    @Override
    public int rename(String from, String to, int flags) {
        if (flags != 0) {
            return -Status.INVAL;
        }
        return done(() -> client.rename(spec(from), spec(to)));
    }

    @Override
    public int chmod(String path, int mode, @Nullable FileInfo info) {
        return doing(
                path,
                info,
                file -> client.setAttributes(file, SettableAttributes.ofMode(mode & 07777)));
    }

    @Override
    public int chown(String path, int uid, int gid, @Nullable FileInfo info) {
        return doing(
                path,
                info,
                file -> {
                    Integer owner = uid == -1 ? null : uid;
                    Integer group = gid == -1 ? null : gid;
                    client.setAttributes(file, SettableAttributes.ofOwners(owner, group));
                });
    }

    @Override
    public int utimens(String path, TimeSpec atime, TimeSpec mtime, @Nullable FileInfo info) {
        return doing(
                path,
                info,
                file -> {
                    Instant now = Instant.now();
                    client.setAttributes(
                            file, SettableAttributes.ofTimes(time(atime, now), time(mtime, now)));
                });
    }

    private static @Nullable Timestamp time(TimeSpec time, Instant now) throws ZoidfsException {
        if (time.isUtimeOmit()) {
            return null;
        }
        try {
            return Timestamp.of(time.isUtimeNow() ? now : time.get());
        } catch (DateTimeException e) {
            throw new ZoidfsException(Status.INVAL, "A time is beyond those of Java", e);
        }
    }

    @Override
    public int truncate(String path, long size, @Nullable FileInfo info) {
        return doing(path, info, file -> client.resize(file, size));
    }

    @Override
    public int create(String path, int mode, FileInfo info) {
        return ask(
                () -> {
                    ZoidfsClient.Created made =
                            client.create(spec(path), SettableAttributes.ofMode(mode & 07777));
                    if (!made.isNew() && (info.getFlags() & O_EXCL) != 0) {
                        return -Status.EXIST;
                    }
                    if (!made.isNew() && (info.getFlags() & O_TRUNC) != 0) {
                        client.resize(made.handle(), 0);
                    }
                    keep(made.handle(), info);
                    return 0;
                });
    }

    @Override
    public int open(String path, FileInfo info) {
        return onPath(
                path,
                file -> {
                    if ((info.getFlags() & O_TRUNC) != 0) {
                        client.resize(file, 0);
                    }
                    keep(file, info);
                    return 0;
                });
    }

    @Override
    public int read(String path, ByteBuffer into, long size, long offset, FileInfo info) {
        return onFile(path, info, file -> (int) client.read(file, memory(into, size), offset));
    }

    @Override
    public int write(String path, ByteBuffer from, long size, long offset, FileInfo info) {
        return onFile(
                path,
                info,
                file -> {
                    if ((info.getFlags() & O_APPEND) != 0) {
                        // The kernel does not know the end that other clients have given the file.
                        client.append(file, memory(from, size), offset);
                        return (int) size;
                    }
                    return (int) client.write(file, memory(from, size), offset);
                });
    }

    private static MemorySegment memory(ByteBuffer buffer, long size) {
        return MemorySegment.ofBuffer(buffer).asSlice(0, size);
    }

    @Override
    public int release(String path, FileInfo info) {
        return done(() -> open.remove(info.getFh()));
    }

    @Override
    public int fsync(String path, int onlyData, @Nullable FileInfo info) {
        return doing(path, info, client::commit);
    }

    @Override
    public int fsyncdir(@Nullable String path, int onlyData, @Nullable FileInfo info) {
        // Without a path the file has been removed.
        return path == null ? 0 : fsync(path, onlyData, null);
    }

    /**
     * If the directory is replaced while it is read, the method begins again. So it tells the
     * kernel no name before it knows all, unless there are very many.
     */
    @Override
    public int readdir(String path, DirFiller filler, long offset, FileInfo info, int flags) {
        return ask(
                () -> {
                    ListedNames names = new ListedNames(filler);
                    int result = onPath(path, directory -> list(directory, names));
                    if (result == 0) {
                        names.tell();
                    }
                    return result;
                });
    }

    private int list(FileHandle directory, ListedNames names) throws IOException {
        if (!names.begin()) {
            return -Status.NOENT;
        }
        if (client.getAttributes(directory).type() != FileType.DIRECTORY) {
            return -Status.NOTDIR;
        }
        DirectoryParts parts = new DirectoryParts(client, directory, 0);
        for (List<DirectoryEntry> part = parts.next(); !part.isEmpty(); part = parts.next()) {
            for (DirectoryEntry entry : part) {
                names.add(ZoidfsClient.readableText(entry.name()));
            }
        }
        return 0;
    }
}
