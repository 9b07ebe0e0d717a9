package org.jbmi.mempool;

import static org.jbmi.mempool.SegmentLayout.GENERATION_OFFSET;
import static org.jbmi.mempool.SegmentLayout.HEADER_BYTES;
import static org.jbmi.mempool.SegmentLayout.PAGE_BYTES;
import static org.jbmi.mempool.SegmentLayout.RETIRED;

import org.jbmi.mempool.SegmentException.Kind;
import org.jbmi.mempool.os.ArenaCloser;
import org.jbmi.mempool.os.LockedFile;
import org.jbmi.mempool.os.NativeAccess;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A file that processes of one user map at the same time, in a file system that lives in memory.
 * The process that creates it owns it: when the owner closes the segment, it removes the file and
 * retires the segment. Processes that still map the segment can see this. The first page is a
 * header, see {@link SegmentLayout}.
 *
 * <p>The owner holds a lock on the file for as long as it owns the segment. A sweep, perhaps from
 * another process namespace, removes only files without a lock.
 *
 * <p>The creator reserves all blocks of the file before it maps the file. So a file system that is
 * too small causes an exception here, and no fault in a later copy.
 *
 * <p>Thread-safe. Once it is closed, every access to its memory in this process is an {@link
 * IllegalStateException}; no access can touch what is no longer mapped.
 */
public final class SharedSegment implements AutoCloseable {
    private static final int CREATE_TRIES = 16;
    private static final long CLOSE_PATIENCE_NS = TimeUnit.SECONDS.toNanos(1);

    private final Path file;
    private final Arena arena;
    private final MemorySegment segment;
    private final SharedMemory memory;
    private final SegmentHeader header;
    private final @Nullable Ownership ownership;
    private final Object closeLock = new Object();

    /** The owner's identity of the file, and its lock. */
    private record Ownership(Object key, LockedFile lock) {}

    private SharedSegment(
            Path file,
            Arena arena,
            MemorySegment segment,
            SegmentHeader header,
            @Nullable Ownership ownership) {
        this.file = file;
        this.arena = arena;
        this.segment = segment;
        this.memory = new SegmentMemory(segment);
        this.header = header;
        this.ownership = ownership;
    }

    /**
     * Creates a segment with the default options.
     *
     * @param file to create, which must not exist
     * @param sizeBytes of the file, header page included; rounded up to whole pages
     * @return the segment, owned by this process
     * @throws SegmentException if that is not possible; then nothing is left behind
     * @throws IllegalArgumentException if {@code sizeBytes} leaves no page behind the header page
     */
    public static SharedSegment create(Path file, long sizeBytes) {
        return create(file, sizeBytes, SegmentOptions.defaults());
    }

