package org.jbmi.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * What modules offer on the class path: a file that bears the name of a service that moved offers
 * nothing, and nobody hears of it.
 */
@Timeout(60)
class ServiceFilesTest {
    private static final String SERVICES = "META-INF/services";

    /** One line of such a file. */
    private record Offer(String service, String provider) {}

    @ParameterizedTest
    @EnumSource(House.class)
    void everyOfferIsOneOfAServiceThatThereIs(House module) throws Exception {
        for (Offer offer : offers(module)) {
            assertThat(type(offer.service())).as(offer.toString()).isNotNull();
            assertThat(type(offer.service())).isAssignableFrom(type(offer.provider()));
        }
    }

    @Test
    void offersAreSeen() throws IOException {
        assertThat(offers(House.BENCHMARKS))
                .contains(
                        new Offer(
                                "org.jbmi.rig.perf.baseline.Baseline",
                                "org.jbmi.benchmarks.aeron.AeronIpc"));
    }

    private static Class<?> type(String name) throws ClassNotFoundException {
        return Class.forName(name, false, ServiceFilesTest.class.getClassLoader());
    }

    private static List<Offer> offers(House module) throws IOException {
        Path classes = module.classes();
        if (Files.isDirectory(classes)) {
            return offers(classes);
        }
        try (FileSystem jar = FileSystems.newFileSystem(classes)) {
            return offers(jar.getPath("/"));
        }
    }

    private static List<Offer> offers(Path classes) throws IOException {
        Path folder = classes.resolve(SERVICES);
        List<Offer> offers = new ArrayList<>();
        if (!Files.isDirectory(folder)) {
            return offers;
        }
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.readAllLines(file).stream()
                        .map(line -> line.replaceFirst("#.*", "").strip())
                        .filter(line -> !line.isEmpty())
                        .map(line -> new Offer(file.getFileName().toString(), line))
                        .forEach(offers::add);
            }
        }
        return offers;
    }
}
