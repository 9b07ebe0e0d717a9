package org.jbmi.zoid.daemon;

import org.jbmi.shipper.Call;
import org.jbmi.spi.HashMaps;
import org.jbmi.zoid.forward.client.ZoidError;
import org.jbmi.zoid.forward.wire.Attendance;
import org.jbmi.zoid.forward.wire.Broadcasting;
import org.jbmi.zoid.forward.wire.Digests;
import org.jbmi.zoid.forward.wire.Forwarded;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;

/**
 * Sends files to all receivers of broadcasts, one file at a time. It reads a file once, and reads
 * the next chunk while all receivers take the present one. It gives up a receiver that makes no
 * progress.
 */
final class Broadcasts {
    private final Processes processes;
    private final Category counters;
    private final Duration patience;
    private final Semaphore turn = new Semaphore(1, true);
    private final Map<Integer, Receiver> receivers = HashMaps.prepared(new HashMap<>());
    private long round;
    private @Nullable Chunk current;

    /** Whether the present round ended before its last chunk. */
    private boolean aborted;

    /** A process that receives. */
    private static final class Receiver {
        private final ZoidProcess process;
        private long round;
        private long next;
        private String trouble = "";

        Receiver(ZoidProcess process) {
            this.process = process;
        }
    }

    /** The chunk that all receivers get now. */
    private record Chunk(long number, MemorySegment bytes, boolean isLast, Broadcasting.Out words) {
        /** A chunk without bytes, which only brings a message. */
        static Chunk saying(long round, long number) {
            return new Chunk(
                    number,
                    MemorySegment.NULL,
                    true,
                    new Broadcasting.Out(round, "", number, 0, true, new byte[0]));
        }
    }

    Broadcasts(Processes processes, Category counters, Duration patience) {
        this.processes = processes;
        this.counters = counters;
        this.patience = patience;
    }

    // ------------------------------------------------------------------ receivers

    /** Handles a process that begins to receive broadcasts. */
    Attendance.Out enrol(Call<Attendance.JoinIn, Attendance.Out> call) throws InterruptedException {
        ZoidProcess process = processes.await(call.input().key(), Duration.ZERO);
        boolean added = process != null && add(process);
        return new Attendance.Out(added ? 0 : ZoidError.ESRCH.number());
    }

    /**
     * Returns false if the process has left meanwhile: nobody would remove it, and each broadcast
     * would wait for it.
     */
    synchronized boolean add(ZoidProcess process) {
        if (processes.find(process.id(), process.words().key()) == null) {
            return false;
        }
        receivers.putIfAbsent(process.id(), new Receiver(process));
        return true;
    }

    /** Handles a receiver: waits for its next chunk and pushes the chunk into its memory. */
    Broadcasting.Out receive(Call<Broadcasting.In, Broadcasting.Out> call)
            throws InterruptedException {
        Broadcasting.In in = call.input();
        ZoidProcess process = processes.find(in.process(), in.key());
        if (process == null) {
            return Chunk.saying(0, 0).words();
        }
        Chunk chunk = await(process, in);
        if (chunk.bytes().byteSize() > 0) {
            call.push(in.into(), 0, chunk.bytes());
            counters.sent(Forwarded.HEADER_BYTES + chunk.bytes().byteSize());
        }
        return chunk.words();
    }

    private synchronized Chunk await(ZoidProcess process, Broadcasting.In in)
            throws InterruptedException {
        Receiver receiver = receivers.get(process.id());
        if (receiver == null) {
            return Chunk.saying(0, 0);
        }
        if (in.round() == receiver.round && receiver.trouble.isEmpty()) {
            receiver.next = in.next();
            receiver.trouble = Forwarding.shortened(in.error());
            notifyAll();
        }
        while (true) {
            if (hasUselessPart(receiver, in)) {
                return Chunk.saying(round, Broadcasting.ABORTED);
            }
            Chunk chunk = current;
            boolean wanted =
                    chunk != null
                            && receiver.round == round
                            && receiver.trouble.isEmpty()
                            && receiver.next == chunk.number();
            if (chunk != null && wanted) {
                return chunk;
            }
            wait();
        }
    }

    /** Whether a receiver waits for a rest of the present file that does not come. */
    private boolean hasUselessPart(Receiver receiver, Broadcasting.In in) {
        return in.round() == round
                && in.next() > 0
                && in.error().isEmpty()
                && (aborted || !receiver.trouble.isEmpty());
    }

    /** Removes a process that has ended. */
    synchronized void forget(ZoidProcess process) {
        Receiver receiver = receivers.remove(process.id());
        if (receiver != null) {
            receiver.trouble = "It has gone.";
            notifyAll();
        }
    }

