package org.jbmi.zbmi.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.config.Configuration;
import org.jbmi.zbmi.host.place.HostKnobs;
import org.jbmi.zbmi.host.place.HostLayout;
import org.jbmi.zbmi.protocol.handshake.HostKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

@Timeout(60)
class DirectHostingTest {
    @TempDir private Path folder;

    private final AtomicBoolean isReleased = new AtomicBoolean();
    private boolean isJournalOpen;

    private Path journal() {
        return folder.resolve("journal");
    }

    // There is no memory for the engine, which reads the clock when it is made.
    private long nanoTime() {
        if (StackWalker.getInstance()
                .walk(
                        frames ->
                                frames.anyMatch(
                                        frame ->
                                                frame.getClassName()
                                                        .equals(DirectEngine.class.getName())))) {
            isJournalOpen = journal().toFile().exists();
            throw new OutOfMemoryError("played");
        }
        return System.nanoTime();
    }

    private HostLayout layout() {
        return HostLayout.of(
                Configuration.resolve(
                        HostKnobs.all(),
                        Map.of(
                                "zbmi.totalBytes", "1m",
                                "zbmi.unexpectedBytes", "64k",
                                "zbmi.maxClients", "4",
                                "zbmi.journal", journal().toString())));
    }

    @Test
    void withoutMemoryForTheEngineNoJournalStaysOpen() {
        PlayedHost host = new PlayedHost(this::nanoTime);
        DirectResources resources =
                new DirectResources(
                        HostKind.EMBEDDED,
                        layout(),
                        host.memory,
                        MemorySegment.NULL,
                        "played",
                        1,
                        host.counters,
                        host.context,
                        folder.resolve("socket"),
                        null,
                        () -> isReleased.set(true));
        assertThatThrownBy(() -> DirectHosting.open(resources, 1_000_000))
                .isInstanceOf(OutOfMemoryError.class)
                .hasMessage("played");
        assertThat(isJournalOpen).isTrue();
        assertThat(journal()).doesNotExist();
        assertThat(isReleased).isTrue();
    }
}
