package org.jbmi.zbmi.engine;

import org.jbmi.zbmi.protocol.TagBits;

/**
 * On which tags sends of the server wait for a receive of one client, and what its word in the
 * segment says of that. A client that finds the bit of its tag clear posts a receive without
 * waiting for an answer, which could only be that it is registered. So the bit is set before the
 * post that made it so is answered, and cleared when the last such send of its tags has found a
 * receive.
 */
final class WaitingSends {
    private final int client;
    private final int[] queues = new int[TagBits.PLACES];
    private long bits;

    WaitingSends(int client) {
        this.client = client;
    }

    long bits() {
        return bits;
    }

    int queues(int place) {
        return queues[place];
    }

    /** After a queue toward the client has changed. */
    void update(MatchQueue queue, EnginePayload payload) {
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
