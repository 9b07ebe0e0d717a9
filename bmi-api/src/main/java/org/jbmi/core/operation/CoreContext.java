package org.jbmi.core.operation;

import org.jbmi.CancelOutcome;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostOptions;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedFilter;
import org.jbmi.core.events.CoreEvents;
import org.jbmi.core.events.PostEvent;
import org.jbmi.core.peer.CorePeer;
import org.jbmi.core.peer.PeerTable;
import org.jbmi.core.waiting.Arguments;
import org.jbmi.core.waiting.Progress;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodLimits;
import org.jbmi.spi.OperationKind;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/** A context: its post calls, and the checks before its test calls. */
public final class CoreContext implements CompletionContext {
    private final PeerTable peers;
    private final CompletionQueue queue;
    private final OperationStock stock;
    private final DeadlineQueue deadlines;
    private final Progress progress;
    private final CoreEvents events;
    private final Tester tester;
    private final OperationEndings endings;
    private final Consumer<CoreContext> closer;

    public CoreContext(
            PeerTable peers,
            CompletionQueue queue,
            Tester tester,
            OperationEndings endings,
            Consumer<CoreContext> closer) {
        this.peers = peers;
        this.queue = queue;
        stock = queue.stock();
        deadlines = stock.deadlines;
        progress = queue.progress;
        events = queue.events;
        this.tester = tester;
        this.endings = endings;
        this.closer = closer;
    }

    /** The completions of the context. */
    public CompletionQueue queue() {
        return queue;
    }

    @Override
    public long postSend(
            PeerAddress peer,
            MemorySegment buffer,
            int tag,
            @Nullable Object userData,
            PostOptions options) {
        checkOpen();
        return post(OperationKind.SEND, peer, buffer, tag, 0, userData, options);
    }

    @Override
    public long postSendList(
            PeerAddress peer,
            MemorySegment[] buffers,
            long totalBytes,
            int tag,
            @Nullable Object userData,
            PostOptions options) {
        checkOpen();
        return postList(OperationKind.SEND, peer, buffers, totalBytes, tag, 0, userData, options);
    }

    @Override
    public long postReceive(
            PeerAddress peer,
            MemorySegment buffer,
            int tag,
            @Nullable Object userData,
            PostOptions options) {
        checkOpen();
        return post(OperationKind.RECEIVE, peer, buffer, tag, 0, userData, options);
    }

    @Override
    public long postReceiveList(
            PeerAddress peer,
            MemorySegment[] buffers,
            long totalBytes,
            int tag,
            @Nullable Object userData,
            PostOptions options) {
        checkOpen();
        return postList(
                OperationKind.RECEIVE, peer, buffers, totalBytes, tag, 0, userData, options);
    }

    @Override
    public long postSendUnexpected(
            PeerAddress peer,
            MemorySegment buffer,
            int tag,
            int messageClass,
            @Nullable Object userData,
            PostOptions options) {
        checkOpen();
        checkClass(messageClass);
        return post(
                OperationKind.SEND_UNEXPECTED, peer, buffer, tag, messageClass, userData, options);
    }

    @Override
    public long postSendUnexpectedList(
            PeerAddress peer,
            MemorySegment[] buffers,
            long totalBytes,
            int tag,
            int messageClass,
            @Nullable Object userData,
            PostOptions options) {
        checkOpen();
        checkClass(messageClass);
        return postList(
                OperationKind.SEND_UNEXPECTED,
                peer,
                buffers,
                totalBytes,
                tag,
                messageClass,
                userData,
                options);
    }

    @Override
    public int test(long id, Completions done, long idleMs) {
        checkOpen();
        Progress.checkIdle(idleMs);
        if (done.capacity() == 0) {
            throw Arguments.invalid("There is no room for the result.");
        }
        return tester.test(id, (CompletionSlots) done, idleMs);
    }

    @Override
    public int testSome(long[] ids, int count, Completions done, long idleMs) {
        checkOpen();
        Progress.checkIdle(idleMs);
        if (count < 0 || count > ids.length) {
            throw Arguments.invalid(
                    "There are " + ids.length + " ids in the array, but " + count + " were named.");
        }
        return tester.testSome(ids, count, (CompletionSlots) done, idleMs);
    }

