package org.jbmi.zbmi.host.journal;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.mempool.NanoClock;
import org.jbmi.zbmi.engine.port.EagerPlaces;
import org.jbmi.zbmi.engine.port.EngineLimits;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.ServerRequests;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;

/** A journal that fails, in whatever way, must not take the engine with it. */
@Timeout(60)
class EngineRecordingTest {
    private static final EngineLimits LIMITS =
            new EngineLimits(
                    3,
                    1,
                    1,
                    1,
                    1000,
                    0,
                    0,
                    new EagerPlaces(7, 8, 9),
                    1,
                    1 << 20,
                    10_000,
                    1 << 30,
                    4096,
                    0);

    private final List<String> failures = new ArrayList<>();
    private final Message message = new Message();

    /** How a journal fails: as Java does, as a store into a full file system, as a library. */
    private enum Way {
        EXCEPTION {
            @Override
            void fail() {
                throw new IllegalStateException("closed");
            }
        },
        ERROR {
            @Override
            void fail() {
                throw new InternalError("a fault in an unsafe memory access operation");
            }
        },
        HEAP {
            @Override
            void fail() {
                throw new OutOfMemoryError("played");
            }
        },
        LIBRARY {
            @Override
            void fail() {
                throw new NoClassDefFoundError("played");
            }
        },
        ASSERTION {
            @Override
            void fail() {
                throw new AssertionError("a header inside a header");
            }
        };

        abstract void fail();
    }

    private static final class Failing implements EngineJournal {
        private final Way way;
        private int asked;
        private int closed;

        Failing(Way way) {
            this.way = way;
        }

        @Override
        public void append(JournalRecord record) {
            asked++;
            way.fail();
        }

        @Override
        public void close() {
            closed++;
            way.fail();
        }
    }

    private static final class Kept implements EngineJournal {
        private int closed;

        @Override
        public void append(JournalRecord record) {
            assertThat(closed).isZero();
        }

        @Override
        public void close() {
            closed++;
        }
    }

    /** So that whoever follows it knows that no more will come. */
    @Test
    void aFullJournalIsClosedAtOnce() {
        Kept journal = new Kept();
        EngineRecording recording =
                new EngineRecording(journal, NanoClock.SYSTEM, LIMITS, 1, failures::add);
        assertThat(failures).singleElement().asString().contains("journal is full");
        assertThat(journal.closed).isEqualTo(1);
        recording.message(1, ServerRequests.cancel(message, 1, 2, 3), 0);
        recording.close();
        assertThat(journal.closed).isEqualTo(1);
        assertThat(failures).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource
    void aJournalThatFailsIsEnded(Way way) {
        Failing journal = new Failing(way);
        EngineRecording recording =
                new EngineRecording(journal, NanoClock.SYSTEM, LIMITS, 1 << 20, failures::add);
        recording.message(1, ServerRequests.cancel(message, 1, 2, 3), 0);
        recording.message(1, message, 0);
        recording.close();
        assertThat(journal.asked).isEqualTo(1);
        assertThat(journal.closed).isEqualTo(1);
        assertThat(failures).hasSize(2);
    }

    @Test
    void aJournalThatFailsIsEndedAlsoIfThereIsNoMemoryForWords() {
        Failing journal = new Failing(Way.HEAP);
        EngineRecording recording =
                new EngineRecording(
                        journal, NanoClock.SYSTEM, LIMITS, 1 << 20, why -> Way.HEAP.fail());
        recording.message(1, ServerRequests.cancel(message, 1, 2, 3), 0);
        recording.message(1, message, 0);
        recording.close();
        assertThat(journal.asked).isEqualTo(1);
    }
}
