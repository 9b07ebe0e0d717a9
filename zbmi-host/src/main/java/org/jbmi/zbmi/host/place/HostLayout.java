package org.jbmi.zbmi.host.place;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.config.Configuration;
import org.jbmi.mempool.SegmentOptions;
import org.jbmi.spi.WaitPolicy;
import org.jbmi.zbmi.engine.port.EagerPlaces;
import org.jbmi.zbmi.engine.port.EngineLimits;
import org.jbmi.zbmi.host.port.CommandPorts;
import org.jbmi.zbmi.protocol.SegmentGeometry;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zbmi.protocol.handshake.SessionLimits;
import org.jbmi.zbmi.protocol.handshake.Welcome;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * Every size of a host, computed from its knobs.
 *
 * @param map where everything lies in the segment
 * @param limits bounds of the engine
 * @param segmentDirectory where the segment's file goes
 * @param options how it is created
 * @param waitMode how the engine's thread waits
 * @param spinNs how long it looks for work before it sleeps, if it is adaptive
 * @param commandChannel the only one that the server may ask for, or any
 * @param keepsChannelFiles whether a channel leaves files where they are
 * @param journal folder of the journal, or empty
 * @param journalBytes how large it may become, about
 */
public record HostLayout(
        SegmentMap map,
        EngineLimits limits,
        Path segmentDirectory,
        SegmentOptions options,
        WaitPolicy.Mode waitMode,
        long spinNs,
        String commandChannel,
        boolean keepsChannelFiles,
        String journal,
        long journalBytes) {
    /** With which the names of all segments begin. */
    public static final String SEGMENT_PREFIX = "zbmi-";

    private static final int CLIENT_LANE_SLOTS = 128;
    private static final int SERVER_LANE_SLOTS = 1024;
    private static final int EAGER_SLOTS = 16;
    private static final int MAX_LIST_ENTRIES = 1 << 20;
    private static final long NS_PER_MS = 1_000_000;

    /**
     * Computes it.
     *
     * @param knobs those of {@link HostKnobs}
     * @throws BmiException with {@link ErrorCode#EINVAL} if the knobs are inconsistent
     */
    public static HostLayout of(Configuration knobs) {
        long total = roundUp(knobs.get(HostKnobs.TOTAL_BYTES), SegmentMap.PAGE_BYTES);
        long unexpected = roundUp(knobs.get(HostKnobs.UNEXPECTED_BYTES), SegmentMap.PAGE_BYTES);
        if (unexpected >= total) {
            throw new BmiException(
                    ErrorCode.EINVAL,
                    "%s (%d) leaves nothing of %s (%d) for expected messages."
                            .formatted(
                                    HostKnobs.UNEXPECTED_BYTES.name(),
                                    unexpected,
                                    HostKnobs.TOTAL_BYTES.name(),
                                    total));
        }
        try {
            SegmentMap map = new SegmentMap(geometry(knobs, unexpected, total - unexpected));
            SegmentOptions options =
                    SegmentOptions.defaults()
                            .withPopulate(knobs.get(HostKnobs.POPULATE))
                            .withInitializer(map::writeControlPage);
            SessionLimits limits =
                    new SessionLimits(
                            knobs.get(HostKnobs.MAX_EXPECTED_BYTES),
                            knobs.get(HostKnobs.MAX_UNEXPECTED_BYTES),
                            knobs.get(HostKnobs.EAGER_BYTES).intValue(),
                            MAX_LIST_ENTRIES,
                            knobs.get(HostKnobs.MAX_SERVER_OPERATIONS).intValue());
            return new HostLayout(
                    map,
                    engineLimits(knobs, map, limits),
                    Path.of(knobs.get(HostKnobs.SEGMENT_DIRECTORY)),
                    options,
                    WaitPolicy.Mode.of(knobs.get(HostKnobs.WAIT)),
                    knobs.get(HostKnobs.SPIN_NS),
                    knobs.get(HostKnobs.COMMAND_CHANNEL),
                    knobs.get(HostKnobs.KEEP_CHANNEL_FILES),
                    knobs.get(HostKnobs.JOURNAL),
                    knobs.get(HostKnobs.JOURNAL_BYTES));
        } catch (IllegalArgumentException e) {
            throw new BmiException(
                    ErrorCode.EINVAL,
                    "The knobs of the host do not go together: " + e.getMessage() + ".",
                    e);
        }
    }

    /**
     * Computes it for a server that hosts the engine in memory of a daemon.
     *
     * @param knobs of the server; sizes of messages and memory are the daemon's
     */
    public static HostLayout lent(Configuration knobs, Welcome welcome) {
        SegmentMap map = new SegmentMap(welcome.geometry());
        return new HostLayout(
                map,
                engineLimits(knobs, map, welcome.limits()),
                Path.of(knobs.get(HostKnobs.SEGMENT_DIRECTORY)),
                SegmentOptions.defaults(),
                WaitPolicy.Mode.of(knobs.get(HostKnobs.WAIT)),
                knobs.get(HostKnobs.SPIN_NS),
                CommandPorts.ANY,
                false,
                knobs.get(HostKnobs.JOURNAL),
                knobs.get(HostKnobs.JOURNAL_BYTES));
    }

    /** How the engine's thread waits; a new policy that has learnt nothing yet. */
    public WaitPolicy waitPolicy() {
        return WaitPolicy.of(waitMode, spinNs);
    }

    private static SegmentGeometry geometry(Configuration knobs, long unexpected, long expected) {
        return new SegmentGeometry(
                knobs.get(HostKnobs.MAX_CLIENTS).intValue(),
                CLIENT_LANE_SLOTS,
                SERVER_LANE_SLOTS,
                EAGER_SLOTS,
                (int) roundUp(knobs.get(HostKnobs.EAGER_BYTES), 64),
                unexpected,
                expected);
    }

    private static EngineLimits engineLimits(
            Configuration knobs, SegmentMap map, SessionLimits ofServer) {
        SegmentGeometry geometry = map.geometry();
        return new EngineLimits(
                geometry.maxClients(),
                knobs.get(HostKnobs.MAX_CLIENT_OPERATIONS).intValue(),
                ofServer.maxOperations(),
                ofServer.maxExpectedBytes(),
                ofServer.maxUnexpectedBytes(),
                ofServer.eagerBytes(),
                geometry.eagerSlots(),
                EagerPlaces.of(map),
                ofServer.maxListEntries(),
                map.unexpectedOffset(),
                geometry.unexpectedBytes(),
                map.expectedOffset(),
                geometry.expectedBytes(),
                knobs.get(HostKnobs.IMMEDIATE_WAIT_MS) * NS_PER_MS);
    }

    private static long roundUp(long value, long unit) {
        return (value + unit - 1) / unit * unit;
    }

    /** The layout's parameters. */
    public SegmentGeometry geometry() {
        return map.geometry();
    }

    /**
     * What each session is told.
     *
     * @param maxOperations how many operations it may have at a time
     */
    public SessionLimits sessionLimits(int maxOperations) {
        return new SessionLimits(
                limits.maxExpectedBytes(),
                limits.maxUnexpectedBytes(),
                limits.eagerBytes(),
                limits.maxListEntries(),
                maxOperations);
    }

    /** A name that no other segment has. */
    public Path newSegmentFile() {
        byte[] random = new byte[8];
        new SecureRandom().nextBytes(random);
        long pid = ProcessHandle.current().pid();
        return segmentDirectory.resolve(
                SEGMENT_PREFIX + pid + "-" + HexFormat.of().formatHex(random));
    }
}
