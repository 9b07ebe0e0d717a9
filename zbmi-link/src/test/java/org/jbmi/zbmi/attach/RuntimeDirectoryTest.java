package org.jbmi.zbmi.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

class RuntimeDirectoryTest {
    @TempDir Path temporary;

    @Test
    void isMadeForItsUserAlone() throws IOException {
        Path path = temporary.resolve("a").resolve("run");
        RuntimeDirectory directory = new RuntimeDirectory(path);
        assertThat(directory.check()).isFalse();
        directory.prepare();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                .isEqualTo("rwx------");
        directory.prepare();
        assertThat(directory.check()).isTrue();
    }

    @Test
    void whyItCannotBeMadeIsSaidInWords() throws IOException {
        Path file = Files.createFile(temporary.resolve("file"));
        RuntimeDirectory below = new RuntimeDirectory(file.resolve("run"));
        assertThatThrownBy(below::prepare)
                .isInstanceOf(BmiException.class)
                .hasMessageContaining(file.toString())
                .hasMessageNotContaining("Exception");
    }

    @Test
    void theEmptyPathIsNotTheCurrentFolder() {
        assertThatThrownBy(() -> RuntimeDirectory.KNOB.parse(" ", "the program"))
                .isInstanceOf(BmiException.class)
                .hasMessageContaining("zoid.runtimeDirectory")
                .extracting(e -> ((BmiException) e).code())
                .isEqualTo(ErrorCode.EINVAL);
    }

    @Test
    void aRelativeDirectoryOfTheUserIsNone() {
        String none = RuntimeDirectory.defaultPath(null);
        assertThat(none).startsWith("/");
        assertThat(RuntimeDirectory.defaultPath("relative")).isEqualTo(none);
        assertThat(RuntimeDirectory.defaultPath(" ")).isEqualTo(none);
        assertThat(RuntimeDirectory.defaultPath("/run/user/7")).startsWith("/run/user/7/zbmi-");
    }

    @Test
    void isRefusedIfOthersMayLookInside() throws IOException {
        Path path = Files.createDirectory(temporary.resolve("wide"));
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-x---"));
        assertThatThrownBy(() -> new RuntimeDirectory(path).prepare())
                .isInstanceOf(BmiException.class)
                .hasMessageContaining("0700")
                .extracting(e -> ((BmiException) e).code())
                .isEqualTo(ErrorCode.EACCES);
    }

    @Test
    void isRefusedIfItIsALinkOrAFile() throws IOException {
        Path real = temporary.resolve("real");
        new RuntimeDirectory(real).prepare();
        Path link = Files.createSymbolicLink(temporary.resolve("link"), real);
        assertThatThrownBy(() -> new RuntimeDirectory(link).check())
                .hasMessageContaining("not a directory");
        Path file = Files.createFile(temporary.resolve("file"));
        assertThatThrownBy(() -> new RuntimeDirectory(file).prepare())
                .hasMessageContaining("not a directory");
    }

    @Test
    void aPathTooLongForASocketIsRefusedInWords() {
        RuntimeDirectory directory = new RuntimeDirectory(temporary.resolve("x".repeat(100)));
        assertThatThrownBy(directory::prepare)
                .isInstanceOf(BmiException.class)
                .hasMessageContaining("zoid.runtimeDirectory")
                .extracting(e -> ((BmiException) e).code())
                .isEqualTo(ErrorCode.ENAMETOOLONG);
        assertThat(directory.path()).doesNotExist();
    }

    /** Peers are redirected to the absolute path. */
    @Test
    void aRelativePathIsAsLongAsItsAbsoluteOne() {
        int absoluteBytes = Path.of("").toAbsolutePath().toString().length();
        Path shortest = Path.of("x".repeat(Math.max(1, 88 - absoluteBytes)));
        RuntimeDirectory directory = new RuntimeDirectory(shortest);
        assertThat(directory.serverSocket().toString().length())
                .isLessThanOrEqualTo(RuntimeDirectory.MAX_SOCKET_PATH_BYTES);
        assertThatThrownBy(directory::checkLength)
                .isInstanceOf(BmiException.class)
                .hasMessageContaining(directory.socket().toAbsolutePath().toString())
                .extracting(e -> ((BmiException) e).code())
                .isEqualTo(ErrorCode.ENAMETOOLONG);
    }
}
