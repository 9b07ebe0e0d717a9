package org.jbmi.zoid.plugins.unix;

import org.jbmi.spi.HashMaps;
import org.jbmi.zoid.forward.Cell;
import org.jbmi.zoid.forward.LongCell;
import org.jbmi.zoid.forward.PluginServices;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessMode;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Files of the server, with the rights of its user. Each process has its own descriptors; the
 * plug-in closes them when the process ends. A path of a client begins at the folder of the setting
 * {@code unix.root}.
 */
final class UnixFiles implements Unix {
    private static final int FIRST_DESCRIPTOR = 3;
    private static final int MOST_DESCRIPTORS = 1024;

    private final PluginServices services;
    private final Root root;

    /** The descriptors of each process that is there. */
    private final Map<Integer, Map<Integer, OpenFile>> files = HashMaps.prepared(new HashMap<>());

    /**
     * Makes the files of a server.
     *
     * @throws IllegalArgumentException if the setting {@code unix.root} is no folder
     */
    UnixFiles(PluginServices services) {
        String folder = services.setting("unix.root").orElse("/");
        if (folder.isEmpty() || !Files.isDirectory(Path.of(folder))) {
            throw new IllegalArgumentException(
                    "The setting unix.root is a folder, and not '" + folder + "'.");
        }
        this.services = services;
        this.root = new Root(Path.of(folder));
    }

    /** Something that a file system does; exceptions become error numbers. */
    @FunctionalInterface
    interface Action {
        /** Does it. */
        long run() throws IOException;
    }

    static long tried(Action action) {
        try {
            return action.run();
        } catch (IOException e) {
            return Errno.of(e);
        } catch (UncheckedIOException e) { // of a folder that is listed
            return Errno.of(Objects.requireNonNull(e.getCause()));
        } catch (UnsupportedOperationException
                | IllegalArgumentException
                | IllegalStateException e) {
            return Errno.of(e);
        }
    }

    private static int attempt(Action action) {
        return (int) tried(action);
    }

    /** Something without a result. */
    @FunctionalInterface
    private interface Step {
        void run() throws IOException;
    }

    private static int done(Step step) {
        return attempt(
                () -> {
                    step.run();
                    return 0;
                });
    }

    /** Something that is done to an open file. */
    @FunctionalInterface
    private interface FileAction {
        long run(OpenFile file) throws IOException;
    }

    private long on(int fd, FileAction action) {
        OpenFile file = file(fd);
        return file == null ? Errno.EBADF : tried(() -> action.run(file));
    }

    // ------------------------------------------------------------------ descriptors

    @Override
    public int open(String path, int flags, int mode) {
        return attempt(() -> keep(Opener.open(root, path, flags, mode)));
    }

    private long keep(OpenFile file) throws IOException {
        boolean kept = false;
        try {
            long fd = descriptor(file);
            kept = fd > 0;
            return fd;
        } finally {
            if (!kept) {
                file.close();
            }
        }
    }

    private long descriptor(OpenFile file) {
        synchronized (files) {
            Map<Integer, OpenFile> own = files.get(services.callingProcess());
            if (own == null) {
                return Errno.EBADF; // the process has gone, and nobody would close the file
            }
            for (int fd = FIRST_DESCRIPTOR; fd < MOST_DESCRIPTORS; fd++) {
                if (own.putIfAbsent(fd, file) == null) {
                    return fd;
                }
            }
            return Errno.EMFILE;
        }
    }

    private @Nullable OpenFile file(int fd) {
        synchronized (files) {
            return files.getOrDefault(services.callingProcess(), Map.of()).get(fd);
        }
    }

    @Override
    public int close(int fd) {
        OpenFile file;
        synchronized (files) {
            Map<Integer, OpenFile> own = files.get(services.callingProcess());
            file = own == null ? null : own.remove(fd);
        }
        return file == null ? Errno.EBADF : done(file::close);
    }

    /** Closes the files that an ended process has left open. */
    @Override
    public void proc(boolean added, int processId) {
        if (added) {
            synchronized (files) {
                files.put(processId, HashMaps.prepared(new HashMap<>()));
            }
            return;
        }
        Map<Integer, OpenFile> left;
        synchronized (files) {
            left = files.remove(processId);
        }
        if (left != null) {
            left.values().forEach(file -> done(file::close));
        }
    }

