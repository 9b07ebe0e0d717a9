package org.jbmi.shipper;

import org.jbmi.config.Knob;
import org.jbmi.shipper.wire.Wire;

import java.util.List;

/**
 * The knobs of the shipper: set at the builders, by system property, or by environment variable.
 */
public final class ShipperKnobs {
    private static final long KIB = 1024;
    private static final long MIB = KIB * KIB;
    private static final long LONGEST_MS = 86_400_000;

    /** The first eight bits of all tags; the same on both sides. */
    public static final Knob<Long> TAG_PREFIX =
            Knob.number(
                    "shipper.tagPrefix",
                    "",
                    0x5b,
                    0,
                    255,
                    "The first eight bits of the shipper's tags, the same on both sides; a program"
                            + " uses others for its own messages.");

    /** The largest message that a client takes from a server. */
    public static final Knob<Long> INBOX_BYTES =
            Knob.bytes(
                    "shipper.inboxBytes",
                    4 * KIB,
                    Wire.LEAST_INBOX_BYTES,
                    Wire.MOST_INBOX_BYTES,
                    "Client: the largest message from a server; larger outputs are fetched by"
                            + " bulk.");

    /** How many calls a client lets be under way to one server. */
    public static final Knob<Long> MAX_CALLS =
            Knob.number(
                    "shipper.maxCalls",
                    "calls",
                    1024,
                    1,
                    65_536,
                    "Client: how many calls to one server may be under way; further ones"
                            + " are refused.");

    /** The deadline of a call that names none. */
    public static final Knob<Long> DEADLINE_MS =
            Knob.millis(
                    "shipper.deadlineMs",
                    60_000,
                    0,
                    LONGEST_MS,
                    "Client: the deadline of a call that names none; 0 for none.");

    /** How long a client waits for a server's welcome. */
    public static final Knob<Long> CONNECT_TIMEOUT_MS =
            Knob.millis(
                    "shipper.connectTimeoutMs",
                    10_000,
                    1,
                    LONGEST_MS,
                    "Client: how long the answer to the first message to a server" + " may take.");

    /** When the client's thread takes over. */
    public static final Knob<Long> LINGER_US =
            Knob.number(
                    "shipper.lingerUs",
                    "us",
                    2_000,
                    1,
                    1_000_000,
                    "Client: after this time without a waiting thread of the"
                            + " program, the client's own thread makes progress.");

    /** The largest input. */
    public static final Knob<Long> MAX_INPUT_BYTES =
            Knob.bytes(
                    "shipper.maxInputBytes",
                    64 * MIB,
                    KIB,
                    1024 * MIB,
                    "The largest input of a call, on either side.");

    /** The largest output. */
    public static final Knob<Long> MAX_OUTPUT_BYTES =
            Knob.bytes(
                    "shipper.maxOutputBytes",
                    64 * MIB,
                    KIB,
                    1024 * MIB,
                    "The largest output of a call, on either side.");

    /** The messages of a transfer. */
    public static final Knob<Long> CHUNK_BYTES =
            Knob.bytes(
                    "shipper.chunkBytes",
                    MIB,
                    KIB,
                    128 * MIB,
                    "Server: the size of one message of a transfer.");

    /** How many messages of a transfer are posted at a time. */
    public static final Knob<Long> CHUNKS_IN_FLIGHT =
            Knob.number(
                    "shipper.chunksInFlight",
                    "messages",
                    8,
                    1,
                    256,
                    "How many messages of a transfer may be posted at a time.");

    /** How long a transfer may stand still. */
    public static final Knob<Long> TRANSFER_IDLE_MS =
            Knob.millis(
                    "shipper.transferIdleMs",
                    30_000,
                    10,
                    LONGEST_MS,
                    "Server: a transfer that makes no progress for this time ends"
                            + " with ETIMEDOUT, and so does an output that is not fetched.");

