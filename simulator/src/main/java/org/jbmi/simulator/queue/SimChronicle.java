package org.jbmi.simulator.queue;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.simulator.process.Dice;
import org.jbmi.simulator.process.SimProcess;
import org.jbmi.simulator.queue.SimDisk.Entry;
import org.jbmi.simulator.queue.SimDisk.Records;
import org.jbmi.zbmi.channel.chronicle.ChronicleCommandChannelProvider;
import org.jbmi.zbmi.channel.chronicle.QueueFiles;
import org.jbmi.zbmi.channel.chronicle.QueueReader;
import org.jbmi.zbmi.channel.chronicle.QueueWriter;
import org.jbmi.zbmi.host.port.CommandPortProvider;
import org.jbmi.zbmi.protocol.SessionArea;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.IntPredicate;
import java.util.function.IntSupplier;

/**
 * The files of Chronicle Queues that one process has open. They behave as observed with the
 * library. A writer that ends in the middle of a record leaves one that no reader sees. The library
 * makes a missing folder, also when it begins a new file. On a full file system a store may fail
 * before, in or behind a record. A process that then goes on writing fails in the library's
 * assertions.
 */
public final class SimChronicle extends SimCarrier implements QueueFiles {
    private static final String FULL = "no space left on device";

    private final Sizes sizes;
    private final SimDisk disk;
    private final List<End> ends = new ArrayList<>();
    private final Deque<SimOpener> waiting = new ArrayDeque<>();
    private final Deque<SimOpener> running = new ArrayDeque<>();

    private record Sizes(int bound, int messagesPerFile, boolean keepsFiles) {}

    private SimChronicle(SimProcess process, Sizes sizes, SimDisk disk) {
        super(process);
        this.sizes = sizes;
        this.disk = disk;
    }

    /** The files of the first process, with random sizes. */
    public static SimChronicle of(SimProcess process, Dice dice) {
        int bound = 4 << dice.below(5);
        int messagesPerFile = 1 + dice.below(24);
        return new SimChronicle(
                process,
                new Sizes(bound, messagesPerFile, dice.chance(20)),
                new SimDisk(process.schedule));
    }

    @Override
    public SimChronicle sharedWith(SimProcess other) {
        return new SimChronicle(other, sizes, disk);
    }

    @Override
    public CommandPortProvider provider() {
        return new ChronicleCommandChannelProvider(this, sizes.bound, sizes.messagesPerFile)
                .keepingFiles(sizes.keepsFiles);
    }

    @Override
    public void forget() {
        for (End end : ends) {
            end.forget();
        }
        ends.clear();
    }

    @Override
    public boolean hasUnread(SharedMemory raw, SessionArea area) {
        return unread(raw, area.towardPeerOffset(), area.consumedByPeerOffset()) != 0;
    }

    @Override
    public boolean hasUnreceived(SharedMemory raw, SessionArea area) {
        return unread(raw, area.towardEngineOffset(), area.consumedByEngineOffset()) != 0;
    }

    @Override
    public boolean isTight(SharedMemory raw, SessionArea area) {
        long unread = unread(raw, area.towardEngineOffset(), area.consumedByEngineOffset());
        return 2 * unread >= sizes.bound;
    }

    private static long unread(SharedMemory raw, long sentOffset, long consumedOffset) {
        return raw.getLongAcquire(sentOffset) - raw.getLongAcquire(consumedOffset);
    }