    // ------------------------------------------------------------------ the sender

    /** Handles a request for a broadcast. */
    Broadcasting.Answer broadcast(Call<Broadcasting.Wish, Broadcasting.Answer> call)
            throws InterruptedException {
        Broadcasting.Wish wish = call.input();
        Path input = Path.of(wish.input());
        if (!input.isAbsolute() || !wish.output().startsWith("/")) {
            return new Broadcasting.Answer(0, 0, "Both paths must be absolute.");
        }
        if (!call.client().isOwnUser()) {
            // Any host that reaches the port could read files with the rights of the server's user.
            return new Broadcasting.Answer(
                    0,
                    0,
                    "A file of the server is broadcast for its own user only, not over tcp or a"
                            + " gateway.");
        }
        if (Files.exists(input) && !Files.isRegularFile(input)) {
            return new Broadcasting.Answer(0, 0, "The input is no file: " + input + ".");
        }
        turn.acquire();
        try (FileChannel file = FileChannel.open(input, StandardOpenOption.READ)) {
            List<Receiver> members = begin();
            if (members.isEmpty()) {
                return new Broadcasting.Answer(0, 0, "Nobody receives broadcasts.");
            }
            boolean isSent = false;
            try {
                long bytes = send(file, wish.output(), members);
                isSent = true;
                return answer(members, bytes);
            } finally {
                end(isSent);
            }
        } catch (IOException e) {
            return new Broadcasting.Answer(
                    0, 0, "The input cannot be read. " + Broadcasting.why(e));
        } finally {
            turn.release();
        }
    }

    private synchronized List<Receiver> begin() {
        round++;
        aborted = false;
        List<Receiver> members = new ArrayList<>(receivers.values());
        for (Receiver member : members) {
            member.round = round;
            member.next = 0;
            member.trouble = "";
        }
        return members;
    }

    private synchronized void end(boolean isSent) {
        current = null;
        aborted = !isSent;
        notifyAll();
    }

    private long send(FileChannel file, String path, List<Receiver> members)
            throws IOException, InterruptedException {
        MessageDigest digest = Digests.sha256();
        long size = file.size();
        long position = 0;
        // The garbage collector frees it: a receiver that was given up may still use it.
        Arena arena = Arena.ofAuto();
        MemorySegment[] buffers = {
            arena.allocate(Broadcasting.CHUNK_BYTES, 64),
            arena.allocate(Broadcasting.CHUNK_BYTES, 64)
        };

        for (long number = 0; number == 0 || position < size; number++) {
            MemorySegment buffer = buffers[(int) (number & 1)];
            int bytes = read(file, position, size, buffer);
            digest.update(buffer.asSlice(0, bytes).asByteBuffer());
            position += bytes;
            boolean last = position >= size;
            awaitAll(members, number); // of the chunk before
            publish(
                    new Chunk(
                            number,
                            buffer.asSlice(0, bytes),
                            last,
                            new Broadcasting.Out(
                                    round,
                                    path,
                                    number,
                                    bytes,
                                    last,
                                    last ? digest.digest() : new byte[0])));
            if (last) {
                awaitAll(members, number + 1);
            }
        }
        return size;
    }

    private static int read(FileChannel file, long position, long size, MemorySegment into)
            throws IOException {
        int wanted = (int) Math.min(into.byteSize(), size - position);
        ByteBuffer buffer = into.asSlice(0, wanted).asByteBuffer();
        while (buffer.hasRemaining()) {
            if (file.read(buffer, position + buffer.position()) < 0) {
                throw new IOException("It became shorter.");
            }
        }
        return wanted;
    }

    private synchronized void publish(Chunk chunk) {
        current = chunk;
        notifyAll();
    }

    /**
     * Waits until each receiver asks for that chunk or has failed; fails those that take too long.
     */
    private synchronized void awaitAll(List<Receiver> members, long next)
            throws InterruptedException {
        long endNs = System.nanoTime() + patience.toNanos();
        for (Receiver member : members) {
            while (member.trouble.isEmpty() && member.next < next) {
                long leftMs = Processes.leftMs(endNs);
                if (leftMs <= 0) {
                    member.trouble = "It did not get on for " + patience.toSeconds() + " s.";
                } else {
                    wait(leftMs);
                }
            }
        }
    }

    private synchronized Broadcasting.Answer answer(List<Receiver> members, long bytes) {
        List<String> troubles = new ArrayList<>();
        int good = 0;
        for (Receiver member : members) {
            if (member.trouble.isEmpty()) {
                good++;
            } else {
                troubles.add(member.process + ": " + member.trouble);
            }
        }
        return new Broadcasting.Answer(good, bytes, String.join(" ", troubles));
    }
}
