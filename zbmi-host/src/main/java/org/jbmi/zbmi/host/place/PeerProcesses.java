package org.jbmi.zbmi.host.place;

import jdk.net.ExtendedSocketOptions;

import org.jbmi.mempool.Liveness;
import org.jbmi.mempool.os.SocketPeers;
import org.jbmi.zbmi.protocol.handshake.Hello;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.attribute.UserPrincipal;

/** What a host checks of the processes at the other ends of its sockets. For one thread. */
public final class PeerProcesses {
    private final UserPrincipal user;
    private final Liveness liveness;
    private final SocketPeers socketPeers = new SocketPeers();

    /** Checks processes. */
    public PeerProcesses(UserPrincipal user, Liveness liveness) {
        this.user = user;
        this.liveness = liveness;
    }

    /**
     * Whether the user of a peer's process is served.
     *
     * @return null if so; otherwise why not, a sentence
     * @throws IOException if the system does not tell the user
     */
    public @Nullable String refusalOf(SocketChannel channel) throws IOException {
        UserPrincipal peer = channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user();
        if (peer.equals(user)) {
            return null;
        }
        return "This host serves the user %s alone, not %s: run both as one user."
                .formatted(user.getName(), peer.getName());
    }

    /**
     * Checks the process that a hello names. The end of this process frees the session, so the
     * system's pid counts and not the peer's.
     *
     * @return null if it is the right one; otherwise what is wrong, a sentence
     * @throws IOException if the system does not tell the process
     */
    public @Nullable String lieIn(Hello hello, SocketChannel channel) throws IOException {
        long process = socketPeers.processOf(channel);
        if (process == SocketPeers.UNKNOWN) {
            return "The process of the peer cannot be seen from here: it is in another process"
                    + " namespace.";
        }
        if (process != hello.pid()) {
            return "The hello names another process than the one at the other end of the socket.";
        }
        return liveness.isAlive(process, hello.processStartMs())
                ? null
                : "The process named in the hello is not there.";
    }

    /**
     * A hello without a start time gets the start time that this host sees. So the host does not
     * take a later process with the same id for the peer.
     *
     * @param hello of the peer, without a {@link #lieIn lie}
     * @return the same with the start time, if that can be seen
     */
    public Hello withStart(Hello hello) {
        if (hello.processStartMs() != Liveness.START_UNKNOWN) {
            return hello;
        }
        long startMs = liveness.startTimeMs(hello.pid());
        return new Hello(hello.role(), hello.pid(), startMs, hello.transport());
    }
}
