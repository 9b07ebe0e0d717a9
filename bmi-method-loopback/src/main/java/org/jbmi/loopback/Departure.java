package org.jbmi.loopback;

import org.jbmi.ErrorCode;
import org.jbmi.spi.IntrusiveQueue;
import org.jbmi.spi.Operation;

import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Ends the operations that a member leaves behind when it closes. Made with the member, since the
 * heap may be full at its close. Only the closing thread uses it.
 */
final class Departure {
    private static final int EPIPE = ErrorCode.EPIPE.negativeValue();
    private static final int ECANCEL = ErrorCode.ECANCEL.negativeValue();

    private final LoopbackMethod member;
    private final IntrusiveQueue<Operation> gone = new IntrusiveQueue<>();

    /** Chooses the operations that wait in the member's own inbox. */
    final Predicate<Operation> all = operation -> true;

    /** Chooses the operations in another's inbox: the member's, and those that wait for it. */
    final Predicate<Operation> ofMember;

    /** Takes an operation, which stands in no list any more; under the lock of its inbox. */
    final Consumer<Operation> taker;

    Departure(LoopbackMethod member) {
        this.member = member;
        ofMember = operation -> operation.word0() == member.number();
        taker =
                operation -> {
                    Inbox.grant(operation, Inbox.memberOf(operation));
                    gone.addLast(operation);
                };
    }

    /** Reports the outcomes of what was taken, without a lock. */
    void complete() {
        for (Operation operation = gone.poll(); operation != null; operation = gone.poll()) {
            LoopbackMethod itsMember = Inbox.memberOf(operation);
            itsMember.completeGranted(operation, itsMember == member ? ECANCEL : EPIPE, 0);
        }
    }
}
