package org.jbmi.zoid;

import org.jbmi.config.Knob;
import org.jbmi.zbmi.attach.RuntimeDirectory;
import org.jbmi.zbmi.channel.EngineHostProvider;
import org.jbmi.zbmi.link.ShmClientLink;
import org.jbmi.zbmi.socket.SocketClientLinks;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;

/** The knobs of the zoid method. */
public final class ZoidKnobs {
    /** How long to wait for a host. */
    public static final Knob<Long> ATTACH_TIMEOUT_MS =
            Knob.millis(
                    "zoid.attachTimeoutMs",
                    10_000,
                    0,
                    Integer.MAX_VALUE,
                    "How long the start of a server, or a client's lookup, waits for a host that"
                            + " does not run yet, or is busy with other peers.");

    /** Limit of expected messages. */
    public static final Knob<Long> MAX_EXPECTED_BYTES =
            Knob.bytes(
                    "zoid.maxExpectedBytes",
                    128L << 20,
                    1,
                    1L << 40,
                    "The largest expected message; the host has a limit of its own, and the smaller"
                            + " one holds.");

    /** Limit of unexpected messages. */
    public static final Knob<Long> MAX_UNEXPECTED_BYTES =
            Knob.bytes(
                    "zoid.maxUnexpectedBytes",
                    8192,
                    1,
                    1L << 30,
                    "The largest unexpected message; the host has a limit of its own, and the"
                            + " smaller one holds.");

    /** Limit of eager messages. */
    public static final Knob<Long> EAGER_BYTES =
            Knob.bytes(
                    "zoid.eagerBytes",
                    4096,
                    0,
                    32L << 10,
                    "The largest message that a client sends through shared memory before its"
                            + " receive is posted. It is also the largest that the engine hands to"
                            + " it without a grant. Messages of up to 88 bytes may go without a"
                            + " grant at any setting; the server's must begin at a multiple of 8"
                            + " bytes. At a server the knob has no effect.");

    /** Limit of lists. */
    public static final Knob<Long> MAX_LIST_COUNT =
            Knob.number(
                    "zoid.maxListCount",
                    "buffers",
                    4096,
                    1,
                    1L << 20,
                    "The most buffers in a list.");

    /** A client's wait in posts. */
    public static final Knob<Long> POST_TIMEOUT_MS =
            Knob.millis(
                    "zoid.postTimeoutMs",
                    0,
                    0,
                    Integer.MAX_VALUE,
                    "How long a client's post may wait until its operation is over; then it returns"
                            + " pending. The option BMI_ZOID_POST_TIMEOUT changes it later.");

    /** A client's memory. */
    public static final Knob<Long> CLIENT_POOL_BYTES =
            Knob.bytes(
                    "zoid.clientPoolBytes",
                    256L << 20,
                    64,
                    1L << 36,
                    "Address space of a client's pool; only used parts take memory.");

    /** How long a call may stay unanswered. */
    public static final Knob<Long> CALL_TIMEOUT_MS =
            Knob.millis(
                    "zoid.callTimeoutMs",
                    10_000,
                    10,
                    3_600_000,
                    "How long a post waits for a host that does not answer. Then the"
                            + " post returns pending, or ETIMEDOUT if there was no room for"
                            + " its message.");

    /** Bound on closing. */
    public static final Knob<Long> CLOSE_TIMEOUT_MS =
            Knob.millis(
                    "zoid.closeTimeoutMs",
                    3000,
                    0,
                    600_000,
                    "How long a close waits for transfers under way.");

    static final String AUTO = "auto";
    static final String DIRECT = "direct";
    static final String EMBEDDED = "embedded";
    static final String DAEMON = "daemon";

    /** Where the engine runs. */
    public static final Knob<String> HOST =
            Knob.choice(
                    "zoid.host",
                    List.of(AUTO, DIRECT, EMBEDDED, DAEMON),
                    "Where the engine of a server runs: in the server, with memory"
                            + " of a daemon (direct) or without a daemon (embedded), or in the"
                            + " daemon (daemon). The value auto is direct if a daemon answers,"
                            + " else embedded.");

    /** How the server reaches the engine. */
    public static final Knob<String> COMMAND_CHANNEL =
            Knob.text(
                    "zoid.commandChannel",
                    () -> "",
                    "The command channel to an engine in the daemon: ring, posix-mq, chronicle, or"
                        + " the name of a channel that is plugged in. A name makes the engine run"
                        + " in the daemon. Empty: zoid.host says where the engine runs, and the"
                        + " channel to a daemon is ring.");

    /** How a client reaches the engine. */
    public static final Knob<String> CLIENT_LINK =
            Knob.choice(
                    "zoid.clientLink",
                    List.of(ShmClientLink.NAME, SocketClientLinks.NAME),
                    "How a client reaches the engine: through shared memory, or"
                            + " through a socket to the daemon's gateway.");

    /** Where the gateway is. */
    public static final Knob<String> SERVER_ADDRESS =
            Knob.text(
                    "zoid.serverAddress",
                    () -> "",
                    "The address of the daemon's gateway, for the link `socket`:"
                            + " the path of its Unix-domain socket, `host:port` or"
                            + " `[ipv6]:port`.");

    private static final List<Knob<?>> OWN =
            List.of(
                    RuntimeDirectory.KNOB,
                    HOST,
                    ATTACH_TIMEOUT_MS,
                    MAX_EXPECTED_BYTES,
                    MAX_UNEXPECTED_BYTES,
                    EAGER_BYTES,
                    MAX_LIST_COUNT,
                    POST_TIMEOUT_MS,
                    CLIENT_POOL_BYTES,
                    CALL_TIMEOUT_MS,
                    CLOSE_TIMEOUT_MS,
                    COMMAND_CHANNEL,
                    CLIENT_LINK,
                    SERVER_ADDRESS);

    private ZoidKnobs() {}

    /**
     * The knobs of zoid, and those of the engine if the module {@code zbmi-host} is there.
     *
     * @return an immutable list
     */
    public static List<Knob<?>> all() {
        List<Knob<?>> all = new ArrayList<>(OWN);
        engineHost().map(EngineHostProvider::knobs).ifPresent(all::addAll);
        return List.copyOf(all);
    }

    /** What hosts an engine in the process of its server, if anything does. Clients need none. */
    static Optional<EngineHostProvider> engineHost() {
        Class<EngineHostProvider> type = EngineHostProvider.class;
        return ServiceLoader.load(type, type.getClassLoader()).findFirst();
    }
}
