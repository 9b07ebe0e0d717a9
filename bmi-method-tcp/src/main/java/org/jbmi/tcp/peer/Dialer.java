package org.jbmi.tcp.peer;

import org.jbmi.ErrorCode;
import org.jbmi.tcp.io.Sockets;
import org.jbmi.tcp.io.SystemErrors;
import org.jbmi.tcp.settings.TcpCodes;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.ArrayList;
import java.util.List;

/**
 * Connects to peers when there is something to send: resolves the name of a peer, and tries one
 * address after the other without blocking.
 */
final class Dialer {
    private final TcpState state;
    private final Endings endings;
    private final Sockets sockets;
    private final Names names;
    private final Writer writer;

    Dialer(TcpState state, Endings endings, Sockets sockets, Writer writer, Names names) {
        this.state = state;
        this.endings = endings;
        this.sockets = sockets;
        this.writer = writer;
        this.names = names;
    }

    /**
     * Registers an attempt to connect to a peer; under the lock. From here on {@link #abandon} can
     * end it.
     */
    Dial begin(TcpPeer peer) {
        Dial dial = new Dial(peer);
        dial.deadlineNs = System.nanoTime() + state.settings.connectTimeoutNs;
        state.dials.add(dial);
        peer.dialing = true;
        state.beginsTime();
        return dial;
    }

    /** Begins to connect. Whatever fails here, the sends that wait for it get an outcome. */
    void start(Dial dial) {
        try {
            resolve(dial);
        } catch (RuntimeException | Error e) {
            fail(dial, Endings.codeOf(e));
        }
    }

    private void resolve(Dial dial) {
        List<InetSocketAddress> literals = names.literals(dial.peer);
        if (literals != null) {
            resolved(dial, new Names.Found(literals, 0));
        } else if (!names.resolve(dial.peer, found -> resolvedLater(dial, found))) {
            fail(dial, TcpCodes.ETRYAGAIN);
        } else {
            state.host.wake(); // the lead checks its deadline from now on
        }
    }

    /** The same as {@link #resolved}, in a thread in which nobody else would end the attempt. */
    private void resolvedLater(Dial dial, Names.Found found) {
        try {
            resolved(dial, found);
        } catch (RuntimeException | Error e) {
            fail(dial, Endings.codeOf(e));
        }
    }

    private void resolved(Dial dial, Names.Found found) {
        synchronized (state.lock) {
            if (dial.over) {
                return; // it took too long, and its sends have ended
            }
            dial.error = found.error();
            dial.targets.addAll(found.targets());
        }
        tryNext(dial);
    }

    /** Tries the next address, or ends the attempt. */
    private void tryNext(Dial dial) {
        while (true) {
            InetSocketAddress target;
            synchronized (state.lock) {
                if (dial.over || state.closed) {
                    return;
                }
                target = dial.next < dial.targets.size() ? dial.targets.get(dial.next++) : null;
            }
            if (target == null) {
                fail(dial, 0);
                return;
            }
            if (connect(dial, target)) {
                return;
            }
        }
    }

    private boolean connect(Dial dial, InetSocketAddress target) {
        SocketChannel channel = null;
        try {
            state.interests.needMemory();
            channel = sockets.open();
            boolean now = channel.connect(target);
            Connection connection = new Connection(channel, dial.peer, false, target.getAddress());
            sockets.register(channel, connection);
            synchronized (state.lock) {
                if (dial.over || state.closed) {
                    state.interests.close(connection, channel);
                    return true;
                }
                connection.dial = dial;
                dial.current = connection;
                dial.deadlineNs = System.nanoTime() + state.settings.connectTimeoutNs;
                dial.peer.out = connection;
                dial.peer.connections.add(connection);
                state.connections.add(connection);
                state.counters.connections.add(1);
                if (!now) {
                    state.interests.want(connection, SelectionKey.OP_CONNECT);
                }
            }
            if (now) {
                connected(connection);
            }
            state.host.wake();
            return true;
        } catch (BindException e) {
            // A source port may be bound although the same two ports are connected already.
            int tried = dial.portsTried + 1;
            failed(dial, channel, SystemErrors.codeOf(e, ErrorCode.EIO).negativeValue());
            synchronized (state.lock) {
                if (channel != null && tried < sockets.sourcePorts()) {
                    dial.portsTried = tried;
                    dial.next--; // the same address from another port
                }
            }
            return false;
        } catch (IOException | UnresolvedAddressException | UnsupportedAddressTypeException e) {
            // Without a socket the cause is a lack of descriptors or of memory, whatever the text.
            ErrorCode otherwise = channel == null ? ErrorCode.EMFILE : ErrorCode.EIO;
            failed(dial, channel, SystemErrors.codeOf(e, otherwise).negativeValue());
            return false;
        } catch (RuntimeException | Error e) {
            failed(dial, channel, Endings.codeOf(e));
            return false;
        }
    }

    /** An address cannot be used. */
    private void failed(Dial dial, @Nullable SocketChannel channel, int code) {
        Connection connection;
        synchronized (state.lock) {
            dial.error = code;
            dial.portsTried = 0;
            connection = dial.current;
            if (connection != null) {
                leaveAddress(dial, connection, code);
            }
        }
        if (connection == null) {
            Sockets.closeQuietly(channel);
        } else {
            state.interests.close(connection, connection.channel);
        }
    }

