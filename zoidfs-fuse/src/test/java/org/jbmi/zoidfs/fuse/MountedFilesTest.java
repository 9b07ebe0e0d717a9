package org.jbmi.zoidfs.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import org.cryptomator.jfuse.api.Fuse;
import org.cryptomator.jfuse.api.Stat;
import org.cryptomator.jfuse.api.TimeSpec;
import org.jbmi.Bmi;
import org.jbmi.tcp.TcpOptions;
import org.jbmi.zoidfs.client.ClientOptions;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.protocol.Dialect;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.server.ZoidfsServer;
import org.jbmi.zoidfs.server.config.ExportKey;
import org.jbmi.zoidfs.server.config.ExportSettings;
import org.jbmi.zoidfs.server.config.Limits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntSupplier;

/** What a mount answers to the kernel, asked without one, so that no FUSE is needed. */
@Timeout(90)
class MountedFilesTest {
    private static final int TIMES = Boolean.getBoolean("jbmi.long") ? 30 : 10;

    @TempDir private Path folder;

    /** Takes whatever it is told, and forgets it. */
    private static <T> T forgetful(Class<T> type) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (proxy, method, arguments) ->
                                method.getReturnType() == TimeSpec.class
                                        ? forgetful(TimeSpec.class)
                                        : null));
    }

    /** Asks until a file that comes and goes was found, and not found, many times each. */
    private static void assertThereOrNot(String what, IntSupplier asked) {
        int there = 0;
        int gone = 0;
        while (there < TIMES || gone < TIMES) {
            int result = asked.getAsInt();
            assertThat(result).as(what).isIn(0, -Status.NOENT);
            there += result == 0 ? 1 : 0;
            gone += result == 0 ? 0 : 1;
        }
    }

    private static void comeAndGo(Path file, AtomicBoolean ended) {
        try {
            while (!ended.get()) {
                Files.writeString(file, "x");
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aFileThatGoesBetweenLookUpAndUseIsNotThere() throws Exception {
        ExportSettings export = ExportSettings.of(folder, ExportKey.random());
        AtomicBoolean ended = new AtomicBoolean();
        try (Bmi bmi =
                        Bmi.builder()
                                .automaticReferences(true)
                                .knob("tcp.bindSpecific", "true")
                                .listen("tcp://127.0.0.1:0")
                                .open();
                ZoidfsServer server =
                        ZoidfsServer.serve(bmi, export, Dialect.MAIN, Limits.DEFAULT);
                Bmi own = Bmi.open();
                ZoidfsClient client =
                        ZoidfsClient.connect(
                                own,
                                "tcp://127.0.0.1:" + bmi.getOption(TcpOptions.PORT),
                                ClientOptions.DEFAULT)) {
            assertThat(server.calls()).isZero();
            MountedFiles files = new MountedFiles(client, Fuse.builder().errno(), () -> {});
            CompletableFuture<Void> changing =
                    CompletableFuture.runAsync(() -> comeAndGo(folder.resolve("f"), ended));
            try {
                Stat stat = forgetful(Stat.class);
                assertThereOrNot("getattr", () -> files.getattr("/f", stat, null));
                assertThereOrNot("chmod", () -> files.chmod("/f", 0600, null));
                assertThereOrNot("truncate", () -> files.truncate("/f", 3, null));
                assertThereOrNot("fsync", () -> files.fsync("/f", 0, null));
            } finally {
                ended.set(true);
            }
            changing.join();
        }
    }
}
