package org.jbmi.zoidfs.server.nio;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;

/** The zip file system of the JDK, on archives that are files of a server. */
@Timeout(60)
class ZipTest extends ServedFiles {
    private static final int FILES = 20;

    private static byte[] content(int number) {
        byte[] bytes = new byte[10_000 * number];
        new Random(number).nextBytes(bytes);
        return bytes;
    }

    @Test
    void anArchiveIsMadeChangedAndRead() throws IOException {
        Path archive = path("/a.zip");
        try (FileSystem zip = FileSystems.newFileSystem(archive, Map.of("create", "true"))) {
            Files.createDirectory(zip.getPath("/d"));
            for (int i = 0; i < FILES; i++) {
                Files.write(zip.getPath("/d/file" + i), content(i));
            }
        }
        try (FileSystem zip = FileSystems.newFileSystem(archive)) {
            Files.delete(zip.getPath("/d/file3"));
            Files.copy(zip.getPath("/d/file7"), path("/taken-out"));
        }
        assertThat(Files.readAllBytes(path("/taken-out"))).isEqualTo(content(7));
        // The archive is a good one without a server, too.
        try (FileSystem zip = FileSystems.newFileSystem(local("a.zip"))) {
            assertThat(zip.getPath("/d/file3")).doesNotExist();
            for (int i = 4; i < FILES; i++) {
                assertThat(Files.readAllBytes(zip.getPath("/d/file" + i))).isEqualTo(content(i));
            }
        }
    }
}
