package org.jbmi.zbmi.host.journal;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zbmi.engine.port.EagerPlaces;
import org.jbmi.zbmi.engine.port.EngineLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.Queue;

/**
 * A damaged journal is replayed as far as possible, and never ends the replay with an exception.
 */
@Timeout(60)
class JournalReplayTest {
    private static final int MOST_BYTES_WORD = 15;
    private static final EngineLimits LIMITS =
            new EngineLimits(
                    3, 1, 1, 1, 1000, 0, 0, EagerPlaces.NONE, 1, 1 << 20, 10_000, 1 << 30, 4096, 0);

    private static final class Records implements JournalReader {
        private final Queue<JournalRecord> left = new ArrayDeque<>();

        @Override
        public int read(JournalRecord into) {
            if (left.isEmpty()) {
                return NOTHING;
            }
            into.copyFrom(left.remove());
            return RECORD;
        }

        @Override
        public boolean isBeingWritten() {
            return false;
        }

        @Override
        public void close() {}
    }

    private static JournalRecord header() {
        return JournalHeader.put(record(JournalKind.HEADER, 0), LIMITS);
    }

    private static JournalRecord record(JournalKind kind, int session, long... words) {
        JournalRecord record = new JournalRecord().start(kind.code(), session, 0);
        for (long word : words) {
            record.put(word);
        }
        return record;
    }

    private static JournalReplay.Result replay(JournalRecord... records) {
        Records reader = new Records();
        reader.left.addAll(List.of(records));
        return JournalReplay.run(reader);
    }

    @Test
    void anEventThatNoEngineCanHaveTakenIsADifference() {
        JournalReplay.Result result =
                replay(
                        header(),
                        record(JournalKind.CLIENT_ATTACHED, 1, 7),
                        record(JournalKind.CLIENT_ATTACHED, 99, 7),
                        record(JournalKind.KEEPS, 99, 0),
                        record(JournalKind.END, 0));
        assertThat(result.events()).isEqualTo(2);
        JournalReplay.Difference difference = Objects.requireNonNull(result.difference());
        assertThat(Objects.requireNonNull(difference.recorded()).session()).isEqualTo(99);
        assertThat(difference.replayed()).isNull();
    }

    @Test
    void limitsThatNoHostHasAreNoHeader() {
        JournalRecord damaged = record(JournalKind.HEADER, 0);
        JournalRecord whole = header();
        for (int i = 0; i < whole.wordCount(); i++) {
            damaged.put(i == MOST_BYTES_WORD ? 1L << 45 : whole.word(i));
        }
        assertThat(replay(damaged).header()).isNull();
        assertThat(replay(whole).header()).isNotNull();
    }
}
