package org.jbmi.zbmi.engine.state;

import org.jbmi.zbmi.engine.port.EnginePayload;
import org.jbmi.zbmi.protocol.TagBits;

/**
 * On which tags sends of the server wait for a receive of one client, and the client's word in the
 * segment that shows it. A client that finds the bit of its tag clear posts a receive as a note,
 * since the answer could only be "registered". So the bit is set before the server's post is
 * answered, and cleared when the last such send of its tags has found a receive.
 */
public final class WaitingSends {
    private final int client;
    private final int[] queues = new int[TagBits.PLACES];
    private long bits;

    public WaitingSends(int client) {
        this.client = client;
    }

    public long bits() {
        return bits;
    }

    public int queues(int place) {
        return queues[place];
    }

    /** Updates the word after a queue to the client has changed. */
    public void update(MatchQueue queue, EnginePayload payload) {
        boolean isWaiting = queue.hasUnmatchedSend();
        if (queue.towardServer || queue.isShown == isWaiting) {
            return;
        }
        queue.isShown = isWaiting;
        int place = TagBits.place(queue.owner.tag);
        queues[place] += isWaiting ? 1 : -1;
        long bit = 1L << place;
        long now = queues[place] > 0 ? bits | bit : bits & ~bit;
        if (now != bits) {
            bits = now;
            payload.sendTags(client, now);
        }
    }
}
