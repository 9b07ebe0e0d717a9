package org.jbmi.zoid;

import org.jbmi.mempool.FutexWaiting;
import org.jbmi.mempool.NanoClock;
import org.jbmi.mempool.ProcessLiveness;
import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.attach.AttachRequest;
import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zbmi.protocol.SessionArea;
import org.jbmi.zbmi.protocol.handshake.PeerRole;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/** The shared memory as one sees it who means no good. */
final class HostileView {
    private static final int LANE_HEADER_BYTES = 16;

    /** How many words each message of a client has. */
    private static final int[] CLIENT_WORDS = {6, 5, 6, 2, 1, 3, 2, 3, 2, 3, 2};

    private HostileView() {}

    static PeerAttachment attach(ZoidWorld world) {
        return PeerAttachment.connect(
                new AttachRequest(
                        world.runtime().resolve("daemon.sock"),
                        PeerRole.CLIENT,
                        "shm",
                        TimeUnit.SECONDS.toNanos(20),
                        new FutexWaiting(),
                        NanoClock.SYSTEM,
                        new ProcessLiveness()));
    }

    /** Writes what no client says into the lane of who attached just before, and rings for it. */
    static void breakLaneBefore(PeerAttachment by) {
        breakLane(by, 1);
    }

    /** Does so for who attached before two others, of which this one is the second. */
    static void breakLaneOfSecondLast(PeerAttachment by) {
        breakLane(by, 2);
    }

    private static void breakLane(PeerAttachment by, int before) {
        SharedMemory memory = by.memory();
        SegmentMap map = by.map();
        SessionArea area = map.session(by.welcome().session() - before);
        long stamp = (long) (by.welcome().generation() - before) << Integer.SIZE | 77_777;
        for (int slot = 0; slot < area.laneSlots(); slot++) {
            memory.setLongVolatile(
                    area.towardEngineOffset() + (long) slot * SessionArea.SLOT_BYTES, stamp);
        }
        memory.setIntVolatile(area.armedOffset(), 0);
        memory.getAndOrLong(map.doorbellOffset(0), 1L << area.session());
        memory.setIntVolatile(map.engineSleepWordOffset(), 0);
    }

    /** A word as it may do harm: small, huge, negative, near a bound, two halves, or anything. */
    static long word(Random random) {
        return switch (random.nextInt(8)) {
            case 0 -> random.nextInt(20);
            case 1 -> -1 - random.nextInt(3);
            case 2 -> Long.MAX_VALUE - random.nextInt(100);
            case 3 -> 1L << random.nextInt(64);
            case 4 -> (long) random.nextInt(70) << 32 | random.nextInt(70);
            case 5 -> 4096L * random.nextInt(5000);
            case 6 -> random.nextInt(1 << 20);
            default -> random.nextLong();
        };
    }

    /**
     * A message of some kind with random words: a client's mostly with as many as that kind has.
     */
    static Message message(Random random, int family, int kinds) {
        int kind = 1 + random.nextInt(kinds);
        Message message = new Message().start(family + kind);
        int words =
                family != 0 || random.nextInt(20) == 0
                        ? random.nextInt(Message.MAX_WORDS + 1)
                        : CLIENT_WORDS[kind - 1];
        for (int i = 0; i < words; i++) {
            message.put(word(random));
        }
        return message;
    }

    /** Writes a message where the reader of a lane will look for number {@code sequence}. */
    static void put(
            SharedMemory memory,
            long lane,
            int slots,
            int generation,
            long sequence,
            Message message) {
        long slot = lane + (sequence & (slots - 1)) * SessionArea.SLOT_BYTES;
        memory.setLongPlain(slot + Long.BYTES, message.header());
        for (int i = 0; i < message.wordCount(); i++) {
            memory.setLongPlain(slot + LANE_HEADER_BYTES + i * 8L, message.word(i));
        }
        long stamp = (long) generation << 32 | (sequence + 1 & 0xffff_ffffL);
        memory.setLongRelease(slot, stamp);
    }

    /** Fills in what an engine may write for a session, until it is over. */
    static void playEngine(
            ZoidWorld world,
            int session,
            long seed,
            AtomicBoolean isOver,
            AtomicReference<Throwable> failure) {
        Random random = new Random(seed);
        try (PeerAttachment engine = attach(world)) {
            SessionArea area = engine.map().session(session);
            SharedMemory memory = engine.memory();
            while (!isOver.get()) {
                for (int i = random.nextInt(30); i > 0; i--) {
                    engineStep(memory, area, random);
                }
                TimeUnit.MILLISECONDS.sleep(random.nextInt(20));
            }
        } catch (InterruptedException | RuntimeException e) {
            failure.set(e);
        }
    }

    private static void engineStep(SharedMemory memory, SessionArea area, Random random) {
        if (random.nextInt(3) > 0) {
            long lane = area.towardPeerOffset();
            long newest = newestStamp(memory, lane, area.laneSlots());
            int family = area.session() == SegmentMap.SERVER_SESSION ? 0x300 : 0x100;
            put(
                    memory,
                    lane,
                    area.laneSlots(),
                    (int) (newest >>> 32),
                    newest & 0xffff_ffffL,
                    message(random, family, 9));
        } else if (random.nextInt(20) == 0) {
            long at = area.offset() + random.nextLong(area.bytes() / 8) * 8;
            memory.setLongVolatile(at, word(random));
        } else {
            long[] words = {
                area.consumedByEngineOffset(),
                area.armedOffset(),
                area.peerWantsCreditOffset(),
                area.engineWantsCreditOffset(),
                area.peerSleepWordOffset(),
                area.windowOffset(random.nextInt(SessionArea.WINDOWS))
            };
            memory.setLongVolatile(words[random.nextInt(words.length)], word(random));
        }
    }

    private static long newestStamp(SharedMemory memory, long lane, int slots) {
        long newest = 0;
        for (int i = 0; i < slots; i++) {
            long stamp = memory.getLongAcquire(lane + (long) i * SessionArea.SLOT_BYTES);
            newest = Math.max(newest, stamp);
        }
        return newest;
    }
}
