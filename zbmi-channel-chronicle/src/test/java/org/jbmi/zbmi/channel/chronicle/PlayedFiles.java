package org.jbmi.zbmi.channel.chronicle;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import java.util.function.IntSupplier;

/** Files without a disk, of which a test says what they do next. For one thread. */
final class PlayedFiles implements QueueFiles {
    /** What a full file system makes of a store. */
    static final Runnable FULL =
            () -> {
                throw new InternalError("a fault in an unsafe memory access operation");
            };

    /** Folders and files. */
    final Set<Path> paths = new TreeSet<>();

    /** Records of the queue that is written. */
    final List<long[]> records = new ArrayList<>();

    /** What is done at the next opening of an end of a queue, before that. */
    Runnable beforeOpening = () -> {};

    /** What is done at the next record, before it is written or read. */
    Runnable beforeRecord = () -> {};

    /** What is done when an end is closed. */
    Runnable beforeClose = () -> {};

    /** What is done when something is to begin, before that. */
    Runnable beforeBegin = () -> {};

    /** What was begun and not run. */
    final List<Runnable> begun = new ArrayList<>();

    /** How often a thread has waited for what was begun. */
    int awaited;

    /** Ends that are open. */
    int open;

    @Override
    public Optional<String> unavailabilityReason() {
        return Optional.empty();
    }

    @Override
    public void createFolder(Path folder) throws IOException {
        createFile(folder);
    }

    @Override
    public void createFile(Path file) throws IOException {
        if (!paths.add(file)) {
            throw new FileAlreadyExistsException(file.toString());
        }
    }

    @Override
    public boolean exists(Path path) {
        return paths.contains(path);
    }

    @Override
    public List<Path> list(Path folder) {
        return paths.stream().filter(path -> folder.equals(path.getParent())).toList();
    }

    @Override
    public void remove(Path folder) {
        paths.removeIf(path -> path.startsWith(folder));
    }

    private void open(Path folder) {
        beforeOpening.run();
        open++;
        for (Path path = folder; path.getNameCount() > 1; path = path.getParent()) {
            paths.add(path);
        }
    }

    private void close() {
        open--;
        beforeClose.run();
    }

    @Override
    public QueueWriter writer(Path folder, IntSupplier file) {
        open(folder);
        return new QueueWriter() {
            @Override
            public boolean append(long[] words, int count) {
                beforeRecord.run();
                records.add(Arrays.copyOf(words, count));
                return true;
            }

            @Override
            public void close() {
                PlayedFiles.this.close();
            }
        };
    }

    @Override
    public QueueReader reader(Path folder, IntSupplier file, IntPredicate mayGo) {
        open(folder);
        return new QueueReader() {
            @Override
            public long read(long[] into) {
                long[] record = records.isEmpty() ? null : records.removeFirst();
                beforeRecord.run();
                if (record == null) {
                    return NOTHING;
                }
                System.arraycopy(record, 0, into, 0, record.length);
                return (long) record.length * Long.BYTES;
            }

            @Override
            public void close() {
                PlayedFiles.this.close();
            }
        };
    }

    @Override
    public Opening begin(Runnable opening) {
        beforeBegin.run();
        begun.add(opening);
        return timeoutMs -> {
            awaited++;
            return !begun.contains(opening);
        };
    }

    /** Runs what was begun. */
    void runBegun() {
        List<Runnable> now = List.copyOf(begun);
        begun.clear();
        now.forEach(Runnable::run);
    }
}
