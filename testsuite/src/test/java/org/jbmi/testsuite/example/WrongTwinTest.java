package org.jbmi.testsuite.example;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.BmiBuilder;
import org.jbmi.testsuite.CaseResult;
import org.jbmi.testsuite.CaseRunner;
import org.jbmi.testsuite.Catalogue;
import org.jbmi.testsuite.ConformanceCase;
import org.jbmi.testsuite.Exclusions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;

/** The kit finds the faults of the wrong twins of the example. */
@Timeout(60)
class WrongTwinTest {
    /** The case waits for a message that is lost; in its full time it would wait for longer. */
    private static final int FAULTY = 82;

    private static final int LOST_SECONDS = 1;

    private static final class TwinFixture extends NoteFixture {
        private final NoteProvider.Twin twin;

        TwinFixture(NoteProvider.Twin twin) {
            this.twin = twin;
        }

        @Override
        public String name() {
            return "twin-of-note";
        }

        @Override
        void prepare(BmiBuilder builder) {
            builder.attach(NoteProvider.Twin.class, twin);
        }
    }

    private static ConformanceCase briefly(ConformanceCase one) {
        int seconds = one.id() == FAULTY ? LOST_SECONDS : one.seconds();
        return new ConformanceCase(
                one.id(), one.group(), one.title(), one.needs(), seconds, one.body());
    }

    @Test
    void tagsThatDifferByTheirSignAreFoundOut() {
        CaseRunner runner =
                new CaseRunner(new TwinFixture(ForgetfulNoteMethod::new), Exclusions.none());
        List<ConformanceCase> group =
                Catalogue.all().stream().filter(one -> one.group() == 'F').toList();
        List<Integer> failed =
                group.stream()
                        .map(WrongTwinTest::briefly)
                        .map(runner::run)
                        .filter(result -> result.outcome() == CaseResult.Outcome.FAILED)
                        .map(result -> result.conformanceCase().id())
                        .toList();
        assertThat(failed).as("case 82: tags over all 32 bits").containsExactly(FAULTY);
    }

    /** The counter that the example does not have; its exclusions name the case. */
    @Test
    void aFixtureWithoutTheCounterOfLostBlocksIsToldWhichOneItIs() {
        CaseRunner runner = new CaseRunner(new NoteFixture(), Exclusions.none());
        for (ConformanceCase one : Catalogue.chosen("58")) {
            assertThat(runner.run(one).reason()).contains("leakedBlocksCounter is null");
        }
    }

    /** What the other direction has left in the buffer must not pass for the message. */
    @Test
    void messagesOfOneDirectionThatAreNotCopiedAreFoundOut() {
        CaseRunner runner = new CaseRunner(new TwinFixture(LazyNoteMethod::new), Exclusions.none());
        for (ConformanceCase one : Catalogue.chosen("65,66")) {
            assertThat(runner.run(one).reason()).contains("the bytes that arrived differ");
        }
    }
}
