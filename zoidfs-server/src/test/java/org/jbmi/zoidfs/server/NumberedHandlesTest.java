package org.jbmi.zoidfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zoidfs.client.ClientOptions;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.protocol.Dialect;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.server.config.ExportKey;
import org.jbmi.zoidfs.server.config.ExportSettings;
import org.jbmi.zoidfs.server.config.Limits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;

/** Handles of the server's own, for files whose file system has none. */
@Timeout(60)
class NumberedHandlesTest extends ServerFeature {
    private static final int FEW = 4;
    private static final int APPENDS = 500;
    private static final int BYTES = 64;

    private static final UnaryOperator<ExportSettings> FEW_NUMBERS =
            settings ->
                    new ExportSettings(
                            settings.folder(),
                            false,
                            settings.key(),
                            FEW,
                            15_000,
                            FEW,
                            null,
                            false);

    private static void makeOthers(ZoidfsClient client) throws Exception {
        for (int i = 0; i < 2 * FEW; i++) {
            client.create(FileSpec.path("/other" + i), PLAIN);
        }
    }

    private static CompletableFuture<Boolean> appending(ZoidfsClient client, FileHandle file) {
        return client.submit(
                () -> {
                    for (int i = 0; i < APPENDS; i++) {
                        client.append(file, random(BYTES, i), 0);
                    }
                    return true;
                });
    }

    /** With a second handle its file would have two ends for appends. */
    @Test
    void anOpenFileKeepsItsHandleWhateverElseIsLookedUp() throws Exception {
        try (TestServer server =
                        TestServer.of(
                                folder,
                                Dialect.MAIN,
                                settings -> FEW_NUMBERS.apply(settings).withMaxOpenFiles(1_024),
                                Limits.DEFAULT);
                Client one = Client.of(server, ClientOptions.DEFAULT);
                Client two = Client.of(server, ClientOptions.DEFAULT)) {
            FileHandle file = one.zoidfs().create(FileSpec.path("/log"), PLAIN).handle();
            makeOthers(two.zoidfs());
            FileHandle again = two.zoidfs().lookup(FileSpec.path("/log"));
            for (CompletableFuture<Boolean> each :
                    List.of(appending(one.zoidfs(), file), appending(two.zoidfs(), again))) {
                assertThat(each.get()).isTrue();
            }
            assertThat(folder.resolve("log")).hasSize(2L * APPENDS * BYTES);
            assertThat(again).isEqualTo(file);
        }
    }

    /** The server learns the new path after the rename. */
    @ParameterizedTest
    @CsvSource({"/d/f, /d/g", "/d, /e"})
    void aHandleIsValidWhileItsFileOrFolderIsRenamed(String from, String to) throws Exception {
        CountDownLatch isRenamed = new CountDownLatch(1);
        CountDownLatch isMissed = new CountDownLatch(1);
        TestDisk disk =
                TestDisk.of()
                        .afterRename(
                                () -> {
                                    isRenamed.countDown();
                                    await(isMissed);
                                })
                        .whenMissing(isMissed::countDown);
        Files.createDirectory(folder.resolve("d"));
        Files.writeString(folder.resolve("d/f"), "text");
        ExportSettings settings =
                ExportSettings.of(folder, ExportKey.random()).withoutFileSystemHandles();
        try (TestServer server = TestServer.on(disk.calls(), settings, limits(4 << 20, 3));
                Client client = Client.of(server, ClientOptions.DEFAULT)) {
            ZoidfsClient zoidfs = client.zoidfs();
            FileHandle file = zoidfs.lookup(FileSpec.path("/d/f"));
            CompletableFuture<Boolean> renamed =
                    zoidfs.submit(
                            () -> {
                                zoidfs.rename(FileSpec.path(from), FileSpec.path(to));
                                return true;
                            });
            await(isRenamed);
            assertThat(zoidfs.getAttributes(file).size()).isEqualTo(4);
            assertThat(renamed.get()).isTrue();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException("Nobody interrupts a thread of this test", e);
        }
    }

    @Test
    void aNumberThatNobodyUsesIsForgotten() throws Exception {
        try (TestServer server = TestServer.of(folder, Dialect.MAIN, FEW_NUMBERS, Limits.DEFAULT);
                Client client = Client.of(server, ClientOptions.DEFAULT)) {
            FileHandle file = client.zoidfs().create(FileSpec.path("/f"), PLAIN).handle();
            makeOthers(client.zoidfs());
            assertStatus(Status.STALE, () -> client.zoidfs().getAttributes(file));
            assertThat(client.zoidfs().lookup(FileSpec.path("/f"))).isNotEqualTo(file);
        }
    }
}
