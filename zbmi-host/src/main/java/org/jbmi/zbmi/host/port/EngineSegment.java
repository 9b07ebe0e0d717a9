package org.jbmi.zbmi.host.port;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.mempool.Waiting;
import org.jbmi.zbmi.link.PeerSleep;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zbmi.protocol.SessionArea;

/** The segment as the process of the engine maps it. */
public record EngineSegment(SharedMemory memory, SegmentMap map, Waiting waiting) {
    /**
     * Appends bytes of the segment to a message, the last word of them filled up with zeros.
     *
     * @param offset of the first, a multiple of 8
     * @param bytes how many; the message has room for them
     */
    public void readWords(long offset, long bytes, Message into) {
        int words = (int) (bytes / Long.BYTES);
        into.appendWords(memory, offset, words);
        long done = (long) words * Long.BYTES;
        if (done < bytes) {
            long mask = (1L << ((bytes - done) * Byte.SIZE)) - 1;
            into.put(memory.getLongPlain(offset + done) & mask);
        }
    }

    /** Does {@link #tellEnd} for every session. Any thread may call this. */
    public void tellEnds() {
        for (int session = 0; session <= map.maxClients(); session++) {
            tellEnd(session);
        }
    }

    /**
     * Wakes a peer that sleeps on its word, and so does not see that its socket is closed.
     *
     * @param session whose socket the host has closed
     */
    public void tellEnd(int session) {
        SessionArea area = map.session(session);
        memory.setIntVolatile(area.endedOffset(), 1);
        PeerSleep.signal(memory, area.peerSleepWordOffset(), waiting);
    }
}
