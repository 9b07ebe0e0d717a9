package org.jbmi.mempool;

import org.jbmi.mempool.SegmentException.Kind;
import org.jbmi.mempool.os.Errno;
import org.jbmi.mempool.os.LockedFile;
import org.jbmi.mempool.os.NativeAccess;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Files that hold segments. A file is made under a working name that identifies its maker, and
 * linked to its own name when it is complete. So no process opens an incomplete segment, and a
 * sweep can remove the file of a process that died meanwhile.
 */
final class SegmentFiles {
    private static final Pattern UNFINISHED = Pattern.compile(".*\\.part-(\\d{1,18})-(\\d{1,18})");
    private static final int GROUP_AND_OTHERS = 0_077;

    private SegmentFiles() {}

    /** The process that makes, or made, a file. */
    record Maker(long pid, long startTimeMs) {}

    static Path unfinishedName(Path file, SegmentHeader header, int attempt) {
        return file.resolveSibling(
                "%s.%d.part-%d-%d"
                        .formatted(
                                file.getFileName(),
                                attempt,
                                header.ownerPid(),
                                header.ownerStartTimeMs()));
    }

    static @Nullable Maker makerOf(String fileName) {
        Matcher matcher = UNFINISHED.matcher(fileName);
        if (!matcher.matches()) {
            return null;
        }
        return new Maker(Long.parseLong(matcher.group(1)), Long.parseLong(matcher.group(2)));
    }

    static FileChannel createNew(Path file) throws IOException {
        return FileChannel.open(
                file,
                Set.of(
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    }

    /**
     * Locks a new file.
     *
     * @return the lock; null if a sweep came first, which then removes the file, or has done so
     */
    static @Nullable LockedFile lockNew(Path file) throws IOException {
        LockedFile lock = null;
        try {
            lock = LockedFile.tryLock(file);
            if (lock != null && Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
                return lock;
            }
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException e) {
            deleteQuietly(file);
            throw e;
        }
        deleteQuietly(file);
        if (lock != null) {
            lock.close();
        }
        return null;
    }

    static FileChannel openExisting(Path file) throws IOException {
        return FileChannel.open(
                file, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
    }

    /** Returns why a file must not be trusted, or null. */
    static @Nullable String distrust(Path file) throws IOException {
        Map<String, Object> attributes =
                Files.readAttributes(
                        file, "unix:isRegularFile,uid,mode", LinkOption.NOFOLLOW_LINKS);
        if (!Boolean.TRUE.equals(attributes.get("isRegularFile"))) {
            return "it is not a regular file";
        }
        if (!(attributes.get("uid") instanceof Integer uid)
                || uid != NativeAccess.effectiveUserId()) {
            return "it belongs to another user";
        }
        if (!(attributes.get("mode") instanceof Integer mode) || (mode & GROUP_AND_OTHERS) != 0) {
            return "users other than its owner have access to it";
        }
        return null;
    }

    /** The identity of a file, which differs from that of another file with the same name. */
    static Object key(Path file) throws IOException {
        BasicFileAttributes attributes =
                Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        return Objects.requireNonNull(attributes.fileKey());
    }

    /** Gives a finished file its own name; never replaces another. */
    static void publish(Path unfinished, Path file) throws IOException {
        Files.createLink(file, unfinished);
        deleteQuietly(unfinished);
    }

    static void deleteQuietly(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            System.getLogger(SegmentFiles.class.getName())
                    .log(System.Logger.Level.WARNING, "could not remove " + file, e);
        }
    }

    /** Reserves all blocks of a file; a failure is reported with its reason. */
    static void reserve(Path unfinished, Path file, long sizeBytes) {
        int errno = NativeAccess.reserve(unfinished, sizeBytes);
        if (errno == 0) {
            return;
        }
        boolean full = errno == Errno.ENOSPC || errno == Errno.EFBIG || errno == Errno.EDQUOT;
        throw new SegmentException(
                full ? Kind.NO_SPACE : Kind.IO,
                "cannot reserve "
                        + sizeBytes
                        + " bytes for segment "
                        + file
                        + ": "
                        + describeStore(file)
                        + " ("
                        + Errno.describe(errno)
                        + ")");
    }

    private static String describeStore(Path file) {
        Path directory = directoryOf(file);
        try {
            FileStore store = Files.getFileStore(directory);
            return "the "
                    + store.type()
                    + " file system of "
                    + directory
                    + " has "
                    + store.getUsableSpace()
                    + " bytes free of "
                    + store.getTotalSpace();
        } catch (IOException e) {
            return "the file system of " + directory + " does not say what is free";
        }
    }

    static Path directoryOf(Path file) {
        Path parent = file.toAbsolutePath().getParent();
        return parent == null ? file.toAbsolutePath() : parent;
    }

    static SegmentException failure(String verb, Path file, IOException e) {
        String what = "cannot " + verb + " segment " + file + ": ";
        if (e instanceof FileAlreadyExistsException) {
            return new SegmentException(Kind.EXISTS, what + "the file exists already", e);
        }
        if (e instanceof NoSuchFileException) {
            boolean directory = Files.isDirectory(directoryOf(file));
            String missing = directory ? "there is no such file" : "its directory does not exist";
            return new SegmentException(Kind.NOT_FOUND, what + missing, e);
        }
        return new SegmentException(Kind.IO, what + e.getMessage(), e);
    }
}
