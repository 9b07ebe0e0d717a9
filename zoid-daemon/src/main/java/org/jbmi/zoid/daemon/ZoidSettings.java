package org.jbmi.zoid.daemon;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * The settings of a server. Immutable.
 *
 * @param modules the plug-ins to load, by name, in order
 * @param smallBytes the size of a small buffer
 * @param largeBytes the size of a large buffer; 0 if there are none
 * @param thresholdPackets above how many packets of 240 bytes a message waits for its turn; 0 for
 *     never
 * @param userScript the program that runs before and after a job; null for none
 * @param scriptDeadline how long it may run
 * @param passwdHook the program that sets up the account of a job's owner; null for none
 * @param natHook the program that enables address translation; null for none
 * @param nat whether address translation is wanted for every job
 * @param userBufferQuotaBytes how much memory of one plug-in calls may use at a time
 * @param live whether plug-ins may be loaded and unloaded while the server runs
 * @param plugins settings for plug-ins, by name
 */
public record ZoidSettings(
        List<String> modules,
        int smallBytes,
        int largeBytes,
        int thresholdPackets,
        @Nullable String userScript,
        Duration scriptDeadline,
        @Nullable String passwdHook,
        @Nullable String natHook,
        boolean nat,
        long userBufferQuotaBytes,
        boolean live,
        Map<String, String> plugins) {
    /** How many bytes of data a packet has. */
    public static final int PACKET_BYTES = 240;

    private static final int LEAST_BUFFER_BYTES = 256;
    private static final int MOST_BUFFER_BYTES = 32 << 20;
    private static final int MOST_PACKETS = Integer.MAX_VALUE / PACKET_BYTES;
    private static final int SMALL_BUFFERS = 8192;
    private static final int LARGE_BUFFERS = 64;
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration JOIN_PATIENCE = Duration.ofMinutes(15);

    /** Checks and copies. */
    public ZoidSettings {
        modules = List.copyOf(modules);
        plugins = Map.copyOf(plugins);
        checkBuffer(smallBytes);
        if (largeBytes != 0) {
            checkBuffer(largeBytes);
            if (largeBytes < smallBytes) {
                throw new IllegalArgumentException(
                        "The large buffer is smaller than the small one.");
            }
        }
        if (thresholdPackets < 0 || thresholdPackets > MOST_PACKETS) {
            throw new IllegalArgumentException(
                    "The threshold is 0 to " + MOST_PACKETS + " packets.");
        }
    }

    private static void checkBuffer(int bytes) {
        if (bytes < LEAST_BUFFER_BYTES || bytes > MOST_BUFFER_BYTES) {
            throw new IllegalArgumentException(
                    "A buffer has %d to %d bytes, and not %d."
                            .formatted(LEAST_BUFFER_BYTES, MOST_BUFFER_BYTES, bytes));
        }
    }

    /**
     * The default settings.
     *
     * @return buffers of 4 KiB and of 4 MiB and 1 KiB, no threshold, no script, no plug-in
     */
    public static ZoidSettings defaults() {
        return new ZoidSettings(
                List.of(),
                4096,
                (4 << 20) + 1024,
                0,
                null,
                Duration.ofMinutes(10),
                null,
                null,
                false,
                256L << 20,
                false,
                Map.of());
    }

    /**
     * The same with other plug-ins.
     *
     * @param names their names, in order
     * @return new settings
     */
    public ZoidSettings withModules(List<String> names) {
        return with(draft -> draft.modules = names);
    }

    /**
     * The same with other buffers.
     *
     * @param small the size of a small buffer, in bytes
     * @param large the size of a large buffer, in bytes; 0 for none
     * @return new settings
     */
    public ZoidSettings withBuffers(int small, int large) {
        return with(
                draft -> {
                    draft.smallBytes = small;
                    draft.largeBytes = large;
                });
    }

    /**
     * The same with another threshold.
     *
     * @param packets above how many packets a message waits for its turn; 0 for never
     * @return new settings
     */
    public ZoidSettings withThreshold(int packets) {
        return with(draft -> draft.thresholdPackets = packets);
    }

    /**
     * The same with another quota.
     *
     * @param bytes how much memory of one plug-in calls may use at a time
     * @return new settings
     */
    public ZoidSettings withUserBufferQuota(long bytes) {
        return with(draft -> draft.userBufferQuotaBytes = bytes);
    }

    /**
     * The same, with plug-ins that may change or may not.
     *
     * @param wanted whether they may be loaded and unloaded while the server runs
     * @return new settings
     */
    public ZoidSettings withLive(boolean wanted) {
        return with(draft -> draft.live = wanted);
    }

    /**
     * The same with another user script.
     *
     * @param path what runs before and after a job; null for nothing
     * @param deadline how long it may run
     * @return new settings
     */
    public ZoidSettings withUserScript(@Nullable String path, Duration deadline) {
        return with(
                draft -> {
                    draft.userScript = path;
                    draft.scriptDeadline = deadline;
                });
    }

    /**
     * The same with other hooks.
     *
     * @param passwd what sets up the account of a job's owner; null for nothing
     * @param translation what enables address translation; null for nothing
     * @param always whether address translation is wanted for every job
     * @return new settings
     */
    public ZoidSettings withHooks(
            @Nullable String passwd, @Nullable String translation, boolean always) {
        return with(
                draft -> {
                    draft.passwdHook = passwd;
                    draft.natHook = translation;
                    draft.nat = always;
                });
    }

    /**
     * The same with a setting of a plug-in.
     *
     * @param name its name
     * @param value its value
     * @return new settings
     */
    public ZoidSettings withPluginSetting(String name, String value) {
        Map<String, String> more = new TreeMap<>(plugins);
        more.put(name, value);
        return with(draft -> draft.plugins = more);
    }

    private ZoidSettings with(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return draft.finished();
    }

    /** A copy on which something is changed. */
    private static final class Draft {
        List<String> modules;
        int smallBytes;
        int largeBytes;
        int thresholdPackets;
        @Nullable String userScript;
        Duration scriptDeadline;
        @Nullable String passwdHook;
        @Nullable String natHook;
        boolean nat;
        long userBufferQuotaBytes;
        boolean live;
        Map<String, String> plugins;

        Draft(ZoidSettings from) {
            modules = from.modules;
            smallBytes = from.smallBytes;
            largeBytes = from.largeBytes;
            thresholdPackets = from.thresholdPackets;
            userScript = from.userScript;
            scriptDeadline = from.scriptDeadline;
            passwdHook = from.passwdHook;
            natHook = from.natHook;
            nat = from.nat;
            userBufferQuotaBytes = from.userBufferQuotaBytes;
            live = from.live;
            plugins = from.plugins;
        }

        ZoidSettings finished() {
            return new ZoidSettings(
                    modules,
                    smallBytes,
                    largeBytes,
                    thresholdPackets,
                    userScript,
                    scriptDeadline,
                    passwdHook,
                    natHook,
                    nat,
                    userBufferQuotaBytes,
                    live,
                    plugins);
        }
    }

    /**
     * How large a request or a reply may be.
     *
     * @return bytes, with the header
     */
    public int limitBytes() {
        return largeBytes == 0 ? smallBytes : largeBytes;
    }

    /**
     * Above which size a request waits for its turn.
     *
     * @return bytes; 0 for never
     */
    public int thresholdBytes() {
        return thresholdPackets * PACKET_BYTES;
    }

    /**
     * How long a process waits for its job: up to four programs run one after the other, that of an
     * earlier job of the same name among them.
     */
    Duration joinPatience() {
        return JOIN_PATIENCE.plus(scriptDeadline.multipliedBy(4));
    }

    Budget budget() {
        return new Budget(smallBytes, SMALL_BUFFERS, LARGE_BUFFERS, PATIENCE);
    }
}
