package org.jbmi.testsuite.model;

import org.jbmi.ErrorCode;
import org.jbmi.testsuite.ConformanceFailure;
import org.jbmi.testsuite.End;
import org.jbmi.testsuite.Expect;
import org.jbmi.testsuite.Scene;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** An operation of the model that was really posted. */
final class LiveOperation {
    private static final byte UNTOUCHED = 0x5a;

    private final Model.Op op;
    private final End end;
    private final MemorySegment buffer;
    private final boolean localSends;
    private final long expiresAfterNs;
    private final long begunNs = System.nanoTime();
    private long id;
    private boolean reported;

    /**
     * An operation that is about to be posted.
     *
     * @param expiresAfterNs when its deadline ends it; 0 if that is never
     */
    LiveOperation(
            Model.Op op, End end, MemorySegment buffer, boolean localSends, long expiresAfterNs) {
        this.op = op;
        this.end = end;
        this.buffer = buffer;
        this.localSends = localSends;
        this.expiresAfterNs = expiresAfterNs;
        if (op.receives()) {
            buffer.fill(UNTOUCHED);
        } else {
            Scene.fill(buffer, op.number());
        }
    }

    Model.Op op() {
        return op;
    }

    End end() {
        return end;
    }

    MemorySegment buffer() {
        return buffer;
    }

    long id() {
        return id;
    }

    /** Whether its deadline ends it. */
    boolean expires() {
        return expiresAfterNs > 0;
    }

    /** The post returned: an id, a size, or a code. */
    void posted(long result) {
        id = result;
    }

    /** Somebody told the outcome; it must be the one that the model has. */
    void report(int error, long sizeBytes) {
        Expect.that(!reported, op + " is reported once");
        reported = true;
        Expect.that(
                error != ErrorCode.ETIMEDOUT.negativeValue()
                        || System.nanoTime() - begunNs >= expiresAfterNs,
                op + " does not end before its deadline");
        switch (op.state()) {
            case PENDING ->
                    Expect.that(
                            localSends
                                    && !op.receives()
                                    && error == 0
                                    && sizeBytes == op.sizeBytes(),
                            op + " ended with " + error + ", but nothing has ended it");
            case ABANDONED ->
                    Expect.that(isGone(error) && sizeBytes == 0, op + " ended with " + error);
            case DONE -> expectOutcome(error, sizeBytes);
        }
    }

    private static boolean isGone(int error) {
        ErrorCode code = error == 0 ? null : ErrorCode.of(error);
        return code == ErrorCode.EPIPE
                || code == ErrorCode.ECONNRESET
                || code == ErrorCode.EHOSTDOWN;
    }

    private void expectOutcome(int error, long sizeBytes) {
        if (error != op.error() || sizeBytes != op.movedBytes()) {
            throw new ConformanceFailure(
                    op + " was reported with " + sizeBytes + " error " + error);
        }
        if (op.receives()) {
            expectContents();
        }
    }

    /** The message in front, and what was in the buffer behind it. */
    private void expectContents() {
        byte[] expected = new byte[Math.toIntExact(buffer.byteSize())];
        Arrays.fill(expected, UNTOUCHED);
        MemorySegment memory = MemorySegment.ofArray(expected);
        if (op.error() == 0) {
            Scene.fill(memory.asSlice(0, op.movedBytes()), op.messageNumber());
        }
        if (op.error() != ErrorCode.EMSGSIZE.negativeValue()) {
            Expect.bytes(buffer, memory, "the buffer of " + op);
        }
    }

    @Override
    public String toString() {
        return op.toString();
    }
}