    /** How long closing waits. */
    public static final Knob<Long> CLOSE_WAIT_MS =
            Knob.millis(
                    "shipper.closeWaitMs",
                    2_000,
                    0,
                    LONGEST_MS,
                    "How long a close waits for transfers and handlers.");

    /** How many handlers run at a time. */
    public static final Knob<Long> MAX_RUNNING =
            Knob.number(
                    "shipper.maxRunning",
                    "calls",
                    256,
                    1,
                    1 << 20,
                    "Server: how many handlers may run at a time.");

    /** How many handlers of one client run at a time. */
    public static final Knob<Long> MAX_RUNNING_PER_CLIENT =
            Knob.number(
                    "shipper.maxRunningPerClient",
                    "calls",
                    32,
                    1,
                    1 << 20,
                    "Server: how many handlers may run at a time for one client.");

    /** How many calls of one client are under way. */
    public static final Knob<Long> MAX_CALLS_PER_CLIENT =
            Knob.number(
                    "shipper.maxCallsPerClient",
                    "calls",
                    256,
                    1,
                    65_536,
                    "Server: how many calls one client may have, running or waiting;"
                            + " further ones are refused with ETRYAGAIN.");

    /** How many calls wait in all. */
    public static final Knob<Long> MAX_WAITING =
            Knob.number(
                    "shipper.maxWaiting",
                    "calls",
                    16_384,
                    1,
                    1 << 24,
                    "Server: how many calls may wait in all; further ones are"
                            + " refused with ETRYAGAIN.");

    /** How many sessions there are. */
    public static final Knob<Long> MAX_SESSIONS =
            Knob.number(
                    "shipper.maxSessions",
                    "sessions",
                    4_096,
                    1,
                    1 << 20,
                    "Server: how many clients may have a session.");

    /** How many sessions one peer has. */
    public static final Knob<Long> MAX_SESSIONS_PER_PEER =
            Knob.number(
                    "shipper.maxSessionsPerPeer",
                    "sessions",
                    64,
                    1,
                    32_767,
                    "Server: how many sessions one peer may have.");

    /** Large inputs and outputs that a server keeps. */
    public static final Knob<Long> MAX_HELD_BYTES =
            Knob.bytes(
                    "shipper.maxHeldBytes",
                    256 * MIB,
                    KIB,
                    1L << 40,
                    "Server: how much memory large inputs may take until they are read, and"
                            + " large outputs until they are fetched, in all.");

    /** Memory that a server lends. */
    public static final Knob<Long> MAX_LEASED_BYTES =
            Knob.bytes(
                    "shipper.maxLeasedBytes",
                    1024 * MIB,
                    KIB,
                    1L << 40,
                    "Server: how much memory may be lent to handlers, in all.");

    /** Whether clients may ask what is under way. */
    public static final Knob<Boolean> INTROSPECTION =
            Knob.flag(
                    "shipper.introspection",
                    true,
                    "Server: whether clients may ask for its calls under way and"
                            + " its counters.");

    private ShipperKnobs() {}

    /**
     * All of them.
     *
     * @return an immutable list
     */
    public static List<Knob<?>> all() {
        return List.of(
                TAG_PREFIX,
                INBOX_BYTES,
                MAX_CALLS,
                DEADLINE_MS,
                CONNECT_TIMEOUT_MS,
                LINGER_US,
                MAX_INPUT_BYTES,
                MAX_OUTPUT_BYTES,
                CHUNK_BYTES,
                CHUNKS_IN_FLIGHT,
                TRANSFER_IDLE_MS,
                CLOSE_WAIT_MS,
                MAX_RUNNING,
                MAX_RUNNING_PER_CLIENT,
                MAX_CALLS_PER_CLIENT,
                MAX_WAITING,
                MAX_SESSIONS,
                MAX_SESSIONS_PER_PEER,
                MAX_HELD_BYTES,
                MAX_LEASED_BYTES,
                INTROSPECTION);
    }
}
