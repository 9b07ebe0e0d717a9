package org.jbmi.zbmi.host;

import org.jbmi.config.Configuration;
import org.jbmi.mempool.FutexWaiting;
import org.jbmi.mempool.NanoClock;
import org.jbmi.mempool.ProcessLiveness;
import org.jbmi.observe.CountersReader;
import org.jbmi.zbmi.attach.AttachRequest;
import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.attach.RuntimeDirectory;
import org.jbmi.zbmi.channel.EngineDoor;
import org.jbmi.zbmi.host.place.HostKnobs;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.link.PeerLine;
import org.jbmi.zbmi.link.ShmClientLink;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.handshake.PeerRole;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/** A server that hosts its engine, and clients of it, below the level of the API. */
final class DirectWorld implements AutoCloseable {
    /** A lost wake-up is a sleep of this length, which no test bears. */
    static final long LONG_NS = TimeUnit.SECONDS.toNanos(20);

    final RuntimeDirectory directory;
    final EngineDoor door;
    final PeerLine server;
    final AtomicLong unexpected = new AtomicLong();
    private final Queue<Long> toFree = new ConcurrentLinkedQueue<>();
    volatile boolean mayBreak;
    private final List<ClientLink> clients = new ArrayList<>();
    PeerAttachment lastAttached;

    DirectWorld(Path folder) {
        this(folder, LONG_NS);
    }

    DirectWorld(Path folder, long sliceNs) {
        directory = new RuntimeDirectory(folder.resolve("run"));
        Configuration knobs =
                Configuration.resolve(
                        HostKnobs.all(),
                        Map.of(
                                "zbmi.segmentDirectory",
                                folder.toString(),
                                "zbmi.totalBytes",
                                "4m"));
        door = DirectHosting.embedded(directory, knobs, sliceNs).open(new ServerSide());
        server = door.line();
    }

    private final class ServerSide extends HeardEvents {
        @Override
        public void unexpected(
                int client,
                int generation,
                int tag,
                int messageClass,
                long offset,
                long bytes,
                long messageId) {
            toFree.add(offset);
            unexpected.incrementAndGet();
        }

        @Override
        public void onBroken(String reason) {
            if (!mayBreak) {
                throw new AssertionError(reason);
            }
        }
    }

    /** Gives back the memory of all unexpected messages that have come. */
    int freeAll() {
        int count = 0;
        for (Long offset = toFree.poll(); offset != null; offset = toFree.poll()) {
            door.unexpectedFree(offset);
            count++;
        }
        return count;
    }

    ClientLink client() {
        AttachRequest request =
                new AttachRequest(
                        directory.socket(),
                        PeerRole.CLIENT,
                        "shm",
                        TimeUnit.SECONDS.toNanos(10),
                        new FutexWaiting(),
                        NanoClock.SYSTEM,
                        new ProcessLiveness());
        PeerAttachment attachment = PeerAttachment.connect(request);
        lastAttached = attachment;
        ClientLink link =
                new ShmClientLink(
                        attachment,
                        new PeerEvents() {
                            @Override
                            public void onEvent(Message message) {}

                            @Override
                            public void onBroken(String reason) {}
                        });
        clients.add(link);
        return link;
    }

    /** A client wipes off that somebody sleeps, and wakes nobody; whether there was somebody. */
    boolean takeSleepWord() {
        long word = lastAttached.map().engineSleepWordOffset();
        return lastAttached.memory().getAndSetInt(word, 0) != 0;
    }

    long count(String label) {
        try (CountersReader reader = CountersReader.open(directory.counters())) {
            return reader.read().stream()
                    .filter(reading -> reading.spec().label().equals(label))
                    .mapToLong(CountersReader.Reading::value)
                    .findFirst()
                    .orElse(0);
        }
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

    static Thread keeper() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals(Keeper.NAME) && thread.isAlive())
                .findFirst()
                .orElse(null);
    }

    /** The last client says on its socket what no peer says. */
    void babble() throws IOException {
        byte[] nonsense = new byte[64];
        Arrays.fill(nonsense, (byte) 0x7f);
        lastAttached.socket().write(ByteBuffer.wrap(nonsense));
    }

    /** Closes the server; a client is left to the caller. */
    void close(ClientLink kept) {
        clients.remove(kept);
        close();
    }

    @Override
    public void close() {
        clients.forEach(ClientLink::close);
        server.close();
    }
}
