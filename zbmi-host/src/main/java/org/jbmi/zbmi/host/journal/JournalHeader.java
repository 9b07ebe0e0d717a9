package org.jbmi.zbmi.host.journal;

import org.jbmi.zbmi.engine.port.EagerPlaces;
import org.jbmi.zbmi.engine.port.EngineLimits;
import org.jspecify.annotations.Nullable;

/**
 * What the first record of a journal says.
 *
 * @param pid the process that ran the engine
 * @param startMs when, since 1970
 * @param startNs the same moment on the clock of the records
 * @param limits of the engine
 */
public record JournalHeader(long pid, long startMs, long startNs, EngineLimits limits) {
    private static final int FIXED = 3;
    private static final int LIMITS = 16;

    static JournalRecord put(JournalRecord record, EngineLimits limits) {
        return record.put(EngineRecording.FORMAT)
                .put(ProcessHandle.current().pid())
                .put(System.currentTimeMillis())
                .put(limits.maxClients())
                .put(limits.maxClientOperations())
                .put(limits.maxServerOperations())
                .put(limits.maxExpectedBytes())
                .put(limits.maxUnexpectedBytes())
                .put(limits.eagerBytes())
                .put(limits.eagerSlots())
                .put(limits.eagerPlaces().firstOffset())
                .put(limits.eagerPlaces().strideBytes())
                .put(limits.eagerPlaces().slotBytes())
                .put(limits.maxListEntries())
                .put(limits.unexpectedOffset())
                .put(limits.unexpectedBytes())
                .put(limits.expectedOffset())
                .put(limits.expectedBytes())
                .put(limits.immediateWaitNs());
    }

    /**
     * Reads it.
     *
     * @return null if it is no header, or of another format
     */
    public static @Nullable JournalHeader of(JournalRecord record) {
        if (record.kind() != JournalKind.HEADER.code()
                || record.wordCount() != FIXED + LIMITS
                || record.word(0) != EngineRecording.FORMAT) {
            return null;
        }
        try {
            EngineLimits limits =
                    new EngineLimits(
                            (int) record.word(3),
                            (int) record.word(4),
                            (int) record.word(5),
                            record.word(6),
                            record.word(7),
                            (int) record.word(8),
                            (int) record.word(9),
                            new EagerPlaces(
                                    record.word(10), record.word(11), (int) record.word(12)),
                            (int) record.word(13),
                            record.word(14),
                            record.word(15),
                            record.word(16),
                            record.word(17),
                            record.word(18));
            return new JournalHeader(record.word(1), record.word(2), record.timeNs(), limits);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
