package org.jbmi.zbmi.socket;

import org.jbmi.ErrorCode;
import org.jbmi.mempool.NanoClock;
import org.jbmi.mempool.Parking;
import org.jbmi.spi.Operation;
import org.jbmi.spi.WaitPolicy;
import org.jbmi.zbmi.attach.Interrupts;
import org.jbmi.zbmi.attach.Sockets;
import org.jbmi.zbmi.link.AnswerWait;
import org.jbmi.zbmi.link.CallTable;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.handshake.SessionLimits;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.SelectableChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * The client's end of a socket link: messages in frames, payload straight between the program's
 * buffers and the socket. One lock guards it all; a thread that waits for the socket gives it up.
 */
public final class SocketClientLink implements ClientLink {
    private static final long SLICE_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long SHORT_SLICE_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int MAX_READS = 8;

    private final LinkTransport transport;
    private final LinkWelcome welcome;
    private final PeerEvents events;
    private final NanoClock clock;
    private final Parking parking;
    private final LinkStall stall;
    private final LinkStream stream;
    private final LinkEager eager;
    private final CallTable calls = new CallTable();
    private final BooleanSupplier isOver = this::isBroken;
    private final BooleanSupplier roomCame = this::hasRoom;
    private final WaitPolicy sleepAtOnce = WaitPolicy.of(WaitPolicy.Mode.BLOCK, 0);
    private final AnswerWait<CallTable.Call> answers;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition unblocked = lock.newCondition();
    private volatile @Nullable String brokenReason;
    private final BooleanSupplier wakes = this::takeWake;
    private volatile boolean isWakePending;
    private volatile @Nullable Thread sleeper;
    private volatile boolean wantsRoom;
    private volatile boolean hasUnsaid;
    private volatile boolean isBlocked;
    private volatile boolean isLeadElsewhere;

    /**
     * Opens a link.
     *
     * @param transport connected, after the handshake; owned by the link from now on
     * @param settings its bounds, and how its threads wait
     */
    public SocketClientLink(
            LinkTransport transport,
            LinkWelcome welcome,
            PeerEvents events,
            NanoClock clock,
            LinkSettings settings) {
        this.transport = transport;
        this.welcome = welcome;
        this.events = events;
        this.clock = clock;
        this.parking = settings.parking();
        this.stall = new LinkStall(settings.stallNs());
        this.answers =
                new AnswerWait<>(
                        clock,
                        SLICE_NS,
                        this::progress,
                        events::afterDispatch,
                        isOver,
                        CallTable.Call::isAnswered,
                        CallTable.Call::giveUp,
                        (call, timeNs) -> awaitEvent(timeNs, call));
        this.eager = new LinkEager(welcome.eagerSlots(), welcome.limits().eagerBytes());
        this.stream =
                new LinkStream(
                        transport,
                        welcome.limits(),
                        events,
                        calls,
                        eager,
                        clock,
                        settings.bufferBytes());
    }

    @Override
    public SessionLimits limits() {
        return welcome.limits();
    }

    @Override
    public int generation() {
        return welcome.generation();
    }

    @Override
    public int call(Message request, Message reply, long timeoutNs) {
        long startNs = clock.nanoTime();
        CallTable.Call call = calls.take(clock, timeoutNs, isOver);
        if (call == null) {
            return brokenReason == null ? NOT_SENT : BROKEN;
        }
        try {
            call.sleeps(parking.current());
            request.setWord(0, call.correlation());
            int sent = note(request, startNs, timeoutNs);
            if (sent != OK) {
                return sent == TIMED_OUT ? NOT_SENT : sent;
            }
            int result = answers.await(call, sleepAtOnce, startNs, timeoutNs);
            if (result == OK) {
                reply.copyFrom(call.reply());
            }
            return result;
        } finally {
            calls.release(call);
        }
    }

    private boolean isBroken() {
        return brokenReason != null;
    }

