package org.jbmi.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.testsuite.Capability;
import org.jbmi.testsuite.Catalogue;
import org.jbmi.testsuite.Fixtures;
import org.jbmi.testsuite.MethodFixture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** A capability that a fixture does not declare any more would skip its cases without a word. */
@Timeout(30)
class SkippedCasesTest {
    @Test
    void eachConfigurationSkipsAsManyCasesAsItShould() {
        Map<String, Long> skipped = new TreeMap<>();
        for (MethodFixture fixture : Fixtures.all()) {
            Set<Capability> can = fixture.capabilities();
            skipped.put(
                    fixture.fullName(),
                    Catalogue.all().stream().filter(one -> !can.containsAll(one.needs())).count());
        }
        assertThat(skipped)
                .isEqualTo(
                        Map.of(
                                "loopback", 66L,
                                "tcp-orangefs", 53L,
                                "tcp-standalone", 52L,
                                "zoid-daemon", 19L,
                                "zoid-daemon-chronicle", 19L,
                                "zoid-daemon-posix-mq", 19L,
                                "zoid-direct", 19L,
                                "zoid-embedded", 24L,
                                "zoid-socket-tcp", 25L,
                                "zoid-socket-unix", 25L));
    }
}