    /** The selector reports the end of a connection attempt. */
    void connectable(Connection connection) {
        Dial dial = connection.dial;
        if (dial == null || connection.ended) {
            return;
        }
        try {
            if (connection.channel.finishConnect()) {
                state.interests.unwant(connection, SelectionKey.OP_CONNECT);
                connected(connection);
            }
        } catch (IOException e) {
            int code = SystemErrors.codeOf(e, ErrorCode.ECONNREFUSED).negativeValue();
            failedLater(dial, connection, code);
        } catch (RuntimeException | Error e) {
            failedLater(dial, connection, Endings.codeOf(e));
        }
    }

    private void failedLater(Dial dial, Connection connection, int code) {
        synchronized (state.lock) {
            leaveAddress(dial, connection, code);
        }
        state.interests.close(connection, connection.channel);
        tryNext(dial);
    }

    /** Detaches the connection of an attempt that goes on or ends; under the lock. */
    @SuppressWarnings("ReferenceEquality") // this very connection
    private void leaveAddress(Dial dial, Connection connection, int code) {
        if (dial.over || dial.current != connection) {
            return; // it is connected, or another thread has ended the attempt
        }
        dial.error = code;
        dial.portsTried = 0;
        dial.current = null;
        connection.endCode = code;
        connection.ended = true;
        state.connections.remove(connection);
        state.counters.connections.add(-1);
        dial.peer.connections.remove(connection);
        if (dial.peer.out == connection) {
            dial.peer.out = null;
        }
    }

    private void connected(Connection connection) {
        boolean isSmall = sockets.connected(connection.channel);
        TcpPeer peer = connection.peer;
        synchronized (state.lock) {
            Dial dial = connection.dial;
            if (dial == null || dial.over || connection.ended) {
                return; // it was ended at this moment
            }
            state.interests.want(connection, SelectionKey.OP_READ);
            dial.over = true;
            dial.current = null;
            state.dials.remove(dial);
            connection.dial = null;
            connection.established = true;
            connection.writing = true;
            connection.outgoing.hasSmallBuffer = isSmall;
            connection.outgoing.lastWriteNs = System.nanoTime();
            peer.dialing = false;
            peer.remote = connection.remote;
        }
        writer.pump(connection);
    }

    private void fail(Dial dial, int code) {
        synchronized (state.lock) {
            dial.error = code == 0 ? dial.error : code;
            giveUp(dial);
        }
    }

    /** Ends an attempt and the sends that wait for it; under the lock. */
    private void giveUp(Dial dial) {
        if (!dial.over) {
            dial.over = true;
            state.dials.remove(dial);
            TcpPeer peer = dial.peer;
            peer.dialing = false;
            int code = dial.error == 0 ? TcpCodes.EADDRNTFD : dial.error;
            state.completeAll(peer.sends, code);
            endings.dialFailed(peer, code);
        }
    }

    /** Ends attempts that take too long; called by the lead. Returns whether there was any. */
    boolean checkDeadlines(long nowNs) {
        List<Dial> late;
        List<Connection> connecting;
        synchronized (state.lock) {
            if (state.dials.isEmpty()) {
                return false;
            }
            late = new ArrayList<>();
            connecting = new ArrayList<>();
            for (Dial dial : state.dials) {
                if (nowNs - dial.deadlineNs >= 0) {
                    late.add(dial);
                    if (dial.current != null) {
                        connecting.add(dial.current);
                    }
                }
            }
        }
        connecting.forEach(this::connectable); // the program may have made no test call since
        for (Dial dial : late) {
            Connection connection;
            synchronized (state.lock) {
                if (nowNs - dial.deadlineNs < 0) {
                    continue; // the next address has its own time
                }
                connection = dial.current;
                if (connection != null) {
                    leaveAddress(dial, connection, TcpCodes.ETIMEDOUT);
                } else {
                    dial.error = TcpCodes.ETRYAGAIN;
                    giveUp(dial);
                }
            }
            if (connection != null && connection.ended) {
                state.interests.close(connection, connection.channel);
                tryNext(dial);
            }
        }
        return true;
    }

    /** The attempt of a peer, which has one at most; under the lock. */
    @Nullable Dial dialOf(TcpPeer peer) {
        for (int i = 0; i < state.dials.size(); i++) {
            if (state.dials.get(i).peer == peer) {
                return state.dials.get(i);
            }
        }
        return null;
    }

    /** Ends an attempt and closes its socket, whatever fails; allocates nothing itself. */
    void abandon(Dial dial, int code) {
        Connection connection = null;
        try {
            synchronized (state.lock) {
                if (!dial.over) {
                    connection = dial.current;
                    if (connection != null) {
                        leaveAddress(dial, connection, code);
                    }
                    dial.error = code;
                    giveUp(dial);
                }
            }
        } finally {
            if (connection != null) {
                state.interests.close(connection, connection.channel);
            }
        }
    }
}
