package org.jbmi.zbmi.daemon;

import org.jbmi.mempool.FutexWaiting;
import org.jbmi.mempool.NanoClock;
import org.jbmi.mempool.ProcessLiveness;
import org.jbmi.zbmi.attach.AttachRequest;
import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.protocol.handshake.PeerRole;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** A daemon in a directory of its own, and peers that shake hands with it. */
final class DaemonSetup implements AutoCloseable {
    private final Path directory;
    private final List<PeerAttachment> peers = new ArrayList<>();
    private final ZbmiDaemon daemon;

    DaemonSetup(Path directory, String... knobs) {
        this.directory = directory;
        ZbmiDaemon.Builder builder = builder(directory);
        for (int i = 0; i < knobs.length; i += 2) {
            builder.knob(knobs[i], knobs[i + 1]);
        }
        this.daemon = builder.start();
    }

    static ZbmiDaemon.Builder builder(Path directory) {
        return ZbmiDaemon.builder()
                .knob("zoid.runtimeDirectory", directory.resolve("run").toString())
                .knob("zbmi.segmentDirectory", directory.toString())
                .knob("zbmi.totalBytes", "4m");
    }

    ZbmiDaemon daemon() {
        return daemon;
    }

    Path directory() {
        return directory;
    }

    long count(String label) {
        var counter = daemon.counters().find(label);
        return counter == null ? -1 : counter.get();
    }

    PeerAttachment attach(PeerRole role, String transport) {
        return attach(role, transport, AttachRequest.NEVER);
    }

    PeerAttachment attach(PeerRole role, String transport, BooleanSupplier isOver) {
        AttachRequest request =
                new AttachRequest(
                        daemon.directory().socket(),
                        role,
                        transport,
                        TimeUnit.SECONDS.toNanos(10),
                        new FutexWaiting(),
                        NanoClock.SYSTEM,
                        new ProcessLiveness(),
                        isOver);
        PeerAttachment attachment = PeerAttachment.connect(request);
        peers.add(attachment);
        return attachment;
    }

    PeerAttachment client() {
        return attach(PeerRole.CLIENT, "shm");
    }

    PeerAttachment server() {
        return attach(PeerRole.SERVER, "ring");
    }

    static void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("did not happen within 20 s: " + what);
            }
            Thread.yield();
        }
    }

    @Override
    public void close() {
        peers.forEach(PeerAttachment::close);
        daemon.close();
    }
}