    @Override
    public int note(Message note, long timeoutNs) {
        return note(note, clock.nanoTime(), timeoutNs);
    }

    // All waits of one call share one timeout.
    private int note(Message note, long startNs, long timeoutNs) {
        int result = offer(note);
        long leftNs = result == TIMED_OUT ? timeoutNs - (clock.nanoTime() - startNs) : 0;
        while (result == TIMED_OUT && leftNs > 0) {
            progress();
            transport.await(Math.min(leftNs, SLICE_NS), roomCame); // progress may have made room
            result = offer(note);
            leftNs = timeoutNs - (clock.nanoTime() - startNs);
        }
        return result;
    }

    private int offer(Message note) {
        lock.lock();
        try {
            int result = isBroken() ? BROKEN : stream.offer(note) ? OK : TIMED_OUT;
            if (result == OK) {
                flush();
            }
            return result;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int tell(Message note) {
        lock.lock();
        try {
            if (!isBroken() && !stream.tell(note)) {
                fail("More is unsaid than can be kept.");
            }
            flush();
            return isBroken() ? BROKEN : hasUnsaid ? KEPT : OK;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean hasUnsaid() {
        return hasUnsaid;
    }

    @Override
    public boolean hasRoom() {
        lock.lock();
        try {
            return stream.hasRoom();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int progress() {
        if (isBroken() || !lock.tryLock()) {
            return isBroken() ? BROKEN : 0;
        }
        try {
            return work();
        } finally {
            lock.unlock();
        }
    }

    private int work() {
        if (isBroken()) {
            return BROKEN;
        }
        long before = stream.frames();
        long bytes = flush();
        try {
            long count = 1;
            for (int i = 0; i < MAX_READS && count > 0; i++) {
                count = stream.read();
                bytes += Math.max(0, count);
            }
            if (count < 0) {
                fail(stream.endReason());
            }
        } catch (FrameException e) {
            fail("The gateway broke the protocol: " + e.getMessage() + ".");
        } catch (IOException e) {
            fail("The link is broken: " + e.getMessage() + ".");
        }
        bytes += flush();
        isBlocked = stream.isBlocked();
        if (!isBlocked) {
            unblocked.signalAll();
        }
        watch(bytes);
        return isBroken() ? BROKEN : (int) (stream.frames() - before) + (bytes > 0 ? 1 : 0);
    }

    private void watch(long bytes) {
        if (!stream.hasTransfers() && !wantsRoom) {
            stall.reset();
        } else if (brokenReason == null && stall.isOver(bytes, clock.nanoTime())) {
            fail("The gateway has moved nothing for too long.");
        }
    }

    private long flush() {
        if (isBroken()) {
            return 0;
        }
        try {
            long written = stream.flush();
            stall.moved(written); // it may be a flush outside of a round
            boolean wants = stream.wantsRoom();
            hasUnsaid = stream.hasUnsaidNotes();
            boolean isNew = wants && !wantsRoom;
            wantsRoom = wants;
            transport.wantsRoom(wants);
            if (isNew && isLeadElsewhere) {
                events.onLeadWanted();
            }
            return written;
        } catch (IOException e) {
            fail("The link is broken: " + e.getMessage() + ".");
            return 0;
        }
    }

    @Override
    public void end(String reason) {
        lock.lock();
        try {
            fail(reason);
        } finally {
            lock.unlock();
        }
    }

    // Under the lock, so no thread touches the program's memory when its operations end.
    private void fail(String reason) {
        if (isBroken()) {
            return;
        }
        brokenReason = reason;
        wantsRoom = false;
        isBlocked = false;
        unblocked.signalAll();
        dropAll();
        events.onBroken(reason);
        isWakePending = true;
        transport.wakeAll();
    }

    @Override
    public boolean prepareSleep(boolean inSelector) {
        if (takeWake() || isBroken()) {
            return false;
        }
        if (isBlocked) {
            awaitUnblocked();
            return false;
        }
        isLeadElsewhere = inSelector; // threads that want room from now on announce it
        if (inSelector && wantsRoom) {
            isLeadElsewhere = false;
            transport.await(SHORT_SLICE_NS, () -> false); // others select for reading only
            return false;
        }
        return true;
    }

    private boolean takeWake() {
        if (!isWakePending) {
            return false; // a store here could lose a wake that comes just now
        }
        isWakePending = false;
        return true;
    }

    @Override
    public void sleep(long timeoutNs) {
        sleeper = parking.current();
        try {
            transport.await(Math.min(timeoutNs, SLICE_NS), wakes);
        } finally {
            sleeper = null;
        }
    }

    @Override
    public void awaitEvent(long timeoutNs) {
        awaitEvent(timeoutNs, () -> false);
    }

    private void awaitEvent(long timeoutNs, BooleanSupplier isOver) {
        if (isBlocked) {
            awaitUnblocked();
        } else if (brokenReason == null) {
            transport.await(timeoutNs, isOver);
        }
    }

    // The thread that claimed is about to set the buffers, and may need this processor for that.
    // The wait is short, since that may have become this thread's task meanwhile.
    private void awaitUnblocked() {
        lock.lock();
        try {
            long leftNs = SHORT_SLICE_NS;
            while (isBlocked && leftNs > 0) {
                leftNs = Interrupts.await(unblocked, leftNs);
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void finishSleep() {
        isLeadElsewhere = false; // a socket's reader needs no announcement
    }

    @Override
    public void wake() {
        isWakePending = true;
        Thread thread = sleeper;
        if (thread == null) {
            transport.wakeAll(); // for threads that wait in a call
        } else {
            transport.wake(thread);
        }
    }

    @Override
    public SelectableChannel selectable() {
        return transport.selectable();
    }

    @Override
    public @Nullable String brokenReason() {
        return brokenReason;
    }

    @Override
    public ErrorCode brokenCode() {
        return stream.endCode();
    }

    @Override
    public boolean claim(Message grant) {
        lock.lock();
        try {
            return stream.claim(grant);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean movesLater() {
        return true;
    }

    @Override
    public int startMove(Operation operation, Message grant) {
        lock.lock();
        try {
            if (isBroken()) {
                return brokenCode().negativeValue();
            }
            int result = stream.startMove(operation, grant);
            if (stream.isBlocked()) {
                work();
            } else {
                flush();
            }
            return result;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int takeEagerSlot() {
        return eager.take();
    }

    @Override
    public void putEager(
            int slot, int position, MemorySegment source, long sourceOffset, int lengthBytes) {
        eager.put(slot, position, source, sourceOffset, lengthBytes);
    }

    @Override
    public long announceEager(int slot) {
        return 1;
    }

    @Override
    public boolean withdrawEager(int slot, long sequence) {
        return false;
    }

    @Override
    public void recallEager(int slot, long reference) {
        if (slot <= ClientRequests.NOT_EAGER) {
            return;
        }
        lock.lock();
        try {
            eager.recall(slot, reference);
            flush();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void releaseEagerSlot(int slot) {
        eager.release(slot);
    }

    @Override
    public void hangUp() {
        end("The link was hung up.", false);
    }

    @Override
    public void close() {
        end("The link is closed.", true);
    }

    private void end(String reason, boolean saysGoodbye) {
        lock.lock();
        try {
            boolean wasWhole = !isBroken();
            brokenReason = wasWhole ? reason : brokenReason;
            if (wasWhole && saysGoodbye) {
                stream.goodbye();
            }
        } catch (IOException e) {
            Sockets.closeQuietly(transport); // no thread reads it
        } finally {
            try {
                dropAll();
            } finally {
                lock.unlock();
            }
        }
    }

    private void dropAll() {
        try {
            stream.drop();
        } finally {
            Sockets.closeQuietly(transport);
        }
    }
}
