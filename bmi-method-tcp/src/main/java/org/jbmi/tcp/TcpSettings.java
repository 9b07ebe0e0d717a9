package org.jbmi.tcp;

import org.jbmi.config.Configuration;
import org.jbmi.spi.MethodLimits;
import org.jbmi.spi.WaitPolicy;
import org.jbmi.tcp.wire.Dialect;
import org.jbmi.tcp.wire.WireMode;

/** What the knobs say, read once; the few that options change are volatile. */
final class TcpSettings {
    private static final long NS_PER_MS = 1_000_000;

    /** What a sender leaves unsent while it sleeps is sent by others, out of order. */
    private static final int NEAR_BUFFER_BYTES = 512 << 10;

    /** One that does not sleep leaves nothing, and a message of 1 MiB is taken at once. */
    private static final int LOOKING_BUFFER_BYTES = 768 << 10;

    private static final int MIN_BATCHES = 16;
    private static final int MAX_BATCHES_BYTES = 32 << 20;

    final Dialect dialect;
    final String zone;
    final String identity;
    final MethodLimits limits;

    /** A C peer keeps to the protocol's limits, whatever ours are. */
    final long takenExpectedBytes;

    final long takenUnexpectedBytes;
    final int readBytes;
    final int batchBytes;

    /** How many places of that size there are for all connections. */
    final int maxBatches;

    final long maxRestBytes;
    final int maxConnections;
    final long headerTimeoutNs;
    final long stallTimeoutNs;
    final long connectTimeoutNs;
    final long closeFlushNs;
    final long earlyLingerNs;
    final boolean bindSpecific;
    final boolean keepAlive;
    final boolean verifyServers;

    /** The send buffer for peers of this host, where it is chosen by peer. */
    final int nearSendBufferBytes;

    volatile int sendBufferBytes;
    volatile int receiveBufferBytes;
    volatile boolean forcefulCancel;

    TcpSettings(Configuration knobs) {
        dialect = Dialect.ofLabel(knobs.get(TcpKnobs.DIALECT));
        zone = knobs.get(TcpKnobs.ZONE);
        identity = knobs.get(TcpKnobs.IDENTITY);
        limits = TcpKnobs.limits(knobs);
        takenExpectedBytes = Math.max(limits.maxExpectedBytes(), WireMode.EXPECTED_BYTES);
        takenUnexpectedBytes = Math.max(limits.maxUnexpectedBytes(), WireMode.UNEXPECTED_BYTES);
        readBytes = knobs.get(TcpKnobs.READ_BYTES).intValue();
        batchBytes = knobs.get(TcpKnobs.BATCH_BYTES).intValue();
        maxBatches = Math.max(MIN_BATCHES, MAX_BATCHES_BYTES / batchBytes);
        maxRestBytes = knobs.get(TcpKnobs.REST_BYTES);
        maxConnections = knobs.get(TcpKnobs.MAX_CONNECTIONS).intValue();
        headerTimeoutNs = knobs.get(TcpKnobs.HEADER_TIMEOUT_MS) * NS_PER_MS;
        stallTimeoutNs = knobs.get(TcpKnobs.STALL_TIMEOUT_MS) * NS_PER_MS;
        connectTimeoutNs = knobs.get(TcpKnobs.CONNECT_TIMEOUT_MS) * NS_PER_MS;
        closeFlushNs = knobs.get(TcpKnobs.CLOSE_FLUSH_MS) * NS_PER_MS;
        earlyLingerNs = knobs.get(TcpKnobs.EARLY_LINGER_MS) * NS_PER_MS;
        bindSpecific = knobs.get(TcpKnobs.BIND_SPECIFIC);
        keepAlive = knobs.get(TcpKnobs.KEEP_ALIVE);
        verifyServers = knobs.get(TcpKnobs.VERIFY_SERVERS);
        WaitPolicy.Mode mode = WaitPolicy.Mode.of(knobs.get(WaitPolicy.MODE));
        boolean looks = mode == WaitPolicy.Mode.SPIN || mode == WaitPolicy.Mode.YIELD;
        nearSendBufferBytes = looks ? LOOKING_BUFFER_BYTES : NEAR_BUFFER_BYTES;
        sendBufferBytes = knobs.get(TcpKnobs.SEND_BUFFER_BYTES).intValue();
        receiveBufferBytes = knobs.get(TcpKnobs.RECEIVE_BUFFER_BYTES).intValue();
    }
}
