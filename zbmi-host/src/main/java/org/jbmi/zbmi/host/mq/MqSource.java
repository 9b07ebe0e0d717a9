package org.jbmi.zbmi.host.mq;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.link.MessageSource;
import org.jbmi.zbmi.protocol.Message;

/**
 * Receives from a queue, without waiting. A sender that finds the queue full sets a word in the
 * segment and fences. It then looks at the queue again before it sleeps. The receiver reads the
 * word after half of a queue, and when the queue is empty.
 */
class MqSource implements MessageSource {
    private final MqEnd end;
    private final SharedMemory memory;
    private final long creditWantedOffset;
    private final long half;
    private long sinceCredit;
    private boolean isCreditDue;

    MqSource(MqEnd end, SharedMemory memory, long creditWantedOffset) {
        this.end = end;
        this.memory = memory;
        this.creditWantedOffset = creditWantedOffset;
        this.half = Math.max(1, end.depth() / 2);
    }

    @Override
    public int poll(Message into) {
        int result = end.receive(into, 0);
        if (result == RECEIVED && ++sinceCredit >= half) {
            lookForCredit();
        } else if (result == EMPTY && sinceCredit > 0) {
            lookForCredit();
        }
        return result;
    }

    private void lookForCredit() {
        sinceCredit = 0;
        memory.fullFence();
        if (memory.getIntPlain(creditWantedOffset) != 0) {
            memory.setIntPlain(creditWantedOffset, 0);
            isCreditDue = true;
        }
    }

    @Override
    public boolean hasMessage() {
        return end.queued() != 0;
    }

    @Override
    public boolean takeCreditDue() {
        boolean due = isCreditDue;
        isCreditDue = false;
        return due;
    }
}