    /**
     * Creates a segment: reserves it, maps it, runs the initializer, and gives it its name last.
     * What the initializer does not write is zeros. Only the user of this process has access to the
     * file.
     *
     * @param file to create, which must not exist
     * @param sizeBytes of the file, header page included; rounded up to whole pages
     * @param options what to do before it can be seen
     * @return the segment, owned by this process
     * @throws SegmentException if that is not possible; then nothing is left behind
     * @throws IllegalArgumentException if {@code sizeBytes} leaves no page behind the header page
     */
    public static SharedSegment create(Path file, long sizeBytes, SegmentOptions options) {
        requireNativeAccess("create", file);
        long totalBytes = wholePages(sizeBytes);
        if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            throw new SegmentException(
                    Kind.EXISTS, "cannot create segment " + file + ": the file exists already");
        }
        SegmentHeader header = SegmentHeader.ofThisProcess(totalBytes, new ProcessLiveness());
        try {
            return create(file, header, options);
        } catch (IOException e) {
            throw SegmentFiles.failure("create", file, e);
        }
    }

    // A sweep that sees the file before it is locked takes it for one of a dead process. It has
    // another name at each attempt, so that such a sweep never removes the next one.
    private static SharedSegment create(Path file, SegmentHeader header, SegmentOptions options)
            throws IOException {
        for (int attempt = 0; attempt < CREATE_TRIES; attempt++) {
            Path unfinished = SegmentFiles.unfinishedName(file, header, attempt);
            try (FileChannel channel = SegmentFiles.createNew(unfinished)) {
                LockedFile lock = SegmentFiles.lockNew(unfinished);
                if (lock != null) {
                    return fill(file, unfinished, channel, header, options, lock);
                }
            }
        }
        throw new IOException("another process locks every file that is made for it");
    }

    private static SharedSegment fill(
            Path file,
            Path unfinished,
            FileChannel channel,
            SegmentHeader header,
            SegmentOptions options,
            LockedFile lock)
            throws IOException {
        Arena arena = Arena.ofShared();
        boolean done = false;
        try {
            SegmentFiles.reserve(unfinished, file, header.totalBytes());
            MemorySegment mapped = channel.map(MapMode.READ_WRITE, 0, header.totalBytes(), arena);
            Ownership own = new Ownership(SegmentFiles.key(unfinished), lock);
            SharedSegment created = new SharedSegment(file, arena, mapped, header, own);
            header.writeUnpublished(created.memory);
            if (options.populate()) {
                created.populate();
            }
            options.initializer().accept(created.memory);
            header.publish(created.memory);
            SegmentFiles.publish(unfinished, file);
            done = true;
            return created;
        } finally {
            if (!done) {
                arena.close();
                SegmentFiles.deleteQuietly(unfinished);
                lock.close();
            }
        }
    }

    /**
     * Maps a segment that a process of the same user has created. Its header is checked: magic,
     * version, length; so are the file's owner and permissions.
     *
     * @param file to open; a symbolic link is refused
     * @return the segment, not owned: closing it only unmaps it
     * @throws SegmentException if it is not there or not to be trusted
     */
    public static SharedSegment open(Path file) {
        requireNativeAccess("open", file);
        try {
            String distrust = SegmentFiles.distrust(file);
            if (distrust != null) {
                throw new SegmentException(
                        Kind.FOREIGN, "cannot open segment " + file + ": " + distrust);
            }
            try (FileChannel channel = SegmentFiles.openExisting(file)) {
                return map(file, channel);
            }
        } catch (IOException e) {
            throw SegmentFiles.failure("open", file, e);
        }
    }

    private static SharedSegment map(Path file, FileChannel channel) throws IOException {
        long fileBytes = channel.size();
        if (fileBytes < HEADER_BYTES) {
            throw SegmentHeader.malformed(file, "it has only " + fileBytes + " bytes");
        }
        Arena arena = Arena.ofShared();
        boolean done = false;
        try {
            MemorySegment mapped = channel.map(MapMode.READ_WRITE, 0, fileBytes, arena);
            SegmentHeader header = SegmentHeader.read(new SegmentMemory(mapped));
            header.check(file, fileBytes);
            SharedSegment segment = new SharedSegment(file, arena, mapped, header, null);
            done = true;
            return segment;
        } finally {
            if (!done) {
                arena.close();
            }
        }
    }

    /**
     * Removes the segments that dead processes have left in a directory, finished or not. {@code
     * beforeRemoval} is for owners that leave more than a file: it can remove other objects with
     * the segment's generation in their names.
     *
     * @param directory to look through, not its subdirectories
     * @param namePrefix with which the names of the files start
     * @param liveness decides which processes live
     * @param beforeRemoval is called for each segment of a dead owner, just before it is removed
     * @return what was removed, what lives, and what was left alone and why
     */
    public static SweepReport sweep(
            Path directory,
            String namePrefix,
            Liveness liveness,
            Consumer<DeadSegment> beforeRemoval) {
        requireNativeAccess("sweep", directory);
        return new SegmentSweep(liveness, beforeRemoval, true).sweep(directory, namePrefix);
    }

    /**
     * Returns what a sweep would do, and does nothing.
     *
     * @param directory to look through, not its subdirectories
     * @param namePrefix with which the names of the files start
     * @return as {@link #sweep} has it
     */
    public static SweepReport survey(Path directory, String namePrefix) {
        requireNativeAccess("survey", directory);
        return new SegmentSweep(new ProcessLiveness(), dead -> {}, false)
                .sweep(directory, namePrefix);
    }

    private static void requireNativeAccess(String verb, Path file) {
        Optional<String> reason = NativeAccess.unavailabilityReason();
        if (reason.isPresent()) {
            throw new SegmentException(
                    Kind.UNAVAILABLE, "cannot " + verb + " segment " + file + ": " + reason.get());
        }
    }

    private static long wholePages(long sizeBytes) {
        if (sizeBytes <= HEADER_BYTES || sizeBytes > Long.MAX_VALUE - PAGE_BYTES) {
            throw new IllegalArgumentException(
                    "a segment of "
                            + sizeBytes
                            + " bytes; there must be room for more than the header page of "
                            + HEADER_BYTES);
        }
        return (sizeBytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    }

    /**
     * Access to the whole segment, header page included.
     *
     * @return the same object at each call
     */
    public SharedMemory memory() {
        return memory;
    }

    /**
     * The whole segment, header page included.
     *
     * @return the mapping; any thread may use it, until the close
     */
    public MemorySegment segment() {
        return segment;
    }

    /**
     * The generation in the header when it was created or opened.
     *
     * @return a number that no segment before it had, not 0
     */
    public long generation() {
        return header.generation();
    }

    /**
     * The process that created the segment.
     *
     * @return its id
     */
    public long ownerPid() {
        return header.ownerPid();
    }

    /**
     * When the process that created the segment started.
     *
     * @return as {@link Liveness#startTimeMs} has it
     */
    public long ownerStartTimeMs() {
        return header.ownerStartTimeMs();
    }

    /**
     * The length of the whole segment.
     *
     * @return bytes, header page included
     */
    public long sizeBytes() {
        return header.totalBytes();
    }

    /**
     * The file.
     *
     * @return its path as it was given
     */
    public Path file() {
        return file;
    }

    /**
     * Touches every page, so that this process does not fault them in later. Changes nothing, also
     * while others use the memory.
     */
    public void populate() {
        for (long offset = 0; offset < header.totalBytes(); offset += PAGE_BYTES) {
            memory.getAndAddLong(offset, 0);
        }
    }

    /**
     * Unmaps the segment; the owner first retires it and removes the file. Closing it again does
     * nothing.
     *
     * @throws SegmentException of kind {@code BUSY} if a native call of this process has held the
     *     mapping for a second. Everything else is done then, and a further close tries to unmap
     *     again
     */
    @Override
    public void close() {
        if (!tryClose(CLOSE_PATIENCE_NS)) {
            throw new SegmentException(
                    Kind.BUSY,
                    "cannot unmap segment " + file + ": a native call still uses the mapping");
        }
    }

    /**
     * Closes, but waits for the timeout at most for native calls that hold the mapping.
     *
     * @param timeoutNs longest wait in nanoseconds
     * @return whether the segment is unmapped
     */
    public boolean tryClose(long timeoutNs) {
        synchronized (closeLock) {
            if (!arena.scope().isAlive()) {
                return true;
            }
            if (ownership != null) {
                memory.setLongVolatile(GENERATION_OFFSET, RETIRED);
                removeOwnFile(ownership.key());
                ownership.lock().close();
            }
            return ArenaCloser.close(arena, timeoutNs);
        }
    }

    // Only the file that was created here: another process may have the name after a sweep.
    private void removeOwnFile(Object key) {
        try {
            if (key.equals(SegmentFiles.key(file))) {
                SegmentFiles.deleteQuietly(file);
            }
        } catch (IOException e) {
            return; // it is gone, or nobody can tell whose the name is
        }
    }
}
