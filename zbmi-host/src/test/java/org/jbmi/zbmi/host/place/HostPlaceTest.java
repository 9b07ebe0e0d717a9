package org.jbmi.zbmi.host.place;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.config.Configuration;
import org.jbmi.zbmi.attach.RuntimeDirectory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;

@Timeout(60)
class HostPlaceTest {
    @TempDir private Path folder;

    private Configuration knobs() {
        return Configuration.resolve(
                HostKnobs.all(),
                Map.of(
                        "zbmi.totalBytes", "1m",
                        "zbmi.unexpectedBytes", "64k",
                        "zbmi.maxClients", "4",
                        "zbmi.segmentDirectory", folder.toString()));
    }

    /** In a full heap a class may fail to begin, and is then missing for good. */
    @Test
    void aResourceWhoseClassIsMissingKeepsNoOtherOne() throws IOException {
        RuntimeDirectory directory = new RuntimeDirectory(folder.resolve("run"));
        HostPlace place = new HostPlace("The host", directory, knobs(), new ErrorLog(error -> {}));
        place.keep(
                () -> {
                    throw new NoClassDefFoundError("played");
                });
        place.close();
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactly(directory.path());
        }
        HostLock.acquire(directory).close();
    }
}
