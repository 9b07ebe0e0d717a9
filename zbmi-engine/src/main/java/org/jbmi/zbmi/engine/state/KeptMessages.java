package org.jbmi.zbmi.engine.state;

import org.jbmi.zbmi.engine.port.EnginePayload;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.SessionArea;

/**
 * Counts the unexpected messages of one client whose sends are over, but which the engine cannot
 * accept yet: there is no memory, or older messages wait. The engine has their bytes, or they lie
 * in an eager slot that the client has lent. Also writes the word in the segment that tells the
 * client whether it may send more of them.
 *
 * <p>The client may send more while a server is attached and no message is kept. A client reads the
 * word when it puts such a message into its lane. The engine stores the word before it frees the
 * lane's slots of the messages that it reads next. So of a correct client the engine keeps little
 * more than a lane of messages, which is less than {@link ClientRequests#MOST_KEPT}. A client that
 * would need more than that breaks the protocol.
 */
public final class KeptMessages {
    private final int client;
    private int count;
    private int word;

    public KeptMessages(int client) {
        this.client = client;
    }

    public int count() {
        return count;
    }

    /** What the segment holds. */
    public int word() {
        return word;
    }

    public boolean hasRoom() {
        return count < ClientRequests.MOST_KEPT;
    }

    public void add() {
        count++;
    }

    public void remove() {
        count--;
    }

    /** The client is a new one, whose word is 0. */
    public void begin() {
        word = 0;
    }

    /**
     * Updates the word after a change.
     *
     * @param isServed whether the client is there, and a server
     */
    public void update(boolean isServed, EnginePayload payload) {
        int open = isServed ? SessionArea.KEEPS_ALL : 0;
        int now = count > 0 ? SessionArea.KEEPS_SOME : open;
        if (now != word) {
            word = now;
            payload.keeps(client, now);
        }
    }
}
