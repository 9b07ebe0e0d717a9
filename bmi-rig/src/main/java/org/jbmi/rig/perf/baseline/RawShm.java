package org.jbmi.rig.perf.baseline;

import org.jbmi.rig.perf.phase.WaitMode;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.LockSupport;

/**
 * A ring of slots each way in a mapped file, copied in and copied out; one release store publishes
 * a message.
 *
 * <pre>
 *   each direction:  consumed (8)   at 0
 *                    slots          from 128: stamp (8, sequence + 1), then the payload at + 64
 * </pre>
 */
final class RawShm implements Baseline {
    private static final int MAX_BYTES = 16 << 20;
    private static final long DIRECTION_BYTES = 64L << 20;
    private static final int MAX_SLOTS = 256;
    private static final String FILE = "ring";

    @Override
    public String name() {
        return "raw-shm";
    }

    @Override
    public String setup(WaitMode waiting) {
        return "a ring of slots in a mapped file, copied in and out; "
                + (waiting.isBlocking() ? "polls every 20 us, without wake-ups" : "spins");
    }

    @Override
    public int maxBytes() {
        return MAX_BYTES;
    }

    @Override
    public int keptMessages() {
        return 2 * MAX_SLOTS;
    }

    @Override
    public Link listen(Meeting meeting) throws IOException {
        return new RingLink(meeting, 0);
    }

    @Override
    public Link connect(Meeting meeting) throws IOException {
        return new RingLink(meeting, 1);
    }

    private static final class RingLink implements Link {
        private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
        private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;
        private static final int LINE_BYTES = 64;
        private static final int SLOTS_AT = 128;
        private static final int SMALL_BYTES = 256;
        private static final long SPIN_NS = 10_000;
        private static final long SLEEP_NS = 20_000;
        private static final long LONGEST_NS = 1_000_000_000;

        private final Arena arena = Arena.ofShared();
        private final MemorySegment memory;
        private final WaitMode wait;
        private final long out;
        private final long in;
        private long sent;
        private long received;
        private long consumedThere;
        private volatile boolean closed;

        RingLink(Meeting meeting, int side) throws IOException {
            wait = meeting.waiting();
            out = side * DIRECTION_BYTES;
            in = DIRECTION_BYTES - out;
            Path file = Path.of(meeting.directory(), FILE);
            if (!Files.exists(file)) {
                Files.createDirectories(file.getParent());
            }
            try (FileChannel channel =
                    FileChannel.open(
                            file,
                            StandardOpenOption.CREATE,
                            StandardOpenOption.READ,
                            StandardOpenOption.WRITE)) {
                memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, 2 * DIRECTION_BYTES, arena);
            }
        }

        @Override
        public void send(Buffer buffer) throws IOException {
            MemorySegment message = buffer.memory();
            long size = message.byteSize();
            long stride = stride(size);
            long slots = slots(stride);
            while (sent - consumedThere >= slots) {
                consumedThere = (long) LONG.getAcquire(memory, out);
                if (sent - consumedThere >= slots) {
                    pauseUnlessClosed();
                }
            }
            long slot = out + SLOTS_AT + sent % slots * stride;
            copy(message, 0, memory, slot + LINE_BYTES, size);
            LONG.setRelease(memory, slot, stamp(++sent, size));
        }

        @Override
        public boolean receive(Buffer buffer, boolean mayWait) throws IOException {
            MemorySegment message = buffer.memory();
            long size = message.byteSize();
            long stride = stride(size);
            long slots = slots(stride);
            long slot = in + SLOTS_AT + received % slots * stride;
            long stamp = stamp(received + 1, size);
            if ((long) LONG.getAcquire(memory, slot) != stamp && !(mayWait && await(slot, stamp))) {
                return false;
            }
            copy(memory, slot + LINE_BYTES, message, 0, size);
            received++;
            LONG.setRelease(memory, in, received);
            return true;
        }

        /** The stamp of a message; it differs from the stamps of messages with another size. */
        private static long stamp(long sequence, long size) {
            return sequence << Integer.SIZE | size;
        }

        private static long stride(long size) {
            return LINE_BYTES + (size + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
        }

        private static long slots(long stride) {
            return Math.min(MAX_SLOTS, (DIRECTION_BYTES - SLOTS_AT) / stride);
        }

        private static void copy(
                MemorySegment from, long fromOffset, MemorySegment to, long toOffset, long size) {
            if (size > SMALL_BYTES) {
                MemorySegment.copy(from, fromOffset, to, toOffset, size);
                return;
            }
            long i = 0;
            for (; i + Long.BYTES <= size; i += Long.BYTES) {
                to.set(WORD, toOffset + i, from.get(WORD, fromOffset + i));
            }
            for (; i < size; i++) {
                to.set(
                        ValueLayout.JAVA_BYTE,
                        toOffset + i,
                        from.get(ValueLayout.JAVA_BYTE, fromOffset + i));
            }
        }

        private boolean await(long slot, long stamp) throws IOException {
            long startNs = System.nanoTime();
            while ((long) LONG.getAcquire(memory, slot) != stamp) {
                long waitedNs = System.nanoTime() - startNs;
                if (waitedNs > LONGEST_NS) {
                    return false;
                }
                if (wait == WaitMode.BLOCK || waitedNs > SPIN_NS) {
                    LockSupport.parkNanos(SLEEP_NS);
                }
                pauseUnlessClosed();
            }
            return true;
        }

        private void pauseUnlessClosed() throws IOException {
            if (closed) {
                throw new EOFException("The link was closed");
            }
            wait.pause();
        }

        @Override
        public void close() {
            // Another thread may still read the mapping; the end of the process unmaps it.
            closed = true;
        }
    }
}