    // ------------------------------------------------------------------ data

    @Override
    public long read(int fd, MemorySegment buffer, LongCell count) {
        long read = on(fd, file -> file.read(buffer));
        count.set(Math.max(0, read));
        return read;
    }

    @Override
    public long write(int fd, MemorySegment buffer, long count) {
        return on(fd, file -> file.write(buffer));
    }

    @Override
    public long pread(int fd, MemorySegment buffer, LongCell count, long offset) {
        long wanted = count.get();
        count.set(0);
        long read =
                on(
                        fd,
                        file -> {
                            MemorySegment own =
                                    services.allocateUserBuffer(readable(file, wanted, offset));
                            return own == null ? Errno.ENOMEM : file.readAt(own, offset);
                        });
        count.set(Math.max(0, read));
        return read;
    }

    // At most the rest of the file. Files of /proc and devices report no length.
    private static long readable(OpenFile file, long wanted, long offset) throws IOException {
        long size = file.size();
        return size == 0 ? wanted : Math.min(wanted, Math.max(0, size - Math.max(0, offset)));
    }

    @Override
    public MemorySegment pwriteAllocate(int bytes) {
        return Arena.ofAuto().allocate(Math.max(1, bytes));
    }

    @Override
    public long pwrite(int fd, MemorySegment buffer, long count, long offset) {
        return on(fd, file -> file.writeAt(buffer.asSlice(0, count), offset));
    }

    @Override
    public long lseek(int fd, long offset, int whence) {
        return on(fd, file -> file.seek(offset, whence));
    }

    @Override
    public int ftruncate(int fd, long length) {
        return (int)
                on(
                        fd,
                        file -> {
                            try {
                                file.resize(length);
                                return 0;
                            } catch (NoSuchFileException e) {
                                return Errno.ESTALE;
                            }
                        });
    }

    @Override
    public int fsync(int fd) {
        return (int) on(fd, file -> done(file::force));
    }

    // ------------------------------------------------------------------ attributes

    @Override
    public int fstat(int fd, Cell<UnixStatus> status) {
        return (int) on(fd, file -> status(file, status));
    }

    private int status(OpenFile file, Cell<UnixStatus> status) throws IOException {
        try {
            // Another process may have put a link there that leads out of the root.
            Map<String, Object> known = Files.readAttributes(root.again(file.path()), "unix:*");
            if (!file.hasKey(known.get("fileKey"))) {
                return Errno.ESTALE;
            }
            status.set(status(known));
            return 0;
        } catch (NoSuchFileException e) {
            return Errno.ESTALE;
        }
    }

    @Override
    public int stat(String path, Cell<UnixStatus> status) {
        return attempt(() -> status(root.resolve(path), status));
    }

    @Override
    public int lstat(String path, Cell<UnixStatus> status) {
        return attempt(() -> status(root.resolveLink(path), status, LinkOption.NOFOLLOW_LINKS));
    }

    private static int status(Path file, Cell<UnixStatus> status, LinkOption... options)
            throws IOException {
        status.set(status(Files.readAttributes(file, "unix:*", options)));
        return 0;
    }

    private static UnixStatus status(Map<String, Object> known) {
        return new UnixStatus(
                number(known, "dev"),
                number(known, "ino"),
                (int) number(known, "mode"),
                (int) number(known, "nlink"),
                (int) number(known, "uid"),
                (int) number(known, "gid"),
                number(known, "size"),
                nanos(known, "lastAccessTime"),
                nanos(known, "lastModifiedTime"),
                nanos(known, "ctime"));
    }

    private static long number(Map<String, Object> known, String name) {
        return known.get(name) instanceof Number number ? number.longValue() : 0;
    }

    private static long nanos(Map<String, Object> known, String name) {
        return known.get(name) instanceof FileTime time ? time.to(TimeUnit.NANOSECONDS) : 0;
    }