    @Override
    public boolean hasFailed() {
        for (End end : ends) {
            if (end.hasFailed) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void spoil(Dice dice, SharedMemory raw, SessionArea area) {
        for (End end : ends) {
            if (end instanceof Writer writer) {
                spoil(dice, writer, raw, area.towardEngineOffset());
            }
        }
    }

    private void spoil(Dice dice, Writer writer, SharedMemory raw, long sentOffset) {
        int die = dice.below(100);
        Entry last = writer.records.last();
        if (die < 30 && last != null && last.words.length > 0) {
            last.words[dice.below(last.words.length)] ^= 1L << dice.below(Long.SIZE);
        } else if (die < 85) {
            long[] garbage = garbage(dice);
            Entry entry = writer.records.begin(Math.max(1, writer.current), garbage.length);
            System.arraycopy(garbage, 0, entry.words, 0, garbage.length);
            entry.isComplete = dice.chance(80);
            raw.getAndAddLong(sentOffset, 1);
        } else {
            Path session = writer.folder.getParent();
            if (session != null) {
                disk.spoil(session);
            }
        }
    }

    @Override
    public boolean runOut(Dice dice) {
        boolean isIt = dice.chance(40);
        if (isIt) {
            disk.fill(10 + dice.below(300));
        }
        return isIt;
    }

    @Override
    public void recover() {
        disk.fill(0);
    }

    @Override
    public boolean hasWork() {
        return !waiting.isEmpty();
    }

    @Override
    public void work() {
        waiting.element().step();
    }

    @Override
    public boolean isWorking() {
        return !running.isEmpty();
    }

    @Override
    public void goDown() {
        List.copyOf(waiting).forEach(SimProcess::goDown);
        List.copyOf(running).forEach(SimProcess::goDown);
    }

    @Override
    public @Nullable String leftBehind() {
        return disk.leftBehind();
    }

    @Override
    public @Nullable String missing() {
        return disk.missing();
    }

    private Dice dice() {
        return process.schedule.dice;
    }

    /** Checks that only threads that open queues make files in the daemon. */
    private void touch() {
        SimOpener opener = running.peek();
        (opener == null ? process : opener).touch();
    }

    private void mayFail() throws IOException {
        touch();
        if (disk.isFull() && dice().chance(30)) {
            switch (dice().below(3)) {
                case 0 -> throw new IOException(FULL);
                case 1 -> throw new UncheckedIOException(new IOException(FULL));
                default -> throw new InternalError(FULL);
            }
        }
    }

    @Override
    public Optional<String> unavailabilityReason() {
        return Optional.empty();
    }

    @Override
    public void createFolder(Path folder) throws IOException {
        create(folder);
    }

    @Override
    public void createFile(Path file) throws IOException {
        create(file);
    }

    private void create(Path path) throws IOException {
        touch();
        if (disk.isFull() && dice().chance(30)) {
            throw new IOException(FULL);
        }
        disk.create(path);
    }

    @Override
    public boolean exists(Path path) {
        return disk.exists(path);
    }

    @Override
    public List<Path> list(Path folder) {
        return disk.list(folder);
    }

    @Override
    public void remove(Path folder) throws IOException {
        try {
            for (Path path : disk.walk(folder)) {
                if (process.frames > 0) {
                    touch();
                }
                disk.deleteIfExists(path);
            }
        } finally {
            if (!process.isAlive) {
                excuseMade(folder);
            }
        }
    }

    // The library made the folder again after the sweep; the process that would remove it has
    // ended.
    private void excuseMade(Path session) {
        for (End end : ends) {
            if (end.hasMadeFolder && session.equals(end.folder.getParent())) {
                disk.excuse(end.folder);
            }
        }
    }

    @Override
    public QueueWriter writer(Path folder, IntSupplier file) throws IOException {
        mayFail();
        Writer writer = new Writer(folder, file);
        mayFail();
        return writer;
    }

    @Override
    public QueueReader reader(Path folder, IntSupplier file, IntPredicate mayGo)
            throws IOException {
        mayFail();
        Reader reader = new Reader(folder, mayGo);
        mayFail();
        return reader;
    }

    @Override
    public Opening begin(Runnable opening) {
        return new SimOpener(process, opening, waiting, running);
    }

    /** An end of a queue that the process has open. */
    private abstract class End {
        final Path folder;
        final Records records;
        int current;
        boolean isClosed;
        boolean hasFailed;
        private boolean hasMadeFolder;

        End(Path folder) {
            this.folder = folder;
            this.hasMadeFolder = disk.createAll(folder);
            this.records = disk.queue(folder);
            ends.add(this);
        }

        final void madeFile() {
            hasMadeFolder |= disk.createAll(folder);
        }

        final void use() {
            if (isClosed) {
                throw new IllegalStateException("closed");
            }
            process.touch();
        }

        final void mayFailToClose() {
            if (disk.isFull() && dice().chance(10)) {
                throw new InternalError(FULL);
            }
        }

        final void forget() {
            if (hasMadeFolder && !isClosed) {
                disk.excuse(folder);
            }
        }
    }

    private final class Writer extends End implements QueueWriter {
        private final IntSupplier file;

        Writer(Path folder, IntSupplier file) {
            super(folder);
            this.file = file;
        }

        @Override
        public boolean append(long[] words, int count) {
            use();
            if (hasFailed) {
                throw new AssertionError("a header inside a header");
            }
            int failing = disk.isFull() && dice().chance(15) ? dice().below(3) : -1;
            int now = file.getAsInt();
            if (now < current) {
                throw process.schedule.fail("the number of a queue's file sinks");
            }
            if (now > current) {
                if (failing == 0) {
                    hasFailed = true;
                    throw new UncheckedIOException(new IOException(FULL));
                }
                current = now;
                madeFile();
            }
            Entry entry = records.begin(now, count);
            process.touch();
            System.arraycopy(words, 0, entry.words, 0, count);
            process.touch();
            if (failing == 1) {
                hasFailed = true;
                throw new InternalError(FULL);
            }
            entry.isComplete = true;
            if (failing == 2) {
                hasFailed = true;
                throw new InternalError(FULL);
            }
            return true;
        }

        @Override
        public void close() {
            isClosed = true;
            mayFailToClose();
        }
    }

    private final class Reader extends End implements QueueReader {
        private final IntPredicate mayGo;
        private long next;

        Reader(Path folder, IntPredicate mayGo) {
            super(folder);
            this.mayGo = mayGo;
        }

        @Override
        public long read(long[] into) {
            use();
            if (disk.isFull() && dice().chance(2)) {
                hasFailed = true;
                throw new InternalError(FULL);
            }
            Entry entry = records.at(next);
            if (entry == null || !entry.isComplete) {
                return NOTHING;
            }
            if (entry.file != current) {
                leave();
                current = entry.file;
            }
            next++;
            System.arraycopy(entry.words, 0, into, 0, Math.min(into.length, entry.words.length));
            return (long) entry.words.length * Long.BYTES;
        }

        private void leave() {
            if (current > 0 && mayGo.test(current)) {
                records.remove(current);
            }
        }

        @Override
        public void close() {
            if (!isClosed) {
                leave();
                isClosed = true;
                mayFailToClose();
            }
        }
    }
}
