package org.jbmi.zoidfs.server.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import com.lmax.disruptor.RingBuffer;

import org.jbmi.zoidfs.server.config.ExportKey;
import org.jbmi.zoidfs.server.config.ExportSettings;
import org.jbmi.zoidfs.server.files.ExportRoot;
import org.jbmi.zoidfs.server.os.SystemCalls;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** Who runs what. */
@Timeout(60)
class WorkersTest {
    private static final int WORKERS = 4;
    private static final int TASKS = 100;

    @TempDir private Path folder;

    private final Set<Thread> runners = ConcurrentHashMap.newKeySet();
    private final CountDownLatch left = new CountDownLatch(TASKS);
    private final AtomicReference<Consumer<DiskTask>> workers = new AtomicReference<>();

    /** One of a chain: when it was run, the stage lets the next one begin. */
    private final class Link extends DiskTask {
        @Override
        void run(SystemCalls calls) {
            runners.add(Thread.currentThread());
        }

        @Override
        void done() {
            left.countDown();
            if (left.getCount() > 0) {
                workers.get().accept(new Link());
            }
        }
    }

    /** A task that throws, and tells its end. */
    private static final class Failing extends DiskTask {
        private final CountDownLatch told;

        Failing(CountDownLatch told) {
            this.told = told;
        }

        @Override
        void run(SystemCalls calls) {
            throw new OutOfMemoryError("planted by the test");
        }

        @Override
        void done() {
            told.countDown();
        }
    }

    @Test
    void aWorkerGoesOnAfterATaskThatThrows() throws Exception {
        CountDownLatch told = new CountDownLatch(2 * WORKERS);
        withWorkers(
                pool -> {
                    for (int i = 0; i < 2 * WORKERS; i++) {
                        pool.submit(new Failing(told));
                    }
                    told.await();
                });
    }

    /** The stage throws once for each worker; then all of them must still be there. */
    @Test
    void aWorkerGoesOnAfterAStageThatThrows() throws Exception {
        CountDownLatch told = new CountDownLatch(2 * WORKERS);
        withWorkers(
                task -> {
                    task.done();
                    throw new OutOfMemoryError("planted by the test");
                },
                pool -> {
                    for (int i = 0; i < 2 * WORKERS; i++) {
                        pool.submit(new Failing(told));
                    }
                    told.await();
                });
    }

    @Test
    void whatAWorkerFindsInItsOwnTurnItRunsItself() throws Exception {
        withWorkers(
                pool -> {
                    pool.submit(new Link());
                    left.await();
                    assertThat(runners).hasSize(1);
                });
    }

    /** What a test does with running workers. */
    private interface Use {
        void of(Workers pool) throws InterruptedException;
    }

    private void withWorkers(Use use) throws Exception {
        withWorkers(
                task -> {
                    task.done();
                    return true;
                },
                use);
    }

    private void withWorkers(Workers.Stage stage, Use use) throws Exception {
        SystemCalls calls = SystemCalls.bind();
        ExportRoot root = new ExportRoot(ExportSettings.of(folder, ExportKey.random()), calls);
        Feed feed = new Feed(RingBuffer.createMultiProducer(Inbound::new, 16));
        Workers pool = new Workers(feed);
        workers.set(pool::submit);
        pool.start(WORKERS, root, calls, stage);
        try {
            use.of(pool);
        } finally {
            pool.end();
            pool.join();
            root.close(calls);
        }
    }
}