    @Override
    public int access(String path, int mode) {
        if ((mode & ~7) != 0) {
            return Errno.EINVAL;
        }
        return attempt(
                () -> {
                    Path file = root.resolve(path);
                    Set<AccessMode> modes = EnumSet.noneOf(AccessMode.class);
                    if ((mode & 4) != 0) {
                        modes.add(AccessMode.READ);
                    }
                    if ((mode & 2) != 0) {
                        modes.add(AccessMode.WRITE);
                    }
                    if ((mode & 1) != 0) {
                        modes.add(AccessMode.EXECUTE);
                    }
                    file.getFileSystem()
                            .provider()
                            .checkAccess(file, modes.toArray(AccessMode[]::new));
                    return 0;
                });
    }

    @Override
    public int chmod(String path, int mode) {
        return done(
                () -> Files.setPosixFilePermissions(root.resolve(path), Opener.permissions(mode)));
    }

    // ------------------------------------------------------------------ names

    @Override
    public int unlink(String path) {
        return attempt(
                () -> {
                    Path file = root.name(path);
                    if (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) {
                        return Errno.EISDIR;
                    }
                    if (Root.meansFolder(path) && isNoFolder(file)) {
                        return Errno.ENOTDIR;
                    }
                    Files.delete(file);
                    return 0;
                });
    }

    @Override
    public int mkdir(String path, int mode) {
        return done(
                () ->
                        Files.createDirectory(
                                root.name(path),
                                PosixFilePermissions.asFileAttribute(Opener.permissions(mode))));
    }

    @Override
    public int rmdir(String path) {
        return attempt(
                () -> {
                    Path file = root.name(path);
                    if (root.isTop(file)) {
                        return Errno.EBUSY;
                    }
                    if (isNoFolder(file)) {
                        return Errno.ENOTDIR;
                    }
                    Files.delete(file);
                    return 0;
                });
    }

    @Override
    public int rename(String from, String to) {
        return attempt(
                () -> {
                    Path file = root.name(from);
                    Path target = root.name(to);
                    boolean hasSlash = Root.meansFolder(from) || Root.meansFolder(to);
                    if (hasSlash && isNoFolder(file) && Root.isInFolder(target)) {
                        return Errno.ENOTDIR;
                    }
                    Files.move(file, target, StandardCopyOption.ATOMIC_MOVE);
                    return 0;
                });
    }

    /** Whether something is there that is no folder; a link to one is none. */
    private static boolean isNoFolder(Path file) {
        return Files.exists(file, LinkOption.NOFOLLOW_LINKS)
                && !Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS);
    }

    /** Where a link is to be; no folder is made. */
    private Path newLink(String path) throws IOException {
        Path file = root.name(path);
        if (Root.meansFolder(path) && !Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            throw new NoSuchFileException(file.toString());
        }
        return file;
    }

    @Override
    public int link(String from, String to) {
        return done(() -> Files.createLink(newLink(to), root.resolveLink(from)));
    }

    @Override
    public int symlink(String target, String path) {
        return done(() -> Files.createSymbolicLink(newLink(path), Path.of(target)));
    }

    @Override
    public long readlink(String path, MemorySegment buffer, LongCell length) {
        long result =
                tried(
                        () -> {
                            byte[] target =
                                    Files.readSymbolicLink(root.resolveLink(path))
                                            .toString()
                                            .getBytes(StandardCharsets.UTF_8);
                            int size = (int) Math.min(target.length, buffer.byteSize());
                            MemorySegment.copy(target, 0, buffer, ValueLayout.JAVA_BYTE, 0, size);
                            return size;
                        });
        length.set(Math.max(0, result));
        return result;
    }

    @Override
    public int readdir(String path, String after, MemorySegment names, LongCell length) {
        long room = length.get();
        length.set(0);
        return attempt(
                () -> {
                    List<String> all = new ArrayList<>();
                    try (Stream<Path> list = Files.list(root.resolve(path))) {
                        list.map(each -> each.getFileName().toString())
                                .filter(name -> name.compareTo(after) > 0)
                                .forEach(all::add);
                    }
                    Collections.sort(all);
                    int count = 0;
                    long used = 0;
                    for (String name : all) {
                        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
                        if (used + bytes.length + 1 > room) {
                            break;
                        }
                        MemorySegment.copy(
                                bytes, 0, names, ValueLayout.JAVA_BYTE, used, bytes.length);
                        used += bytes.length + 1;
                        count++;
                    }
                    if (count == 0 && !all.isEmpty()) {
                        return Errno.ERANGE;
                    }
                    length.set(used);
                    return count;
                });
    }
}
