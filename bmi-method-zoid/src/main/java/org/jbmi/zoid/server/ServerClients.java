package org.jbmi.zoid.server;

import org.jbmi.spi.MethodHost;
import org.jbmi.zoid.common.ZoidAddress;
import org.jspecify.annotations.Nullable;

import java.util.concurrent.atomic.AtomicReferenceArray;

/** The clients that the server knows: one record for each generation of each session. */
final class ServerClients {
    private final AtomicReferenceArray<@Nullable ZoidAddress> bySession;
    private final MethodHost host;
    private final Relays relays;

    /** Knows for which clients a gateway acts. */
    @FunctionalInterface
    interface Relays {
        /** Whether one acts for a client. */
        boolean has(int session, int generation);
    }

    /**
     * Knows none yet.
     *
     * @param relays asked at the first message of each client
     */
    ServerClients(int maxClients, MethodHost host, Relays relays) {
        this.bySession = new AtomicReferenceArray<>(maxClients + 1);
        this.host = host;
        this.relays = relays;
    }

    /** The record of a client; null if there is no such session. */
    @Nullable ZoidAddress of(int session, int generation) {
        if (session <= 0 || session >= bySession.length()) {
            return null;
        }
        ZoidAddress known = bySession.get(session);
        if (known != null && known.generation() == generation) {
            return known;
        }
        ZoidAddress fresh = ZoidAddress.client(session, generation);
        bySession.set(session, fresh);
        return fresh;
    }

    /** The sender of an unexpected message; null if there is no such session. */
    @Nullable ZoidAddress sender(int session, int generation) {
        ZoidAddress from = of(session, generation);
        if (from != null && !from.hasSent()) {
            // A gateway declares itself before its first message.
            from.sends(relays.has(session, generation));
        }
        return from;
    }

    /** A client has gone: posts to it are refused from now on. */
    void gone(int session, int generation, int code) {
        if (session <= 0 || session >= bySession.length()) {
            return;
        }
        ZoidAddress known = bySession.get(session);
        if (known != null && known.generation() == generation) {
            fail(known, code);
        }
    }

    /** All clients are unreachable: the session with the host is over. */
    void allGone(int code) {
        for (int i = 1; i < bySession.length(); i++) {
            ZoidAddress known = bySession.get(i);
            if (known != null) {
                fail(known, code);
            }
        }
    }

    private void fail(ZoidAddress address, int code) {
        if (address.failure() == 0) {
            address.failure(code);
            host.peerFailed(address, code);
        }
    }

    /** The core removed a record: the client, if it lives, gets a new one with its next message. */
    void dropped(ZoidAddress address) {
        bySession.compareAndSet(address.session(), address, null);
    }
}
