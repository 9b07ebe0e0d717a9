package org.jbmi.zbmi.host.place;

import org.jbmi.config.Knob;
import org.jbmi.spi.WaitPolicy;
import org.jbmi.zbmi.engine.port.EngineLimits;
import org.jbmi.zbmi.host.port.CommandPorts;

import java.util.List;

/** The knobs of a host of the engine. */
public final class HostKnobs {
    /** What the allocator of a pool can count: a page less than 128 GiB. */
    private static final long MAX_TOTAL_BYTES = (128L << 30) - 4096;

    /** Where the segment file lies. */
    public static final Knob<String> SEGMENT_DIRECTORY =
            Knob.path(
                    "zbmi.segmentDirectory",
                    () -> "/dev/shm",
                    "Directory of the shared-memory segment, in a memory file" + " system.");

    /** Size of the pool. */
    public static final Knob<Long> TOTAL_BYTES =
            Knob.bytes(
                    "zbmi.totalBytes",
                    512L << 20,
                    64L << 10,
                    MAX_TOTAL_BYTES,
                    "Size of the shared pool for expected and unexpected messages together.");

    /** The part of the pool for unexpected messages. */
    public static final Knob<Long> UNEXPECTED_BYTES =
            Knob.bytes(
                    "zbmi.unexpectedBytes",
                    1L << 20,
                    16L << 10,
                    EngineLimits.MOST_UNEXPECTED_BYTES,
                    "Part of the pool for unexpected messages, shared fairly between the clients.");

    /** Limit of expected messages. */
    public static final Knob<Long> MAX_EXPECTED_BYTES =
            Knob.bytes(
                    "zbmi.maxExpectedBytes",
                    128L << 20,
                    1,
                    1L << 40,
                    "Largest expected message that the host accepts.");

    /** Limit of unexpected messages. */
    public static final Knob<Long> MAX_UNEXPECTED_BYTES =
            Knob.bytes(
                    "zbmi.maxUnexpectedBytes",
                    8192,
                    1,
                    1L << 30,
                    "Largest unexpected message that the host accepts.");

    /** Limit of eager messages. */
    public static final Knob<Long> EAGER_BYTES =
            Knob.bytes(
                    "zbmi.eagerBytes",
                    4096,
                    0,
                    32L << 10,
                    "Largest message that a client sends before its receive is posted, and that the"
                        + " engine hands to a client without a grant. Messages of up to 88 bytes"
                        + " may go without a grant at any setting; the server's must begin at a"
                        + " multiple of 8 bytes.");

    /** How many clients there may be. */
    public static final Knob<Long> MAX_CLIENTS =
            Knob.number(
                    "zbmi.maxClients",
                    "clients",
                    128,
                    1,
                    EngineLimits.MOST_CLIENTS,
                    "The most clients that may be attached at a time.");

    /** Bound on a client's operations. */
    public static final Knob<Long> MAX_CLIENT_OPERATIONS =
            Knob.number(
                    "zbmi.maxClientOperations",
                    "operations",
                    16_384,
                    16,
                    1L << 20,
                    "The most pending operations of one client.");

    /** Bound on the server's operations. */
    public static final Knob<Long> MAX_SERVER_OPERATIONS =
            Knob.number(
                    "zbmi.maxServerOperations",
                    "operations",
                    262_144,
                    16,
                    1L << 22,
                    "The most pending operations of the server.");

    /** How long a server post may wait for a running transfer. */
    public static final Knob<Long> IMMEDIATE_WAIT_MS =
            Knob.millis(
                    "zbmi.immediateWaitMs",
                    1000,
                    0,
                    60_000,
                    "How long a server's post waits while a client copies the" + " bytes.");

    /** Whether the host touches every page at its start. */
    public static final Knob<Boolean> POPULATE =
            Knob.flag(
                    "zbmi.populate",
                    false,
                    "Whether the process that hosts the engine touches every page of the segment"
                            + " at its start.");

    /** How long a peer may take to introduce itself. */
    public static final Knob<Long> HANDSHAKE_TIMEOUT_MS =
            Knob.millis(
                    "zbmi.handshakeTimeoutMs",
                    5000,
                    10,
                    600_000,
                    "How long the handshake of a new connection may take.");

    /** How the engine's thread waits. */
    public static final Knob<String> WAIT =
            Knob.choice(
                    "zbmi.wait",
                    WaitPolicy.MODE.choices(),
                    "How the thread of the daemon's engine waits; the values are"
                            + " those of bmi.wait.");

    /** How long the engine's thread polls before it sleeps. */
    public static final Knob<Long> SPIN_NS =
            Knob.number(
                    "zbmi.spinNs",
                    "ns",
                    10_000,
                    0,
                    1_000_000,
                    "How long the engine's thread polls before it sleeps; on one"
                            + " processor it does not poll.");

    /** Which command channel the server must use. */
    public static final Knob<String> COMMAND_CHANNEL =
            Knob.text(
                    "zbmi.commandChannel",
                    () -> CommandPorts.ANY,
                    "The only command channel that the daemon accepts, for example"
                            + " ring, posix-mq or chronicle; with any the server chooses.");

    /** Whether a channel's files stay. */
    public static final Knob<Boolean> KEEP_CHANNEL_FILES =
            Knob.flag(
                    "zbmi.keepChannelFiles",
                    false,
                    "Whether a command channel with files (chronicle) keeps them"
                            + " after they were read, and after the end of the session.");

    /** Where everything that enters the engine is recorded. */
    public static final Knob<String> JOURNAL =
            Knob.text(
                    "zbmi.journal",
                    () -> "",
                    "New folder for a journal of all events and actions of the"
                            + " engine; empty for none.");

    /** How large the journal may become. */
    public static final Knob<Long> JOURNAL_BYTES =
            Knob.bytes(
                    "zbmi.journalBytes",
                    1L << 30,
                    1L << 16,
                    1L << 40,
                    "Approximate size at which the journal ends; the engine"
                            + " continues without it.");

    private static final List<Knob<?>> ALL =
            List.of(
                    SEGMENT_DIRECTORY,
                    TOTAL_BYTES,
                    UNEXPECTED_BYTES,
                    MAX_EXPECTED_BYTES,
                    MAX_UNEXPECTED_BYTES,
                    EAGER_BYTES,
                    MAX_CLIENTS,
                    MAX_CLIENT_OPERATIONS,
                    MAX_SERVER_OPERATIONS,
                    IMMEDIATE_WAIT_MS,
                    POPULATE,
                    HANDSHAKE_TIMEOUT_MS,
                    WAIT,
                    SPIN_NS,
                    COMMAND_CHANNEL,
                    KEEP_CHANNEL_FILES,
                    JOURNAL,
                    JOURNAL_BYTES);

    private HostKnobs() {}

    /** All of them. */
    public static List<Knob<?>> all() {
        return ALL;
    }
}
