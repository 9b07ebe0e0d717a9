package org.jbmi.zbmi.host.place;

import org.jbmi.BmiException;
import org.jbmi.mempool.NanoClock;
import org.jbmi.observe.CountersReader;
import org.jbmi.zbmi.attach.Inquiry;
import org.jbmi.zbmi.attach.RuntimeDirectory;
import org.jbmi.zbmi.protocol.handshake.AskOperations;
import org.jbmi.zbmi.protocol.handshake.HandshakeFrame;
import org.jbmi.zbmi.protocol.handshake.OperationsPage;
import org.jbmi.zbmi.protocol.handshake.Redirect;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Where the engine of a runtime directory runs now, seen from another process.
 *
 * @param kind which host is in use
 * @param hostPid the process that holds the directory, a daemon's or an embedded server's; 0 if
 *     there is none
 * @param serverPid the server's process; 0 if there is none or it is not known
 */
public record HostInUse(Kind kind, long hostPid, long serverPid) {
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(2);

    /** Which host is in use. */
    public enum Kind {
        /** No process serves the directory. */
        NONE,
        /** A server hosts the engine, without a daemon. */
        EMBEDDED,
        /** A server hosts the engine, in memory that a daemon lends. */
        DIRECT,
        /** A daemon hosts the engine, with or without a server. */
        DAEMON,
        /** A process holds the directory and does not answer. */
        SILENT
    }

    private static final HostInUse NOBODY = new HostInUse(Kind.NONE, 0, 0);

    /**
     * Whether a process serves a directory, whether it answers or not.
     *
     * @return false if none does
     * @throws BmiException if the directory is not to be trusted, or cannot be read
     */
    public static boolean isServed(RuntimeDirectory directory) {
        return directory.check() && HostLock.isTaken(directory);
    }

    /**
     * Reads the present state.
     *
     * @throws BmiException if the directory is not to be trusted, or cannot be read
     */
    public static HostInUse of(RuntimeDirectory directory) {
        if (!directory.check()) {
            return NOBODY;
        }
        if (!HostLock.isTaken(directory)) {
            return NOBODY;
        }
        long holderPid = HostLock.readPid(directory.pid());
        try {
            return ask(directory, holderPid);
        } catch (BmiException e) {
            System.getLogger(HostInUse.class.getName())
                    .log(System.Logger.Level.DEBUG, "no answer", e);
            return new HostInUse(Kind.SILENT, holderPid, 0);
        }
    }

    private static HostInUse ask(RuntimeDirectory directory, long hostPid) {
        HandshakeFrame answer = answerOf(directory.socket());
        if (answer instanceof Redirect redirect) {
            HandshakeFrame server = answerOf(Path.of(redirect.socketPath()));
            return new HostInUse(Kind.DIRECT, hostPid, serverPid(server));
        }
        Kind kind = isServers(directory) ? Kind.EMBEDDED : Kind.DAEMON;
        return new HostInUse(kind, hostPid, serverPid(answer));
    }

    private static HandshakeFrame answerOf(Path socket) {
        try (Inquiry inquiry = Inquiry.connect(socket, NanoClock.SYSTEM, TIMEOUT_NS)) {
            return inquiry.ask(new AskOperations(0));
        }
    }

    private static long serverPid(HandshakeFrame answer) {
        return answer instanceof OperationsPage page ? page.serverPid() : 0;
    }

    private static boolean isServers(RuntimeDirectory directory) {
        try (CountersReader reader = CountersReader.open(directory.counters())) {
            return reader.read().stream()
                    .anyMatch(r -> r.spec().label().equals(HostCounters.DIRECT) && r.value() != 0);
        }
    }

    /**
     * The same in words.
     *
     * @return without a full stop, to follow the name of the directory
     */
    public String words() {
        return switch (kind) {
            case NONE -> "nobody serves it";
            case EMBEDDED -> "a server without a daemon hosts the engine (process " + hostPid + ")";
            case DIRECT ->
                    "the server hosts the engine (process %d), in memory of the daemon (process %d)"
                            .formatted(serverPid, hostPid);
            case DAEMON ->
                    "the daemon hosts the engine (process %d), %s"
                            .formatted(
                                    hostPid,
                                    serverPid == 0
                                            ? "and there is no server"
                                            : "and the server is process " + serverPid);
            case SILENT ->
                    (hostPid == 0 ? "somebody" : "process " + hostPid)
                            + " holds it and does not answer";
        };
    }
}
