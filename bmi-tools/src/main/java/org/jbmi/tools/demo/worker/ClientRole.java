package org.jbmi.tools.demo.worker;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.CompletionContext;
import org.jbmi.tools.demo.forward.ForwardClient;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.function.LongConsumer;

/** A client: ships the file when it is told to, fetches it back when it is told to. */
public final class ClientRole implements Role {
    private static final long PROGRESS_NS = 50_000_000;

    private final WorkerSettings settings;
    private final int number;
    private final BmiBuilder builder;

    /**
     * Makes a client.
     *
     * @param settings of the demo
     * @param number its number, also that of its file at the server
     * @param builder describes its instance
     */
    public ClientRole(WorkerSettings settings, int number, BmiBuilder builder) {
        this.settings = settings;
        this.number = number;
        this.builder = builder;
    }

    @Override
    public void work(WorkerChannel channel) throws Exception {
        try (FileChannel source = FileChannel.open(settings.file(), StandardOpenOption.READ);
                Bmi bmi = builder.open();
                CompletionContext context = bmi.openContext()) {
            ForwardClient client =
                    new ForwardClient(
                            bmi,
                            context,
                            bmi.lookup(settings.address()),
                            settings.chunkBytes(),
                            settings.depth(),
                            channel::isStopped);
            channel.tell(WorkerEvent.of(WorkerEvent.Kind.READY, ""));
            serve(channel, client, source);
            client.close();
        }
    }

    private void serve(WorkerChannel channel, ForwardClient client, FileChannel source)
            throws IOException, InterruptedException {
        for (; ; ) {
            switch (channel.next()) {
                case WRITE -> channel.tell(write(client, source, progress(channel)));
                case READ -> channel.tell(read(client, progress(channel)));
                case QUIT -> {
                    return;
                }
            }
        }
    }

    private WorkerEvent write(ForwardClient client, FileChannel source, LongConsumer progress)
            throws IOException {
        long beginNs = System.nanoTime();
        client.write(number, source, settings.sizeBytes(), progress);
        long nanos = System.nanoTime() - beginNs;
        return new WorkerEvent(WorkerEvent.Kind.WROTE, settings.sizeBytes(), nanos, "");
    }

    private WorkerEvent read(ForwardClient client, LongConsumer progress) throws IOException {
        MessageDigest digest = sha256();
        long beginNs = System.nanoTime();
        client.read(number, settings.sizeBytes(), digest, progress);
        long nanos = System.nanoTime() - beginNs;
        String hex = HexFormat.of().formatHex(digest.digest());
        return new WorkerEvent(WorkerEvent.Kind.READ, settings.sizeBytes(), nanos, hex);
    }

    /** News of progress, not more often than the eye can follow. */
    private static LongConsumer progress(WorkerChannel channel) {
        return new LongConsumer() {
            private long lastNs = System.nanoTime() - PROGRESS_NS;

            @Override
            public void accept(long bytes) {
                long nowNs = System.nanoTime();
                if (nowNs - lastNs >= PROGRESS_NS) {
                    lastNs = nowNs;
                    channel.tell(new WorkerEvent(WorkerEvent.Kind.PROGRESS, bytes, 0, ""));
                }
            }
        };
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every JDK has SHA-256.", e);
        }
    }
}
