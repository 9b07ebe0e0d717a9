package org.jbmi.loopback;

import org.jbmi.spi.IntrusiveList;
import org.jbmi.spi.LinkedNode;
import org.jbmi.spi.Operation;

/**
 * A receiver's record of one sender of unexpected messages, which may stand in the receiver's
 * round; guarded by the receiver's inbox.
 */
final class UnexpectedSender extends LinkedNode {
    private final LoopbackMethod receiver;
    private final LoopbackMethod member;
    private LoopbackAddress record;

    /** Messages that found no room, in order. */
    final IntrusiveList<Operation> waiting = new IntrusiveList<>();

    /** How much of the receiver's memory this sender's messages occupy. */
    long heldBytes;

    UnexpectedSender(LoopbackMethod receiver, LoopbackMethod member, LoopbackAddress record) {
        this.receiver = receiver;
        this.member = member;
        this.record = record;
    }

    LoopbackMethod receiver() {
        return receiver;
    }

    LoopbackMethod member() {
        return member;
    }

    /**
     * The receiver's record of this sender. The program may have dropped its handle and looked the
     * name up again, which gives another record.
     */
    LoopbackAddress record() {
        if (record.handle() == null) {
            record = receiver.recordOf(member);
        }
        return record;
    }
}
