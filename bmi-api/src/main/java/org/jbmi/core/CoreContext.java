package org.jbmi.core;

import org.jbmi.CancelOutcome;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.PeerAddress;
import org.jbmi.PostOptions;
import org.jbmi.core.operation.CompletionQueue;
import org.jbmi.core.operation.CompletionSlots;
import org.jbmi.core.operation.OperationEndings;
import org.jbmi.core.operation.Poster;
import org.jbmi.core.operation.Tester;
import org.jbmi.core.waiting.Arguments;
import org.jbmi.core.waiting.Progress;
import org.jbmi.spi.OperationKind;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/** A context: checks arguments, and calls the poster and the tester. */
final class CoreContext implements CompletionContext {
    private final CompletionQueue queue;
    private final Poster poster;
    private final Tester tester;
    private final OperationEndings endings;
    private final Progress progress;
    private final Consumer<CoreContext> closer;

    CoreContext(
            CompletionQueue queue,
            Poster poster,
            Tester tester,
            OperationEndings endings,
            Progress progress,
            Consumer<CoreContext> closer) {
        this.queue = queue;
        this.poster = poster;
        this.tester = tester;
        this.endings = endings;
        this.progress = progress;
        this.closer = closer;
    }

    CompletionQueue queue() {
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
        return poster.post(OperationKind.SEND, peer, buffer, tag, 0, userData, options);
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
        return poster.postList(
                OperationKind.SEND, peer, buffers, totalBytes, tag, 0, userData, options);
    }

    @Override
    public long postReceive(
            PeerAddress peer,
            MemorySegment buffer,
            int tag,
            @Nullable Object userData,
            PostOptions options) {
        checkOpen();
        return poster.post(OperationKind.RECEIVE, peer, buffer, tag, 0, userData, options);
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
        return poster.postList(
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
        CoreBmi.checkClass(messageClass);
        return poster.post(
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
        CoreBmi.checkClass(messageClass);
        return poster.postList(
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
}
