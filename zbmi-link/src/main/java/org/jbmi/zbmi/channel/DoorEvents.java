package org.jbmi.zbmi.channel;

import org.jbmi.spi.Operation;
import org.jbmi.zbmi.link.PeerLine;
import org.jbmi.zbmi.protocol.ServerOutput;

/**
 * The events of an {@link EngineDoor} for its server: the engine's output, except for answers that
 * a call waits for. One thread at a time calls these, under a lock of the engine or the channel.
 * Return quickly and do not wait. Do not call the door. Of its line call only {@link
 * org.jbmi.zbmi.link.PeerLine#wake} and {@link org.jbmi.zbmi.link.PeerLine#end}.
 */
public interface DoorEvents extends ServerOutput, PeerLine.Events {
    /** A message of {@link EngineDoor#sendAtOnce} has gone. Called from within that call. */
    default void sentAtOnce() {}

    /**
     * A message of {@link EngineDoor#sendAtOnce} was given to a receive that its client may just
     * have cancelled, so its send is pending. It becomes a registered operation. Called from within
     * that call.
     *
     * @param operation as it was given to that call
     * @param zoidId the engine's name of it
     * @return the server's name of it; 0 or less if it cannot be registered
     */
    default long inDoubt(Operation operation, long zoidId) {
        return 0;
    }
}