    @Override
    public int testContext(Completions done, long idleMs) {
        checkOpen();
        Progress.checkIdle(idleMs);
        return tester.testContext((CompletionSlots) done, idleMs);
    }

    @Override
    public int collect(Completions done) {
        checkOpen();
        return tester.collect((CompletionSlots) done);
    }

    @Override
    public CancelOutcome cancel(long id) {
        checkOpen();
        return endings.cancel(queue, id);
    }

    @Override
    public long await(long postResult, long timeoutMs) {
        checkOpen();
        Progress.checkIdle(timeoutMs);
        return tester.await(postResult, timeoutMs);
    }

    @Override
    public void close() {
        if (queue.beginClose()) {
            closer.accept(this);
        }
    }

    private void checkOpen() {
        if (queue.isEnding()) {
            throw Arguments.invalid("The context is closed.");
        }
        progress.checkOpen();
    }

    private static void checkClass(int messageClass) {
        if (messageClass < 0 || messageClass > UnexpectedFilter.MAX_CLASS) {
            throw Arguments.badClass(messageClass);
        }
    }

    private long post(
            OperationKind kind,
            PeerAddress peer,
            MemorySegment buffer,
            int tag,
            int messageClass,
            @Nullable Object userData,
            PostOptions options) {
        CorePeer target = peers.check(peer);
        SegmentCheck.check(buffer, kind == OperationKind.RECEIVE);
        int refusal = target.refusal();
        if (refusal != 0) {
            return refused(kind, target, tag, buffer.byteSize(), refusal);
        }
        PostEvent event = events.beginPost();
        long result = Method.PENDING;
        if (kind != OperationKind.RECEIVE && isPlain(options)) {
            result = sendAtOnce(kind, target, buffer, tag, messageClass);
        }
        if (result == Method.PENDING) {
            refusal = refusal(kind, target, buffer.byteSize());
            if (refusal != 0) {
                return refused(kind, target, tag, buffer.byteSize(), refusal);
            }
            CoreOperation operation = begin(kind, target, tag, messageClass, userData, options);
            if (operation == null) {
                return exhausted(kind, target, tag, buffer.byteSize());
            }
            operation.single(buffer);
            result = start(operation, target);
        }
        if (event != null || result < 0) {
            posted(event, result, kind, target, tag, buffer.byteSize(), options);
        }
        return result;
    }

    private static long sendAtOnce(
            OperationKind kind, CorePeer target, MemorySegment buffer, int tag, int messageClass) {
        Method method = target.method();
        return kind == OperationKind.SEND
                ? method.sendAtOnce(target.address(), buffer, tag)
                : method.sendUnexpectedAtOnce(target.address(), buffer, tag, messageClass);
    }

    @SuppressWarnings("ReferenceEquality") // for most posts one look is enough
    private static boolean isPlain(PostOptions options) {
        return options == PostOptions.NONE
                || (!options.poolOnly()
                        && options.deadlineMs() == 0
                        && options.idleDeadlineMs() == 0);
    }

    private long postList(
            OperationKind kind,
            PeerAddress peer,
            MemorySegment[] buffers,
            long totalBytes,
            int tag,
            int messageClass,
            @Nullable Object userData,
            PostOptions options) {
        CorePeer target = peers.check(peer);
        int most = target.method().limits().maxListCount();
        if (buffers.length > most) {
            throw Arguments.invalid(
                    "The list has " + buffers.length + " buffers; the method takes " + most + ".");
        }
        CoreOperation operation = begin(kind, target, tag, messageClass, userData, options);
        if (operation == null) {
            return exhausted(kind, target, tag, totalBytes);
        }
        int refusal;
        try {
            // The caller may change its array meanwhile: only the copy is checked.
            operation.list(buffers, totalBytes);
            SegmentCheck.checkList(operation, kind == OperationKind.RECEIVE);
            refusal = refusal(kind, target, totalBytes);
        } catch (RuntimeException | Error e) {
            queue.retract(operation);
            throw e;
        }
        if (refusal != 0) {
            queue.retract(operation);
            return refused(kind, target, tag, totalBytes, refusal);
        }
        PostEvent event = beginEvent(operation);
        long result = start(operation, target);
        if (event != null || result < 0) {
            posted(event, result, kind, target, tag, totalBytes, options);
        }
        return result;
    }

