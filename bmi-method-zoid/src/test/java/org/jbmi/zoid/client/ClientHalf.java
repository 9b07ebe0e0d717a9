package org.jbmi.zoid.client;

import org.jbmi.mempool.NanoClock;
import org.jbmi.mempool.pool.PinnedPool;
import org.jbmi.observe.Counters;
import org.jbmi.spi.MethodHost;
import org.jbmi.spi.MethodLimits;
import org.jbmi.spi.SpinLock;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zoid.common.SessionGuard;

/** The operations of a client whose link and host are those of a test. No session is behind it. */
final class ClientHalf {
    private static final long LONGEST_BYTES = 1 << 20;
    private static final long LONGEST_UNEXPECTED_BYTES = 1000;
    private static final int LONGEST_LIST = 16;

    final Counters registry = Counters.inMemory();
    final SpinLock lock = new SpinLock();
    final SessionGuard guard = new SessionGuard(lock);
    final ClientOperations operations;

    ClientHalf(MethodHost host, ClientLink link, int eagerBytes, NanoClock clock) {
        this(host, link, eagerBytes, LONGEST_UNEXPECTED_BYTES, clock);
    }

    ClientHalf(
            MethodHost host,
            ClientLink link,
            int eagerBytes,
            long unexpectedBytes,
            NanoClock clock) {
        ClientCounters counters = new ClientCounters(registry, lock);
        MethodLimits limits =
                new MethodLimits(LONGEST_BYTES, unexpectedBytes, eagerBytes, LONGEST_LIST);
        operations =
                new ClientOperations(
                        host,
                        link,
                        guard,
                        counters,
                        new PinnedPool(null, 4096, false, change -> {}),
                        new ClientWait(link, clock, counters),
                        null,
                        limits,
                        1,
                        clock);
    }
}
