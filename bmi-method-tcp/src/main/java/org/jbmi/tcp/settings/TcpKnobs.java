package org.jbmi.tcp.settings;

import org.jbmi.config.Configuration;
import org.jbmi.config.Knob;
import org.jbmi.spi.MethodLimits;
import org.jbmi.tcp.wire.Dialect;
import org.jbmi.tcp.wire.WireMode;

import java.util.List;

/** The knobs of the method and what follows from them. */
public final class TcpKnobs {
    private static final long MAX_MESSAGE_BYTES = 1L << 30;
    private static final long DAY_MS = 86_400_000;
    private static final long MAX_REST_NS = 1_000_000;

    /** The size that is chosen by peer. */
    public static final int BY_PEER = -1;

    public static final Knob<String> DIALECT =
            Knob.choice(
                    "tcp.dialect",
                    List.of(Dialect.STANDALONE.label(), Dialect.ORANGEFS.label()),
                    "The header on the wire: that of the standalone C library, or of OrangeFS.");

    public static final Knob<String> IDENTITY =
            Knob.text(
                    "tcp.identity",
                    () -> "",
                    "The string whose hash a server sends; empty for the address it listens on.");

    public static final Knob<Boolean> BIND_SPECIFIC =
            Knob.flag(
                    "tcp.bindSpecific",
                    false,
                    "Whether a server listens only on the interface that its"
                            + " address names; otherwise on all, as the C library does.");

    public static final Knob<String> ZONE =
            Knob.text(
                    "tcp.zone",
                    () -> "",
                    "The zone whose elements of an address a look-up uses (tcp-ZONE://...);"
                            + " empty for all. A server's address is one element, of this zone.");

    public static final Knob<Long> MAX_EXPECTED_BYTES =
            Knob.bytes(
                    "tcp.maxExpectedBytes",
                    WireMode.EXPECTED_BYTES,
                    1,
                    MAX_MESSAGE_BYTES,
                    "The largest expected message of the tcp method; C programs take 16 MiB.");

    public static final Knob<Long> MAX_UNEXPECTED_BYTES =
            Knob.bytes(
                    "tcp.maxUnexpectedBytes",
                    WireMode.UNEXPECTED_BYTES,
                    1,
                    1 << 20,
                    "The largest unexpected message of the tcp method; C programs send 16 KiB.");

    public static final Knob<Long> UNEXPECTED_BYTES =
            Knob.bytes(
                    "tcp.unexpectedBytes",
                    16 << 20,
                    64 << 10,
                    8L << 30,
                    "The memory for unexpected messages until they are freed, at"
                            + " least as much as the largest of them. While it is full, tcp"
                            + " does not read connections with further unexpected messages.");

    public static final Knob<Long> UNEXPECTED_PEER_BYTES =
            Knob.bytes(
                    "tcp.unexpectedPeerBytes",
                    4 << 20,
                    4096,
                    8L << 30,
                    "How much of tcp.unexpectedBytes one peer may hold. Each connection to this"
                            + " instance is a peer of its own, and holds its messages until they"
                            + " are freed, also after its end.");

    public static final Knob<Long> EARLY_BYTES =
            Knob.bytes(
                    "tcp.earlyBytes",
                    64 << 20,
                    64 << 10,
                    8L << 30,
                    "The memory for expected messages that arrive before their"
                            + " receive. Each takes 512 bytes or more. While this memory is"
                            + " full, tcp does not read connections with further such"
                            + " messages.");

    public static final Knob<Long> EARLY_PEER_BYTES =
            Knob.bytes(
                    "tcp.earlyPeerBytes",
                    32 << 20,
                    4096,
                    8L << 30,
                    "How much of tcp.earlyBytes one peer may hold.");

    public static final Knob<Long> EARLY_LINGER_MS =
            Knob.millis(
                    "tcp.earlyLingerMs",
                    60_000,
                    0,
                    DAY_MS,
                    "How long at most tcp keeps complete messages of a peer for their receives"
                        + " after its connection has ended. It drops them sooner when it finds no"
                        + " memory for a message of another peer that holds less than its share."
                        + " Also how long tcp does not read a connection, for lack of memory,"
                        + " before it looks whether the peer has closed it.");

    public static final Knob<Long> POOL_BYTES =
            Knob.bytes(
                    "tcp.poolBytes",
                    64 << 20,
                    64 << 10,
                    64L << 30,
                    "The memory that the tcp method can allocate for programs.");

    public static final Knob<Long> READ_BYTES =
            Knob.bytes(
                    "tcp.readBytes",
                    256 << 10,
                    4096,
                    16 << 20,
                    "How many bytes tcp reads from a connection at a time.");

    public static final Knob<Long> AHEAD_BYTES =
            Knob.bytes(
                    "tcp.aheadBytes",
                    8 << 20,
                    0,
                    1L << 30,
                    "How many bytes tcp may read ahead, behind messages that wait for memory, all"
                        + " connections together; when they are used up, it reads nothing ahead.");

    public static final Knob<Long> BATCH_BYTES =
            Knob.bytes(
                    "tcp.batchBytes",
                    32 << 10,
                    1024,
                    1 << 20,
                    "How many bytes of small messages tcp gathers into one write.");

    public static final Knob<Long> REST_BYTES =
            Knob.bytes(
                    "tcp.restBytes",
                    32 << 20,
                    0,
                    8L << 30,
                    "The memory for the unsent rest of sends that are cancelled or expire while tcp"
                            + " writes them; without room tcp closes the connection. Small"
                            + " messages to peers that do not read may take half of it.");

