package org.jbmi.zoid.forward.client;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.shipper.CallFailedException;
import org.jbmi.shipper.RemoteFunction;
import org.jbmi.shipper.Shipper;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Permission;
import org.jbmi.zoid.forward.wire.Broadcasting;
import org.jbmi.zoid.forward.wire.Broadcasting_InCodec;
import org.jbmi.zoid.forward.wire.Broadcasting_OutCodec;
import org.jbmi.zoid.forward.wire.Digests;
import org.jbmi.zoid.forward.wire.Names;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;

/**
 * Receives the files that a server broadcasts: writes each to a temporary file, checks it, and
 * renames it. Runs in a virtual thread of its own, until the client is closed or the server has
 * gone.
 */
final class BroadcastReceiver {
    private static final Duration PAUSE = Duration.ofMillis(20);
    private static final Duration FOREVER = Duration.ofDays(10_000);

    /** Constant, because a full heap has no room for another text. */
    private static final String FAILED = "The receiver failed. Its heap may be full.";

    private final RemoteFunction<Broadcasting.In, Broadcasting.Out> function;
    private final PeerAddress server;
    private final int process;
    private final long key;
    private final Path folder;
    private final byte[] chunk = new byte[Broadcasting.CHUNK_BYTES];
    private final MessageDigest digest;
    private final SecureRandom random = new SecureRandom();
    private @Nullable FileChannel file;
    private @Nullable Path part;

    BroadcastReceiver(Shipper shipper, PeerAddress server, int process, long key, Path folder) {
        this.function =
                shipper.function(
                        Names.RECEIVE,
                        Broadcasting_InCodec.INSTANCE,
                        Broadcasting_OutCodec.INSTANCE,
                        Broadcasting.Out.class);
        this.server = server;
        this.process = process;
        this.key = key;
        this.folder = folder.toAbsolutePath().normalize();
        this.digest = Digests.sha256();
    }

    void run(Shipper shipper) {
        try (BulkHandle into = shipper.expose(MemorySegment.ofArray(chunk), Permission.WRITE)) {
            long round = 0;
            long next = 0;
            String error = "";
            boolean pauses = false;
            while (true) {
                try {
                    if (pauses) {
                        Thread.sleep(PAUSE);
                        pauses = false;
                    }
                    Broadcasting.Out out =
                            ask(new Broadcasting.In(process, key, round, next, error, into));
                    if (out.round() == 0) {
                        return; // the server does not know us
                    }
                    if (out.round() != round) {
                        drop();
                        round = out.round();
                    }
                    error = take(out);
                    next = out.chunk() + 1;
                } catch (CallFailedException e) {
                    if (!isAboutOneChunk(e)) {
                        throw e;
                    }
                    drop();
                    error = e.why();
                    pauses = true;
                } catch (OutOfMemoryError e) {
                    // The server would wait for this process at each broadcast.
                    drop();
                    error = FAILED;
                    pauses = true;
                }
            }
        } catch (BmiException e) {
            // The client was closed, or the server has gone: there is nothing to receive.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // nobody does it
        } finally {
            drop();
        }
    }

    /** Whether the server goes on: a chunk has not come in time, for example. */
    private static boolean isAboutOneChunk(CallFailedException e) {
        return e.isRemote() && e.code() != ErrorCode.ENOSYS && e.code() != ErrorCode.EPROTOTYPE;
    }

    /** Asks again after a refusal that does not last: too many calls are under way, for example. */
    private Broadcasting.Out ask(Broadcasting.In in) throws InterruptedException {
        while (true) {
            try {
                return function.forward(server, in).await(FOREVER);
            } catch (CallFailedException e) {
                if (e.code() != ErrorCode.ETRYAGAIN && e.code() != ErrorCode.ENOMEM) {
                    throw e;
                }
            }
            Thread.sleep(PAUSE);
        }
    }

    /** Writes a chunk to the file; returns an error, or an empty text. */
    private String take(Broadcasting.Out out) {
        if (out.chunk() == Broadcasting.ABORTED) {
            drop();
            return "";
        }
        try {
            Path target = target(out.path());
            if (out.chunk() == 0) {
                digest.reset();
                Files.createDirectories(parent(target));
                begin(parent(target));
            }
            FileChannel to = file;
            Path from = part;
            if (to == null || from == null) {
                return "The beginning of the file is missing.";
            }
            digest.update(chunk, 0, out.bytes());
            ByteBuffer bytes = ByteBuffer.wrap(chunk, 0, out.bytes());
            while (bytes.hasRemaining()) {
                to.write(bytes);
            }
            if (out.isLast()) {
                if (!MessageDigest.isEqual(digest.digest(), out.sha256())) {
                    drop();
                    return "The checksum of the file is wrong.";
                }
                to.close();
                file = null;
                Files.move(
                        from,
                        target,
                        StandardCopyOption.ATOMIC_MOVE,
                        StandardCopyOption.REPLACE_EXISTING);
                part = null;
            }
            return "";
        } catch (IOException | RuntimeException e) { // names and sizes are the server's
            drop();
            return Broadcasting.why(e);
        } catch (Error e) {
            drop();
            return FAILED;
        }
    }

    /** Makes the temporary file; the program's umask decides who may use it, as for any file. */
    private void begin(Path parent) throws IOException {
        Path fresh = parent.resolve(".zoid" + Long.toUnsignedString(random.nextLong()) + ".part");
        file = FileChannel.open(fresh, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
        part = fresh;
    }

    private static Path parent(Path target) throws IOException {
        Path parent = target.getParent();
        if (parent == null) {
            throw new IOException("A folder is no place for a file.");
        }
        return parent;
    }

    private Path target(String path) throws IOException {
        Path target = folder.resolve(path.replaceFirst("^/+", "")).normalize();
        if (!target.startsWith(folder) || target.equals(folder)) {
            throw new IOException("The path leads out of the receiver's folder.");
        }
        return target;
    }

    private void drop() {
        try {
            FileChannel open = file;
            if (open != null) {
                open.close();
            }
            Path unfinished = part;
            if (unfinished != null) {
                Files.deleteIfExists(unfinished);
            }
        } catch (IOException | OutOfMemoryError e) {
            // The temporary file stays.
        }
        file = null;
        part = null;
    }
}
