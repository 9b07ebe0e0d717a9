package org.jbmi.zoidfs.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Why nothing can be mounted is said with what may be done about it. */
class WhyNotTest {
    @TempDir private Path folder;

    @Test
    void eachReasonSaysWhatToDo() throws IOException {
        Path device = folder.resolve("fuse");
        Path library = folder.resolve("libfuse3.so.3");
        assertThat(ZoidfsMount.whyNot(device, List.of(library), null))
                .startsWith(device + " cannot be opened (it is not there)")
                .contains("modprobe fuse");
        Files.createFile(device);
        assertThat(ZoidfsMount.whyNot(device, List.of(library), null))
                .contains("Install it (Debian: libfuse3-3), or name its file with --libfuse.");
        assertThat(ZoidfsMount.whyNot(device, List.of(), library))
                .startsWith(library + " is no file")
                .contains("--libfuse takes the path of libfuse3.so.3");
        Files.createFile(library);
        assertThat(ZoidfsMount.whyNot(device, List.of(), library)).isNull();
        assertThat(ZoidfsMount.whyNot(device, List.of(library), null)).isNull();
    }
}