    public static final Knob<Long> MAX_CONNECTIONS =
            Knob.number(
                    "tcp.maxConnections",
                    "connections",
                    16_384,
                    1,
                    1 << 20,
                    "The most open connections; outgoing ones count. At the limit a"
                            + " new connection takes the place of the oldest one that has sent"
                            + " no header for a second. If there is no such connection, tcp"
                            + " accepts no more.");

    public static final Knob<Long> HEADER_TIMEOUT_MS =
            Knob.millis(
                    "tcp.headerTimeoutMs",
                    10_000,
                    1,
                    DAY_MS,
                    "How long a header may be incomplete before tcp closes its connection.");

    public static final Knob<Long> STALL_TIMEOUT_MS =
            Knob.millis(
                    "tcp.stallTimeoutMs",
                    300_000,
                    0,
                    DAY_MS,
                    "How long a message under way may make no progress, in either direction, before"
                            + " tcp closes its connection; 0 for no limit.");

    public static final Knob<Long> CONNECT_TIMEOUT_MS =
            Knob.millis(
                    "tcp.connectTimeoutMs",
                    30_000,
                    1,
                    DAY_MS,
                    "How long the resolution of a name, and a connection to one"
                            + " address, may take.");

    public static final Knob<Long> CLOSE_FLUSH_MS =
            Knob.millis(
                    "tcp.closeFlushMs",
                    1_000,
                    0,
                    DAY_MS,
                    "How long a close waits for messages of which a part is sent.");

    public static final Knob<Long> SEND_BUFFER_BYTES =
            Knob.bytes(
                    "tcp.sendBufferBytes",
                    BY_PEER,
                    BY_PEER,
                    1 << 30,
                    "The send buffer of sockets. With -1 tcp chooses it by the peer. For a peer on"
                            + " another host it is the system's. For a peer on this host it is 64"
                            + " KiB, and 512 KiB from the first message of more than 16 KiB on. 0"
                            + " leaves the system's for all.");

    public static final Knob<Long> RECEIVE_BUFFER_BYTES =
            Knob.bytes(
                    "tcp.receiveBufferBytes",
                    BY_PEER,
                    BY_PEER,
                    1 << 30,
                    "The receive buffer of sockets. With -1 it is the system's,"
                            + " except for a peer of this host that sends more small messages"
                            + " than tcp reads from one peer in a turn. Such a peer gets 32"
                            + " KiB, and 1 MiB from its first message of 16 KiB or more on. 0"
                            + " leaves the system's for all.");

    public static final Knob<Long> READ_REST_NS =
            Knob.number(
                    "tcp.readRestNs",
                    "ns",
                    5_000,
                    0,
                    MAX_REST_NS,
                    "How long tcp does not read a connection after a read of less"
                            + " than 64 KiB of a large message. In this pause the peer can"
                            + " send more. 0 for no such pause.");

    public static final Knob<Long> WRITE_REST_NS =
            Knob.number(
                    "tcp.writeRestNs",
                    "ns",
                    0,
                    0,
                    MAX_REST_NS,
                    "How long a polling thread does not write to a connection after"
                            + " the system took only a part of a write; 0 for no such pause.");

    public static final Knob<Boolean> KEEP_ALIVE =
            Knob.flag(
                    "tcp.keepAlive",
                    false,
                    "Whether the system probes silent peers, so that a dead host is noticed.");

    public static final Knob<Boolean> VERIFY_SERVERS =
            Knob.flag(
                    "tcp.verifyServers",
                    true,
                    "Whether a connection that claims to be a server's must come"
                            + " from one of that server's addresses.");

    public static final Knob<String> TRUSTED =
            Knob.text(
                    "tcp.trusted",
                    () -> "",
                    "The networks and source ports that may connect, as in"
                            + " \"10.0.0.0/8 127.0.0.1 ports=1-1023\"; empty for all.");

    public static final Knob<String> SOURCE_PORTS =
            Knob.text(
                    "tcp.sourcePorts",
                    () -> "",
                    "The range of local ports for outgoing connections, as in \"600-1023\"; empty"
                            + " for any.");

    /** A list is gathered a few buffers at a time; the bound is there so that a post has an end. */
    private static final int MAX_LIST_COUNT = 1 << 16;

    private TcpKnobs() {}

    public static List<Knob<?>> all() {
        return List.of(
                DIALECT,
                IDENTITY,
                BIND_SPECIFIC,
                ZONE,
                MAX_EXPECTED_BYTES,
                MAX_UNEXPECTED_BYTES,
                UNEXPECTED_BYTES,
                UNEXPECTED_PEER_BYTES,
                EARLY_BYTES,
                EARLY_PEER_BYTES,
                EARLY_LINGER_MS,
                POOL_BYTES,
                READ_BYTES,
                AHEAD_BYTES,
                BATCH_BYTES,
                REST_BYTES,
                MAX_CONNECTIONS,
                HEADER_TIMEOUT_MS,
                STALL_TIMEOUT_MS,
                CONNECT_TIMEOUT_MS,
                CLOSE_FLUSH_MS,
                SEND_BUFFER_BYTES,
                RECEIVE_BUFFER_BYTES,
                READ_REST_NS,
                WRITE_REST_NS,
                KEEP_ALIVE,
                VERIFY_SERVERS,
                TRUSTED,
                SOURCE_PORTS);
    }

    public static MethodLimits limits(Configuration configuration) {
        return new MethodLimits(
                configuration.get(MAX_EXPECTED_BYTES),
                configuration.get(MAX_UNEXPECTED_BYTES),
                WireMode.EAGER_BYTES,
                MAX_LIST_COUNT);
    }
}
