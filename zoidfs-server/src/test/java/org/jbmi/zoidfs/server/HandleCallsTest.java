package org.jbmi.zoidfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.jbmi.zoidfs.server.os.SystemCalls;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/** Files by the names that a file system itself gives. */
@Timeout(60)
class HandleCallsTest {
    private static final int TIMES = 100_000;
    private static final int ESTALE = 116;

    @TempDir private Path folder;

    private static int open(SystemCalls calls, Path path) {
        String name =
                new String(
                        path.toString().getBytes(StandardCharsets.UTF_8),
                        StandardCharsets.ISO_8859_1);
        return calls.open(SystemCalls.CURRENT_FOLDER, name, SystemCalls.O_RDONLY, 0);
    }

    private static void comeAndGo(Path file, AtomicBoolean ended) {
        SystemCalls calls = SystemCalls.bind();
        try {
            while (!ended.get()) {
                Files.createFile(file);
                calls.close(open(calls, file));
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // A file that is just being made may have the number of the one that was named.
    @Test
    void aFileThatHasGoneIsStaleWhileOthersAreMade() throws Exception {
        SystemCalls calls = SystemCalls.bind();
        int root = open(calls, folder);
        Path file = Files.createFile(folder.resolve("f"));
        int named = open(calls, file);
        byte[] name = calls.handles().name(named, 128);
        calls.close(named);
        assumeTrue(name != null, "this file system gives no names");
        int again = calls.handles().open(root, name);
        assumeTrue(again >= 0, "this process may not open files by such names");
        calls.close(again);
        Files.delete(file);

        AtomicBoolean ended = new AtomicBoolean();
        CompletableFuture<Void> changing = CompletableFuture.runAsync(() -> comeAndGo(file, ended));
        try {
            for (int i = 0; i < TIMES; i++) {
                assertThat(calls.handles().open(root, name)).isEqualTo(-ESTALE);
            }
        } finally {
            ended.set(true);
        }
        changing.join();
        calls.close(root);
    }
}
