package org.jbmi.benchmarks.aeron;

import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.FragmentAssembler;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.logbuffer.Header;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jbmi.rig.perf.baseline.Buffer;
import org.jbmi.rig.perf.baseline.Link;
import org.jbmi.rig.perf.phase.WaitMode;
import org.jspecify.annotations.Nullable;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;

/** A publication and a subscription. It copies messages in and out. */
final class AeronLink implements Link {
    private static final long SPIN_NS = 10_000;
    private static final long SLEEP_NS = 20_000;
    private static final long LONGEST_NS = 1_000_000_000;

    /** The parts of a link. */
    record Streams(Aeron aeron, ExclusivePublication out, Subscription in, WaitMode waiting) {}

    private final Streams streams;
    private final @Nullable MediaDriver driver;
    private final UnsafeBuffer sent = new UnsafeBuffer(0, 0);
    private final UnsafeBuffer received = new UnsafeBuffer(0, 0);
    private final FragmentAssembler assembler = new FragmentAssembler(this::take);
    private int taken;
    private volatile boolean closed;

    AeronLink(Streams streams, @Nullable MediaDriver driver) {
        this.streams = streams;
        this.driver = driver;
    }

    @Override
    public void send(Buffer buffer) throws IOException {
        MemorySegment message = buffer.memory();
        sent.wrap(message.address(), (int) message.byteSize());
        long position = streams.out.offer(sent);
        while (position < 0) {
            if (closed || position == Publication.CLOSED) {
                throw new EOFException("The link was closed");
            }
            pause();
            position = streams.out.offer(sent);
        }
    }

    @Override
    public boolean receive(Buffer buffer, boolean mayWait) throws IOException {
        MemorySegment message = buffer.memory();
        received.wrap(message.address(), (int) message.byteSize());
        taken = 0;
        poll();
        if (taken == 0 && mayWait) {
            await();
        }
        return taken > 0;
    }

    /**
     * Takes at most one message; of a message in several fragments, all fragments that have come.
     */
    private void poll() {
        while (taken == 0 && streams.in.poll(assembler, 1) > 0) {
            Thread.onSpinWait();
        }
    }

    private void await() throws IOException {
        long startNs = System.nanoTime();
        while (taken == 0) {
            long waitedNs = System.nanoTime() - startNs;
            if (closed) {
                throw new EOFException("The link was closed");
            }
            if (waitedNs > LONGEST_NS) {
                return;
            }
            if (streams.waiting == WaitMode.BLOCK || waitedNs > SPIN_NS) {
                LockSupport.parkNanos(SLEEP_NS);
            }
            poll();
        }
    }

    private void take(DirectBuffer from, int offset, int length, Header header) {
        received.putBytes(0, from, offset, Math.min(length, received.capacity()));
        taken++;
    }

    private void pause() {
        streams.waiting.pause();
    }

    @Override
    public void close() {
        closed = true;
        streams.aeron.close();
        if (driver != null) {
            driver.close();
        }
    }
}
