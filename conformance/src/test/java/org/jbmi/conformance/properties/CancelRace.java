package org.jbmi.conformance.properties;

import org.jbmi.CancelOutcome;
import org.jbmi.ErrorCode;
import org.jbmi.testsuite.End;
import org.jbmi.testsuite.Expect;
import org.jbmi.testsuite.Posted;
import org.jbmi.testsuite.Scene;
import org.jbmi.testsuite.model.Stage;
import org.jbmi.testsuite.model.Way;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;

/** One operation is cancelled while its partner comes. */
final class CancelRace {
    private static final byte BLANK = 0x33;
    private static final int ECANCEL = ErrorCode.ECANCEL.negativeValue();

    private final Stage stage;
    private final End sender;
    private final End receiver;
    private final int tag;
    private final int sizeBytes;

    CancelRace(Stage stage, Way way, int sizeBytes) {
        this.stage = stage;
        this.sender = stage.end(way, false);
        this.receiver = stage.end(way, true);
        this.tag = way.tag();
        this.sizeBytes = sizeBytes;
    }

    void run(int cancelAfterUs, boolean cancelsReceive) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment out = arena.allocate(sizeBytes + 1).asSlice(0, sizeBytes);
            Scene.fill(out, sizeBytes);
            MemorySegment in = arena.allocate(sizeBytes + 1).asSlice(0, sizeBytes);
            in.fill(BLANK);
            End end = cancelsReceive ? receiver : sender;
            Posted first = cancelsReceive ? receiver.receive(in, tag) : sender.send(out, tag);
            // A thread of its own: others may keep those of a pool busy.
            CompletableFuture<CancelOutcome> cancel =
                    CompletableFuture.supplyAsync(
                            () -> cancel(end, first, cancelAfterUs), Thread::startVirtualThread);
            Posted second = cancelsReceive ? sender.send(out, tag) : receiver.receive(in, tag);
            Posted.finish(first);
            first.agreesWith(cancel.join());
            if (first.error() == 0) {
                Posted.finish(second);
                second.succeeds(sizeBytes);
                first.succeeds(sizeBytes);
                Expect.bytes(in, out, "what was received");
            } else {
                Expect.equal(first.error(), ECANCEL, "the code of the one that lost");
                lost(arena, cancelsReceive, second, out, in);
            }
        }
    }

    private static CancelOutcome cancel(End end, Posted first, int afterUs) {
        long endNs = System.nanoTime() + afterUs * 1000L;
        while (System.nanoTime() - endNs < 0) {
            Thread.onSpinWait();
        }
        return first.wasPending()
                ? end.context().cancel(first.result())
                : CancelOutcome.ALREADY_DONE;
    }

    /** The cancel won: the partner is as if nobody had been there, and can still be served. */
    private void lost(
            Arena arena, boolean receiveLost, Posted partner, MemorySegment out, MemorySegment in) {
        MemorySegment rest = arena.allocate(sizeBytes + 1).asSlice(0, sizeBytes);
        Posted other = receiveLost ? receiver.receive(rest, tag) : sender.send(out, tag);
        // On a method with local sends a message that was under way is drained into nothing.
        boolean mayBeDrained = receiveLost && stage.sendsAreLocal();
        if (mayBeDrained && !other.isDone(50)) {
            receiver.context().cancel(other.result());
            Posted.finish(other, partner);
            if (other.error() != 0) {
                other.fails(ErrorCode.ECANCEL);
                partner.succeeds(sizeBytes);
                return;
            }
        }
        Posted.finish(other, partner);
        other.succeeds(sizeBytes);
        partner.succeeds(sizeBytes);
        Expect.bytes(receiveLost ? rest : in, out, "what was received after the cancel");
        if (receiveLost) {
            rest.fill(BLANK);
            Expect.bytes(in, rest, "the buffer of the cancelled receive");
        }
    }
}
