package org.jbmi.zbmi.channel;

import org.jbmi.zbmi.link.PeerChannel;
import org.jbmi.zbmi.protocol.handshake.Welcome;

/**
 * The server process's messages with the engine: posts, cancels and frees go out, completions and
 * unexpected messages come back. Payload lies in the segment. The implementation decides how
 * messages travel: {@code ring} uses lanes in the segment.
 *
 * <p>Any number of threads may call at a time; each gets its own reply.
 */
public interface CommandChannel extends PeerChannel {
    /**
     * The host's welcome: limits and geometry.
     *
     * @return constant
     */
    Welcome welcome();
}
