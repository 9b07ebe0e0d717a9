package org.jbmi.zbmi.host.port;

import org.jbmi.mempool.DeadSegment;
import org.jbmi.zbmi.channel.CommandChannelProvider;

import java.nio.file.Path;

/**
 * Makes both ends of one kind of command channel. The host finds it by {@link
 * java.util.ServiceLoader} under this type, and the server under {@link CommandChannelProvider}. So
 * declare the class under both. {@link #name} chooses it.
 */
public interface CommandPortProvider extends CommandChannelProvider, PortOpener {
    /**
     * The same kind of channel with another setting for the files of delivered messages, if it has
     * any; used by {@link #host}.
     *
     * @param keep whether the files stay, also when the session is over, and are the user's then
     */
    default CommandPortProvider keepingFiles(boolean keep) {
        return this;
    }

    /**
     * Removes files and queues of a dead daemon's channels outside of its segment.
     *
     * @param dead whose owner has ended, and which is about to be removed
     */
    default void sweep(DeadSegment dead) {}

    /**
     * Removes the files of channels whose segment is gone: a host may have ended in an orderly way
     * before it had removed them.
     *
     * @param prefix with which the names of segments start
     */
    default void sweep(Path segmentDirectory, String prefix) {}
}
