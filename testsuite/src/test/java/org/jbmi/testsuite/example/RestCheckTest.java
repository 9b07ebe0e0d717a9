package org.jbmi.testsuite.example;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.observe.Counter;
import org.jbmi.testsuite.Environment;
import org.jbmi.testsuite.EnvironmentSettings;
import org.jbmi.testsuite.RestCheck;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;

/** What an instance leaves is found in counters that a method makes later than the instance. */
@Timeout(60)
class RestCheckTest {
    private static final String LOST = "note.lostBlocks";
    private static final String SURPLUS = "note.surplus";

    private final NoteFixture fixture =
            new NoteFixture() {
                @Override
                public String name() {
                    return "not-the-prefix-of-its-counters";
                }

                @Override
                public String leakedBlocksCounter(boolean ofServer) {
                    return LOST;
                }

                @Override
                public List<String> restCounters() {
                    return List.of("note.held");
                }

                @Override
                public List<String> faultCounters() {
                    return List.of(SURPLUS);
                }
            };
    private final RestCheck rest = new RestCheck(fixture);

    @Test
    void blocksAreLostInAMethodThatIsUsedLater() throws Exception {
        try (Environment environment = fixture.open(EnvironmentSettings.DEFAULT);
                Bmi client = environment.clientBuilder().open()) {
            rest.watch(client);
            rest.expectNoLostBlocks(); // no method yet, so no counter
            client.counters().register(1, LOST, "blocks").increment();
            assertThatThrownBy(rest::expectNoLostBlocks).hasMessageContaining(LOST);
        }
    }

    @Test
    void aPeerThatBrokeTheProtocolIsFound() throws Exception {
        try (Environment environment = fixture.open(EnvironmentSettings.DEFAULT);
                Bmi client = environment.clientBuilder().open()) {
            rest.watch(client);
            rest.expectNoFaults(); // no method yet, so no counter
            Counter surplus = client.counters().register(1, SURPLUS, "messages");
            rest.expectNoFaults();
            surplus.increment();
            assertThatThrownBy(rest::expectNoFaults).hasMessageContaining(SURPLUS);
            rest.expectFaults(client, 1);
            rest.expectNoFaults();
            surplus.increment();
            assertThatThrownBy(rest::expectNoFaults).hasMessageContaining(SURPLUS);
        }
    }

    @Test
    void aMethodWithoutTheCountersFails() throws Exception {
        try (Environment environment = fixture.open(EnvironmentSettings.DEFAULT);
                Bmi client = environment.clientBuilder().method("note").open()) {
            rest.watch(client);
            assertThatThrownBy(rest::expectNoLostBlocks).hasMessageContaining(LOST);
            assertThatThrownBy(rest::expectNoFaults).hasMessageContaining(SURPLUS);
            assertThatThrownBy(() -> rest.expectAtRest(client)).hasMessageContaining("note.held");
            client.counters().register(1, "note.held", "messages");
            assertThatThrownBy(() -> rest.expectAtRest(client)).hasMessageContaining(LOST);
            client.counters().register(2, LOST, "blocks");
            assertThatThrownBy(() -> rest.expectAtRest(client)).hasMessageContaining(SURPLUS);
            client.counters().register(3, SURPLUS, "messages");
            rest.expectAtRest(client);
        }
    }

    @Test
    void aMethodWithoutTheCountersFailsWhenTheInstanceIsClosed() throws Exception {
        try (Environment environment = fixture.open(EnvironmentSettings.DEFAULT)) {
            try (Bmi unused = environment.clientBuilder().open()) {
                rest.watch(unused);
            }
            rest.expectNoLostBlocks();
            rest.expectNoFaults();
            try (Bmi client = environment.clientBuilder().method("note").open()) {
                rest.watch(client);
            }
            assertThatThrownBy(rest::expectNoLostBlocks).hasMessageContaining(LOST);
            assertThatThrownBy(rest::expectNoFaults).hasMessageContaining(SURPLUS);
        }
    }

    @Test
    void whatAClosedInstanceHoldsIsFound() throws Exception {
        try (Environment environment = fixture.open(EnvironmentSettings.DEFAULT)) {
            Bmi client = environment.clientBuilder().method("note").open();
            try (client) {
                client.counters().register(1, "note.held", "messages").increment();
                client.counters().register(2, LOST, "blocks");
                client.counters().register(3, SURPLUS, "messages");
            }
            assertThatThrownBy(() -> rest.expectAtRest(client))
                    .hasMessageContaining("note.held of a closed instance");
        }
    }
}
