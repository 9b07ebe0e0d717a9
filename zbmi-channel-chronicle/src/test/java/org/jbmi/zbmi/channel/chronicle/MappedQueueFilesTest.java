package org.jbmi.zbmi.channel.chronicle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.jbmi.mempool.os.NativeAccess;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.logging.Filter;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Folders and files on this machine. */
@Timeout(60)
class MappedQueueFilesTest {
    private static final int ROUNDS = 300;
    private static final int SOMEBODY_ELSE = 65_534;

    private final MappedQueueFiles files = new MappedQueueFiles();

    // The engine ends a session while its server leaves: both find the folder, and both remove it.
    @Test
    void twoMayRemoveAFolderAtATime(@TempDir Path directory) throws Exception {
        CyclicBarrier start = new CyclicBarrier(2);
        try (ExecutorService both = Executors.newFixedThreadPool(2)) {
            for (int round = 0; round < ROUNDS; round++) {
                Path folder = directory.resolve("session" + round);
                fill(folder);
                Callable<Void> remover =
                        () -> {
                            start.await();
                            files.remove(folder);
                            return null;
                        };
                for (Future<Void> each : both.invokeAll(List.of(remover, remover))) {
                    each.get();
                }
                assertThat(files.exists(folder)).isFalse();
            }
        }
    }

    private void fill(Path folder) throws Exception {
        files.createFolder(folder);
        files.createFile(folder.resolve("passing"));
        for (String name : List.of("commands", "events")) {
            Path queue = folder.resolve(name);
            files.createFolder(queue);
            for (int i = 0; i < 4; i++) {
                files.createFile(queue.resolve("file" + i));
            }
        }
    }

    @Test
    void whatAnotherUserHasMadeStays(@TempDir Path directory) throws Exception {
        assumeTrue(NativeAccess.effectiveUserId() == 0, "only root gives directories away");
        Path folder = directory.resolve("session");
        fill(folder);
        Files.setAttribute(folder, "unix:uid", SOMEBODY_ELSE);
        files.remove(folder);
        assertThat(files.exists(folder.resolve("events").resolve("file3"))).isTrue();
    }

    /** The host that makes its segment there says so, in one line. */
    @Test
    void aSweepOfADirectoryThatIsNotThereSaysNothing(@TempDir Path directory) {
        List<LogRecord> said = new ArrayList<>();
        Logger logger = Logger.getLogger(ChannelFolder.class.getName());
        Filter before = logger.getFilter();
        logger.setFilter(
                each -> {
                    said.add(each);
                    return false;
                });
        try {
            ChannelFolder.sweep(files, directory.resolve("nowhere"), "segment");
        } finally {
            logger.setFilter(before);
        }
        assertThat(said).isEmpty();
    }

    @Test
    void whatIsNotThereNeedNotBeRemoved(@TempDir Path directory) throws Exception {
        files.remove(directory.resolve("nowhere"));
        assertThat(Files.isDirectory(directory)).isTrue();
    }
}
