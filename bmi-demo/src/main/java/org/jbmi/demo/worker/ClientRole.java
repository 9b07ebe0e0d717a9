package org.jbmi.demo.worker;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.tools.zoidfs.FileShipping;
import org.jbmi.zoidfs.client.ClientOptions;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.protocol.SettableAttributes;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** A client: copies the file to the server and back, at the coordinator's commands. */
public final class ClientRole implements Role {
    private static final long PROGRESS_NS = 50_000_000;
    private static final long SILENCE_MS = 30_000;
    private static final int MODE = 0600;

    private final WorkerSettings settings;
    private final int number;
    private final BmiBuilder builder;

    /**
     * Makes a client.
     *
     * @param settings of the demo
     * @param number its number, and that of its file on the server
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
                ZoidfsClient client =
                        ZoidfsClient.connect(bmi, settings.address(), clientOptions())) {
            channel.tell(WorkerEvent.of(WorkerEvent.Kind.READY, ""));
            serve(channel, client, source);
        }
    }

    private ClientOptions clientOptions() {
        return ClientOptions.DEFAULT
                .withChunkBytes(settings.chunkBytes())
                .withTimeoutMs(SILENCE_MS);
    }

    private FileShipping shipping(WorkerChannel channel, ZoidfsClient client) {
        return new FileShipping(client, settings.chunkBytes(), settings.depth(), progress(channel));
    }

    private FileSpec remote() {
        return FileSpec.path("/" + number);
    }

    private void serve(WorkerChannel channel, ZoidfsClient client, FileChannel source)
            throws IOException, InterruptedException {
        FileShipping shipping = shipping(channel, client);
        for (; ; ) {
            switch (channel.next()) {
                case WRITE -> channel.tell(write(client, shipping, source));
                case READ -> channel.tell(read(client, shipping));
                case QUIT -> {
                    return;
                }
            }
        }
    }

    private WorkerEvent write(ZoidfsClient client, FileShipping shipping, FileChannel source)
            throws IOException, InterruptedException {
        long beginNs = System.nanoTime();
        FileHandle file = client.create(remote(), SettableAttributes.ofMode(MODE)).handle();
        shipping.bring(source, settings.sizeBytes(), file);
        long nanos = System.nanoTime() - beginNs;
        return new WorkerEvent(WorkerEvent.Kind.WROTE, settings.sizeBytes(), nanos, "");
    }

    private WorkerEvent read(ZoidfsClient client, FileShipping shipping)
            throws IOException, InterruptedException {
        MessageDigest digest = sha256();
        long beginNs = System.nanoTime();
        FileHandle file = client.lookup(remote());
        shipping.fetch(file, settings.sizeBytes(), (part, offset) -> digest.update(part));
        long nanos = System.nanoTime() - beginNs;
        String hex = HexFormat.of().formatHex(digest.digest());
        return new WorkerEvent(WorkerEvent.Kind.READ, settings.sizeBytes(), nanos, hex);
    }

    /** Reports progress, at most as often as a user can follow. */
    private static FileShipping.Progress progress(WorkerChannel channel) {
        long[] lastNs = {System.nanoTime() - PROGRESS_NS};
        return bytes -> {
            if (channel.isStopped()) {
                throw new IOException("The transfer was stopped");
            }
            long nowNs = System.nanoTime();
            if (nowNs - lastNs[0] >= PROGRESS_NS) {
                lastNs[0] = nowNs;
                channel.tell(new WorkerEvent(WorkerEvent.Kind.PROGRESS, bytes, 0, ""));
            }
        };
    }

    /** {@return an empty digest of the kind that all copies of the file are compared by} */
    public static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every JDK has SHA-256.", e);
        }
    }
}
