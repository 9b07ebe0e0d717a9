package org.jbmi.mempool;

import org.jbmi.mempool.os.LockedFile;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** One pass over a directory; see {@link SharedSegment#sweep}. */
final class SegmentSweep {
    private static final int KNOWN_BYTES = 64;

    private final Liveness liveness;
    private final Consumer<DeadSegment> beforeRemoval;
    private final boolean removes;
    private final List<Path> removed = new ArrayList<>();
    private final List<Path> alive = new ArrayList<>();
    private final List<SweepReport.Left> left = new ArrayList<>();

    SegmentSweep(Liveness liveness, Consumer<DeadSegment> beforeRemoval, boolean removes) {
        this.liveness = liveness;
        this.removes = removes;
        this.beforeRemoval = beforeRemoval;
    }

    SweepReport sweep(Path directory, String namePrefix) {
        try (DirectoryStream<Path> entries =
                Files.newDirectoryStream(directory, e -> name(e).startsWith(namePrefix))) {
            for (Path file : entries) {
                sweepFile(file);
            }
        } catch (NoSuchFileException e) {
            return report();
        } catch (IOException | DirectoryIteratorException e) {
            left.add(new SweepReport.Left(directory, "it could not be read: " + e.getMessage()));
        }
        return report();
    }

    private SweepReport report() {
        return new SweepReport(removed, alive, left);
    }

    private void sweepFile(Path file) {
        try {
            String distrust = SegmentFiles.distrust(file);
            String reason = distrust == null ? judge(file) : distrust;
            if (reason != null) {
                left.add(new SweepReport.Left(file, reason));
            }
        } catch (NoSuchFileException e) {
            // Another process has removed it meanwhile.
            return;
        } catch (IOException e) {
            left.add(new SweepReport.Left(file, e.toString()));
        }
    }

    // Returns why the file is not a segment to remove, or null if it was handled.
    private @Nullable String judge(Path file) throws IOException {
        SegmentFiles.Maker maker = SegmentFiles.makerOf(name(file));
        Object key = SegmentFiles.key(file);
        SegmentHeader header = readHeader(file);
        boolean marked = header.magic() == SegmentLayout.MAGIC;
        if (maker != null && (marked || header.magic() == 0)) {
            return settle(file, key, header, maker);
        }
        if (!marked) {
            return "it is not a segment";
        }
        SegmentFiles.Maker owner =
                new SegmentFiles.Maker(header.ownerPid(), header.ownerStartTimeMs());
        return settle(file, key, header, owner);
    }

    // A process of another namespace is not visible here, but its lock is. A visible process
    // without a lock may run an older version.
    private @Nullable String settle(
            Path file, Object key, SegmentHeader header, SegmentFiles.Maker owner)
            throws IOException {
        if (liveness.isAlive(owner.pid(), owner.startTimeMs())) {
            alive.add(file);
            return null;
        }
        if (!removes) {
            (LockedFile.isLocked(file) ? alive : removed).add(file);
            return null;
        }
        try (LockedFile lock = LockedFile.tryLock(file)) {
            if (lock == null) {
                alive.add(file);
                return null;
            }
            if (!key.equals(SegmentFiles.key(file))) {
                return "another file has taken its name meanwhile";
            }
            beforeRemoval.accept(new DeadSegment(file, owner.pid(), header.generation()));
            Files.delete(file);
            removed.add(file);
            return null;
        }
    }

    // Reads instead of mapping, so that a file that is cut short meanwhile is no fault.
    private static SegmentHeader readHeader(Path file) throws IOException {
        long[] words = new long[KNOWN_BYTES / Long.BYTES];
        MemorySegment segment = MemorySegment.ofArray(words);
        ByteBuffer bytes = ByteBuffer.allocate(KNOWN_BYTES);
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
            int got;
            do {
                got = channel.read(bytes);
            } while (got > 0);
        }
        bytes.flip();
        segment.copyFrom(MemorySegment.ofBuffer(bytes));
        return SegmentHeader.read(new SegmentMemory(segment));
    }

    private static String name(Path file) {
        Path name = file.getFileName();
        return name == null ? "" : name.toString();
    }
}
