package org.jbmi.tcp.settings;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.config.Configuration;
import org.jbmi.spi.MethodLimits;
import org.jbmi.tcp.memory.PeerMemory;
import org.jbmi.tcp.wire.Dialect;
import org.jbmi.tcp.wire.WireMode;

/** The values of the knobs, read once; the few that options change are volatile. */
public final class TcpSettings {
    private static final long NS_PER_MS = 1_000_000;

    /**
     * The send buffer for peers of this host. It is bounded, since the bytes that a sleeping sender
     * leaves in the socket are sent by another processor, out of order.
     */
    public static final int NEAR_SEND_BUFFER_BYTES = 512 << 10;

    private static final int MIN_BATCHES = 16;
    private static final int MAX_BATCHES_BYTES = 32 << 20;

    public final Dialect dialect;
    public final String zone;
    public final String identity;
    public final MethodLimits limits;

    /** A C peer keeps to the protocol's limits, whatever ours are. */
    public final long takenExpectedBytes;

    public final long takenUnexpectedBytes;
    public final int readBytes;
    public final int batchBytes;

    /** How many batch buffers of that size all connections have. */
    public final int maxBatches;

    public final long maxRestBytes;
    public final int maxConnections;
    public final long headerTimeoutNs;
    public final long stallTimeoutNs;
    public final long connectTimeoutNs;
    public final long closeFlushNs;
    public final long earlyLingerNs;
    public final long readRestNs;
    public final long writeRestNs;
    public final boolean bindSpecific;
    public final boolean keepAlive;
    public final boolean verifyServers;

    public volatile int sendBufferBytes;
    public volatile int receiveBufferBytes;
    public volatile boolean forcefulCancel;

    public TcpSettings(Configuration knobs) {
        dialect = Dialect.ofLabel(knobs.get(TcpKnobs.DIALECT));
        zone = knobs.get(TcpKnobs.ZONE);
        identity = knobs.get(TcpKnobs.IDENTITY);
        limits = TcpKnobs.limits(knobs);
        takenExpectedBytes = Math.max(limits.maxExpectedBytes(), WireMode.EXPECTED_BYTES);
        takenUnexpectedBytes = Math.max(limits.maxUnexpectedBytes(), WireMode.UNEXPECTED_BYTES);
        checkUnexpected(takenUnexpectedBytes, knobs.get(TcpKnobs.UNEXPECTED_BYTES));
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
        readRestNs = knobs.get(TcpKnobs.READ_REST_NS);
        writeRestNs = knobs.get(TcpKnobs.WRITE_REST_NS);
        bindSpecific = knobs.get(TcpKnobs.BIND_SPECIFIC);
        keepAlive = knobs.get(TcpKnobs.KEEP_ALIVE);
        verifyServers = knobs.get(TcpKnobs.VERIFY_SERVERS);
        sendBufferBytes = knobs.get(TcpKnobs.SEND_BUFFER_BYTES).intValue();
        receiveBufferBytes = knobs.get(TcpKnobs.RECEIVE_BUFFER_BYTES).intValue();
    }

    /** A message for which there is never room would stop its connection for ever. */
    private static void checkUnexpected(long messageBytes, long memoryBytes) {
        if (messageBytes > PeerMemory.usable(memoryBytes)) {
            throw new BmiException(
                    ErrorCode.EINVAL,
                    "A message of %s (%d) does not fit into the memory of %s (%d)."
                            .formatted(
                                    TcpKnobs.MAX_UNEXPECTED_BYTES.name(),
                                    messageBytes,
                                    TcpKnobs.UNEXPECTED_BYTES.name(),
                                    memoryBytes));
        }
    }
}
