package org.jbmi.zbmi.link;

import org.jbmi.spi.SpinLock;
import org.jbmi.zbmi.protocol.Message;

/**
 * The events of a {@link PeerChannel} for its owner. One thread at a time calls these, under the
 * channel's own lock. Return quickly and do not wait. Of the channel call only {@link
 * ClientLink#claim}, {@link ClientLink#readDataSlot}, {@link ClientLink#releaseDataSlot}, {@link
 * ClientLink#recallEager}, {@link ClientLink#withdrawEager} and {@link
 * ClientLink#releaseEagerSlot}.
 */
public interface PeerEvents extends PeerLine.Events {
    /**
     * A message that is not the reply to a call whose thread waits.
     *
     * @param message valid during this call only
     */
    void onEvent(Message message);

    /**
     * The lock by which the threads of the owner are one producer: one that its posts take anyway,
     * so that {@link ClientLink#tryNote} needs no further one. Held while {@code tryNote} is
     * called, and free while anything else is sent.
     *
     * @return the same for the life of the channel
     */
    default SpinLock sendLock() {
        return new SpinLock();
    }

    /**
     * Counted sends were accepted, the oldest ones of which nothing else was said: see {@link
     * org.jbmi.zbmi.protocol.ClientEvents#ACCEPTED}.
     *
     * @param count how many, not 0; any number, since it was read from shared memory
     * @return false if there are not so many
     */
    default boolean onAccepted(int count) {
        return false;
    }
}
