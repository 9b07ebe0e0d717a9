package org.jbmi.zbmi.host.place;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.BmiException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Random;

@Timeout(60)
class ErrorsFileTest {
    @TempDir Path temporary;

    private final ErrorLog log = new ErrorLog(text -> {});

    private Path path() {
        return temporary.resolve("errors");
    }

    @Test
    void whatWasRecordedBeforeAndAfterIsReadFromOutside() throws IOException {
        log.record("one");
        try (ErrorsFile file = ErrorsFile.create(path())) {
            log.keepIn(file);
            log.record("two \u00e4");
            log.record("one");
            assertThat(ErrorsFile.read(path())).isEqualTo(log.entries()).hasSize(2);
            assertThat(ErrorsFile.read(path()).getFirst().count()).isEqualTo(2);
            assertThat(Files.getPosixFilePermissions(path()))
                    .isEqualTo(PosixFilePermissions.fromString("rw-------"));
        }
        assertThat(path()).doesNotExist();
        assertThat(ErrorsFile.read(path())).isEmpty();
        log.record("three");
    }

    @Test
    void itIsBoundedInNumberAndInLength() throws IOException {
        try (ErrorsFile file = ErrorsFile.create(path())) {
            log.keepIn(file);
            for (int i = 0; i < 1000; i++) {
                log.record("error " + i + "x".repeat(1000));
            }
            List<ErrorLog.Entry> read = ErrorsFile.read(path());
            assertThat(read).hasSize(ErrorLog.CAPACITY + 1);
            assertThat(read.getLast().count()).isEqualTo(1000 - ErrorLog.CAPACITY);
            assertThat(read.getFirst().text()).startsWith("error 0x").hasSize(484);
            assertThat(Files.size(path())).isEqualTo((ErrorLog.CAPACITY + 2) * 512L);
        }
    }

    @Test
    void aReaderBesideTheWriterSeesWholeEntries() throws Exception {
        try (ErrorsFile file = ErrorsFile.create(path())) {
            log.keepIn(file);
            Thread writer =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        for (int i = 0; i < 20_000; i++) {
                                            log.record("error " + "abc".repeat(i % 100) + ".");
                                        }
                                    });
            while (writer.isAlive()) {
                assertThat(ErrorsFile.read(path())).allMatch(e -> e.text().endsWith("."));
            }
            writer.join();
            assertThat(ErrorsFile.read(path())).hasSize(100).isEqualTo(log.entries());
        }
    }

    @Test
    void garbageIsRefusedInWordsOrReadInBounds() throws IOException {
        long seed = System.nanoTime();
        System.out.println("ErrorsFileTest seed " + seed);
        Random random = new Random(seed);
        ErrorsFile.create(path());
        log.keepIn(ErrorsFile.create(path()));
        log.record("something");
        byte[] sound = Files.readAllBytes(path());
        for (int i = 0; i < 300; i++) {
            byte[] bytes = sound.clone();
            for (int k = 0; k < 20; k++) {
                bytes[random.nextInt(1200)] = (byte) random.nextInt();
            }
            Files.write(path(), bytes);
            try {
                assertThat(ErrorsFile.read(path())).hasSizeLessThan(300);
            } catch (BmiException e) {
                assertThat(e).hasMessageContaining("no file of errors");
            }
        }
        Files.write(path(), new byte[100]);
        assertThatThrownBy(() -> ErrorsFile.read(path()))
                .isInstanceOf(BmiException.class)
                .hasMessageContaining("errors");
    }
}
