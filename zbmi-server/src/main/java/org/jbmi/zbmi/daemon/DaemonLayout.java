package org.jbmi.zbmi.daemon;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.config.Configuration;
import org.jbmi.mempool.SegmentOptions;
import org.jbmi.zbmi.engine.EngineLimits;
import org.jbmi.zbmi.protocol.SegmentGeometry;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zbmi.protocol.SessionLimits;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * Every size of a daemon, computed from its knobs.
 *
 * @param map where everything lies in the segment
 * @param limits bounds of the engine
 * @param segmentDirectory where the segment's file goes
 * @param options how it is created
 * @param spinNs how long the engine's thread spins
 */
record DaemonLayout(
        SegmentMap map,
        EngineLimits limits,
        Path segmentDirectory,
        SegmentOptions options,
        long spinNs) {
    /** With which the names of all daemons' segments begin. */
    static final String SEGMENT_PREFIX = "zbmi-";

    private static final int CLIENT_LANE_SLOTS = 128;
    private static final int SERVER_LANE_SLOTS = 1024;
    private static final int EAGER_SLOTS = 16;
    private static final int MAX_LIST_ENTRIES = 1 << 20;
    private static final long NS_PER_MS = 1_000_000;
    private static final long NS_PER_US = 1000;

    static DaemonLayout of(Configuration knobs) {
        long total = roundUp(knobs.get(DaemonKnobs.TOTAL_BYTES), SegmentMap.PAGE_BYTES);
        long unexpected = roundUp(knobs.get(DaemonKnobs.UNEXPECTED_BYTES), SegmentMap.PAGE_BYTES);
        if (unexpected >= total) {
            throw new BmiException(
                    ErrorCode.EINVAL,
                    "%s (%d) leaves nothing of %s (%d) for expected messages."
                            .formatted(
                                    DaemonKnobs.UNEXPECTED_BYTES.name(),
                                    unexpected,
                                    DaemonKnobs.TOTAL_BYTES.name(),
                                    total));
        }
        try {
            SegmentMap map = new SegmentMap(geometry(knobs, unexpected, total - unexpected));
            SegmentOptions options =
                    SegmentOptions.defaults()
                            .withPopulate(knobs.get(DaemonKnobs.POPULATE))
                            .withInitializer(map::writeControlPage);
            return new DaemonLayout(
                    map,
                    engineLimits(knobs, map),
                    Path.of(knobs.get(DaemonKnobs.SEGMENT_DIRECTORY)),
                    options,
                    knobs.get(DaemonKnobs.SPIN_US) * NS_PER_US);
        } catch (IllegalArgumentException e) {
            throw new BmiException(
                    ErrorCode.EINVAL,
                    "The daemon's knobs do not go together: " + e.getMessage() + ".",
                    e);
        }
    }

    private static SegmentGeometry geometry(Configuration knobs, long unexpected, long expected) {
        return new SegmentGeometry(
                knobs.get(DaemonKnobs.MAX_CLIENTS).intValue(),
                CLIENT_LANE_SLOTS,
                SERVER_LANE_SLOTS,
                EAGER_SLOTS,
                (int) roundUp(knobs.get(DaemonKnobs.EAGER_BYTES), 64),
                unexpected,
                expected);
    }

    private static EngineLimits engineLimits(Configuration knobs, SegmentMap map) {
        SegmentGeometry geometry = map.geometry();
        return new EngineLimits(
                geometry.maxClients(),
                knobs.get(DaemonKnobs.MAX_CLIENT_OPERATIONS).intValue(),
                knobs.get(DaemonKnobs.MAX_SERVER_OPERATIONS).intValue(),
                knobs.get(DaemonKnobs.MAX_EXPECTED_BYTES),
                knobs.get(DaemonKnobs.MAX_UNEXPECTED_BYTES),
                knobs.get(DaemonKnobs.EAGER_BYTES).intValue(),
                geometry.eagerSlots(),
                MAX_LIST_ENTRIES,
                map.unexpectedOffset(),
                geometry.unexpectedBytes(),
                map.expectedOffset(),
                geometry.expectedBytes(),
                knobs.get(DaemonKnobs.IMMEDIATE_WAIT_MS) * NS_PER_MS);
    }

    private static long roundUp(long value, long unit) {
        return (value + unit - 1) / unit * unit;
    }

    SegmentGeometry geometry() {
        return map.geometry();
    }

    SessionLimits sessionLimits(int maxOperations) {
        return new SessionLimits(
                limits.maxExpectedBytes(),
                limits.maxUnexpectedBytes(),
                limits.eagerBytes(),
                limits.maxListEntries(),
                maxOperations);
    }

    /** A name that no other segment has. */
    Path newSegmentFile() {
        byte[] random = new byte[8];
        new SecureRandom().nextBytes(random);
        long pid = ProcessHandle.current().pid();
        return segmentDirectory.resolve(
                SEGMENT_PREFIX + pid + "-" + HexFormat.of().formatHex(random));
    }
}
