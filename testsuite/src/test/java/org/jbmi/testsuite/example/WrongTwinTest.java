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

/** The kit finds the fault of the wrong twin of the example. */
@Timeout(60)
class WrongTwinTest {
    private static final class TwinFixture extends NoteFixture {
        @Override
        public String name() {
            return "forgetful-note";
        }

        @Override
        void prepare(BmiBuilder builder) {
            builder.attach(NoteProvider.Forgetful.class, new NoteProvider.Forgetful());
        }
    }

    @Test
    void tagsThatDifferByTheirSignAreFoundOut() {
        CaseRunner runner = new CaseRunner(new TwinFixture(), Exclusions.none());
        List<ConformanceCase> group =
                Catalogue.all().stream().filter(one -> one.group() == 'F').toList();
        List<Integer> failed =
                group.stream()
                        .map(runner::run)
                        .filter(result -> result.outcome() == CaseResult.Outcome.FAILED)
                        .map(result -> result.conformanceCase().id())
                        .toList();
        assertThat(failed).as("case 82: tags over all 32 bits").containsExactly(82);
    }
}
