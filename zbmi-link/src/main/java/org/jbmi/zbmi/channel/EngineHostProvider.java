package org.jbmi.zbmi.channel;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.config.Configuration;
import org.jbmi.config.Knob;
import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.attach.RuntimeDirectory;

import java.util.List;

/**
 * Hosts an engine in the process of its server. Found by {@link java.util.ServiceLoader}. A process
 * without an engine, such as a client, does not need the module that implements this.
 */
public interface EngineHostProvider {
    /**
     * The knobs of the engine and its host.
     *
     * @return an immutable list
     */
    List<Knob<?>> knobs();

    /**
     * Hosts an engine without any daemon: takes the runtime directory, makes the segment, and
     * listens.
     *
     * @param directory where clients look
     * @param configuration holds {@link #knobs} among others
     * @return to be opened once
     * @throws BmiException with {@link ErrorCode#EBUSY} if another process serves the directory, or
     *     another code if anything cannot be made; nothing is left behind
     */
    ServerAttachment embedded(RuntimeDirectory directory, Configuration configuration);

    /**
     * Hosts an engine in memory that a daemon lends; the daemon sends clients here.
     *
     * @param directory where clients look
     * @param configuration holds {@link #knobs} among others
     * @param daemon a session that was asked for with {@link
     *     org.jbmi.zbmi.protocol.handshake.HostKind#DIRECT}; owned from now on
     * @return to be opened once
     * @throws BmiException if it cannot listen
     */
    ServerAttachment lent(
            RuntimeDirectory directory, Configuration configuration, PeerAttachment daemon);
}
