package org.jbmi.zbmi.channel;

import org.jbmi.zbmi.link.PeerChannel;
import org.jbmi.zbmi.protocol.Welcome;

/**
 * The server process's way to the engine: posts, cancels and frees go over it, completions and
 * unexpected messages come back. Payload does not; it lies in the segment. How the messages travel
 * is the implementation's: {@code ring} through lanes in the segment.
 *
 * <p>Any number of threads may call at a time, and replies never cross.
 */
public interface CommandChannel extends PeerChannel {
    /**
     * What the daemon said at the start: limits and geometry.
     *
     * @return constant
     */
    Welcome welcome();
}