    private @Nullable PostEvent beginEvent(CoreOperation operation) {
        try {
            return events.beginPost();
        } catch (RuntimeException | Error e) {
            queue.retract(operation);
            throw e;
        }
    }

    /**
     * Records a post, apart from the path of posts that record nothing. Never fails: a method may
     * have the operation, so the caller must get its id.
     */
    private void posted(
            @Nullable PostEvent event,
            long result,
            OperationKind kind,
            CorePeer target,
            int tag,
            long sizeBytes,
            PostOptions options) {
        try {
            if (result < 0) {
                events.refused(kind, target, tag, sizeBytes, (int) result);
            } else if (event != null) {
                long id = PostResult.isPending(result) ? result : 0;
                events.endPost(event, id, kind, target, tag, sizeBytes, options.hints());
            }
        } catch (RuntimeException | Error e) {
            // The record is lost.
        }
    }

    private int refused(OperationKind kind, CorePeer target, int tag, long sizeBytes, int code) {
        events.refused(kind, target, tag, sizeBytes, code);
        return code;
    }

    private int exhausted(OperationKind kind, CorePeer target, int tag, long sizeBytes) {
        events.exhausted("operations", target.scheme(), 1);
        return refused(kind, target, tag, sizeBytes, ErrorCode.ENOBUFS.negativeValue());
    }

    private static int refusal(OperationKind kind, CorePeer target, long sizeBytes) {
        int refusal = target.refusal();
        if (refusal != 0) {
            return refusal;
        }
        MethodLimits limits = target.method().limits();
        long most =
                kind == OperationKind.SEND_UNEXPECTED
                        ? limits.maxUnexpectedBytes()
                        : limits.maxExpectedBytes();
        return sizeBytes > most ? ErrorCode.EMSGSIZE.negativeValue() : 0;
    }

    /**
     * Takes a free operation and fills it in, except for its buffers, under the lock of the
     * context. A thread that closes a context or drops a peer takes that lock later and finds the
     * operation.
     *
     * @return null if the limit is reached
     */
    private @Nullable CoreOperation begin(
            OperationKind kind,
            CorePeer target,
            int tag,
            int messageClass,
            @Nullable Object userData,
            PostOptions options) {
        CoreOperation fetched = null;
        do {
            CoreOperation operation = fetched;
            stock.lock.lock();
            try {
                operation = operation == null ? stock.take() : operation;
                if (operation != null) {
                    operation.describe(kind, target.address(), tag, messageClass);
                    operation.options(options);
                    operation.belongs(queue, target, userData);
                    operation.begin(stock.table.slotBits());
                    return operation;
                }
            } catch (RuntimeException | Error e) {
                if (operation != null) {
                    stock.free(operation);
                }
                throw e;
            } finally {
                stock.lock.unlock();
            }
            fetched = stock.fetch();
        } while (fetched != null);
        return null;
    }

    private long start(CoreOperation operation, CorePeer target) {
        long id = operation.id();
        boolean expires = operation.hasDeadline();
        if (expires) {
            reserveDeadline(operation);
        }
        long result;
        try {
            result = target.method().post(operation);
        } catch (RuntimeException | Error e) {
            giveUp(operation, expires);
            throw e;
        }
        if (result != Method.PENDING) {
            giveUp(operation, expires);
            return result;
        }
        if (expires && deadlines.add(operation, id)) {
            progress.wake();
        }
        if (queue.isEnding() || target.isDropped()) {
            // A thread that closes the context or drops the peer may have searched just before the
            // method had this operation. The method's lock lets this thread see that.
            cancelLate(operation, id);
        }
        return id;
    }

    /** Never fails: the method has the operation, so the caller must get its id. */
    private static void cancelLate(CoreOperation operation, long id) {
        try {
            OperationEndings.cancel(operation, id, ErrorCode.ECANCEL.negativeValue());
        } catch (RuntimeException | Error e) {
            // The operation stays with the method, as if the cancel had come too late.
        }
    }

    /** Before the post: an operation that a method has must not fail for lack of memory. */
    private void reserveDeadline(CoreOperation operation) {
        try {
            deadlines.reserve();
        } catch (RuntimeException | Error e) {
            queue.retract(operation);
            throw e;
        }
    }

    private void giveUp(CoreOperation operation, boolean reserved) {
        if (reserved) {
            deadlines.unreserve();
        }
        queue.retract(operation);
    }
}
