package org.jbmi.zbmi.channel.chronicle;

import net.openhft.chronicle.core.time.TimeProvider;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.RollCycles;
import net.openhft.chronicle.queue.impl.StoreFileListener;

import org.jspecify.annotations.Nullable;

import java.io.File;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.IntSupplier;
import java.util.stream.Stream;

/** Chronicle Queues on this machine. */
final class MappedQueueFiles implements QueueFiles {
    private static final System.Logger LOG = System.getLogger(MappedQueueFiles.class.getName());
    private static final RollCycles CYCLE = RollCycles.FIVE_MINUTELY;
    private static final int BLOCK_BYTES = 1 << 16;

    @Override
    public Optional<String> unavailabilityReason() {
        return ChronicleFlags.missing();
    }

    @Override
    public void createFolder(Path folder) throws IOException {
        Files.createDirectory(folder, OwnerOnly.FOLDER);
    }

    @Override
    public void createFile(Path file) throws IOException {
        Files.createFile(file);
    }

    @Override
    public boolean exists(Path path) {
        return Files.exists(path);
    }

    @Override
    public List<Path> list(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }

    // Both sides may be at it, so files and folders go under a walk. In a folder of its own another
    // user could put a link in the way of the walk, to folders elsewhere.
    @Override
    public void remove(Path folder) throws IOException {
        if (OwnerOnly.isOwnFolder(folder)) {
            Files.walkFileTree(folder, new Remover());
        }
    }

    private static final class Remover extends SimpleFileVisitor<Path> {
        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException why) throws IOException {
            if (why instanceof NoSuchFileException) {
                return FileVisitResult.CONTINUE;
            }
            throw why;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException why)
                throws IOException {
            if (why != null && !(why instanceof NoSuchFileException)) {
                throw why;
            }
            Files.deleteIfExists(folder);
            return FileVisitResult.CONTINUE;
        }
    }

    @Override
    public QueueWriter writer(Path folder, IntSupplier file) throws IOException {
        return open(folder, file, new OwnerOnly(), MappedQueueWriter::new);
    }

    @Override
    public QueueReader reader(Path folder, IntSupplier file, IntPredicate mayGo)
            throws IOException {
        StoreFileListener listener =
                (number, left) -> {
                    if (mayGo.test(number)) {
                        delete(left);
                    }
                };
        return open(folder, file, listener, MappedQueueReader::new);
    }

    // The library begins a new file by the time of day; so it is told a time. The queue belongs to
    // the end that is made of it.
    private static <T> T open(
            Path folder,
            IntSupplier file,
            StoreFileListener listener,
            Function<ChronicleQueue, T> end)
            throws IOException {
        ChronicleFlags.beQuiet();
        TimeProvider time = () -> file.getAsInt() * (long) CYCLE.lengthInMillis();
        ChronicleQueue queue =
                ChronicleQueue.singleBuilder(folder)
                        .rollCycle(CYCLE)
                        .timeProvider(time)
                        .blockSize(BLOCK_BYTES)
                        .storeFileListener(listener)
                        .build();
        boolean isMade = false;
        try {
            OwnerOnly.restrictFiles(folder);
            T made = end.apply(queue);
            isMade = true;
            return made;
        } finally {
            if (!isMade) {
                queue.close();
            }
        }
    }

    private static void delete(File file) {
        try {
            Files.deleteIfExists(file.toPath());
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "cannot remove " + file, e);
        }
    }

    @Override
    public Opening begin(Runnable opening) {
        Thread thread = Thread.ofPlatform().daemon().name("zbmi-chronicle").start(opening);
        return timeoutMs -> join(thread, timeoutMs);
    }

    private static boolean join(Thread thread, long timeoutMs) {
        try {
            return thread.join(Duration.ofMillis(timeoutMs));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
