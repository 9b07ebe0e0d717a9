package org.jbmi.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.util.Map;
import java.util.Set;

/**
 * What modules offer on the class path: a file that bears the name of a service that moved offers
 * nothing, and nobody hears of it.
 */
@Timeout(60)
class ServiceFilesTest {
    @ParameterizedTest
    @EnumSource(House.class)
    void everyOfferIsOneOfAServiceThatThereIs(House module) throws Exception {
        for (Map.Entry<String, Set<String>> offer : ServiceFiles.of(module).entrySet()) {
            for (String provider : offer.getValue()) {
                assertThat(type(offer.getKey())).isAssignableFrom(type(provider));
            }
        }
    }

    @Test
    void offersAreSeen() throws IOException {
        assertThat(ServiceFiles.of(House.BENCHMARKS).get("org.jbmi.rig.perf.baseline.Baseline"))
                .contains("org.jbmi.benchmarks.aeron.AeronIpc");
    }

    private static Class<?> type(String name) throws ClassNotFoundException {
        return Class.forName(name, false, ServiceFilesTest.class.getClassLoader());
    }
}
