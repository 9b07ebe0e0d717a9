package org.jbmi.zbmi.host;

import org.jbmi.zbmi.engine.Engine;
import org.jbmi.zbmi.protocol.handshake.Hello;
import org.jspecify.annotations.Nullable;

import java.nio.channels.SocketChannel;
import java.util.IdentityHashMap;

/**
 * A hosted engine whose owner replaces the thread that serves its peers' sockets, and says what
 * that thread would find.
 */
public abstract class SteppedEngine {
    private final IdentityHashMap<SocketChannel, Connection> connections = new IdentityHashMap<>();

    SteppedEngine() {}

    abstract boolean tell(SessionEvent event, Connection connection);

    /**
     * The engine itself.
     *
     * @return for inspection
     */
    public abstract Engine engine();

    /**
     * A peer has connected and introduced itself.
     *
     * @param socket by which it is known from now on
     * @param hello what it said
     * @return false if there is no room now: try again after a round
     */
    public final boolean greeted(SocketChannel socket, Hello hello) {
        Connection connection = new Connection(socket, 0);
        connection.hello(hello);
        connections.put(socket, connection);
        return tell(SessionEvent.ATTACH, connection);
    }

    /**
     * A peer's socket is closed.
     *
     * @param socket of the peer
     * @param clean whether it said goodbye
     * @return false if there is no room now: try again after a round
     */
    public final boolean hungUp(SocketChannel socket, boolean clean) {
        return tell(clean ? SessionEvent.GONE_CLEANLY : SessionEvent.GONE, known(socket));
    }

    /**
     * The process of a peer that went without a goodbye has ended, or the goodbye of a peer whose
     * session was ended has come.
     *
     * @param socket of the peer
     * @return false if there is no room now: try again after a round
     */
    public final boolean provedDead(SocketChannel socket) {
        return tell(SessionEvent.PROVED_DEAD, known(socket));
    }

    /**
     * The next goodbye of a peer is for a remote client that was lost, see {@link
     * org.jbmi.zbmi.protocol.handshake.Goodbye#isLost}.
     *
     * @param socket of the peer
     */
    public final void lost(SocketChannel socket) {
        known(socket).isLost(true);
    }

    private Connection known(SocketChannel socket) {
        @Nullable Connection connection = connections.get(socket);
        if (connection == null) {
            throw new IllegalArgumentException("a socket that never greeted");
        }
        return connection;
    }
}
