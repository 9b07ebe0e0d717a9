package org.jbmi.zoid;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zbmi.protocol.SessionArea;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/** A client that writes anything wherever a client may write, until it is thrown out. */
final class HostileClient implements Runnable {
    private static final int STEPS = 400;

    private final ZoidWorld world;
    private final Random random;
    private volatile @Nullable Throwable failure;
    private long sequence;

    HostileClient(ZoidWorld world, long seed) {
        this.world = world;
        this.random = new Random(seed);
    }

    @Nullable Throwable failure() {
        return failure;
    }

    @Override
    public void run() {
        PeerAttachment attachment = HostileView.attach(world);
        try {
            // One in three is sound in form, so that it gets further with what it says.
            boolean isFormal = random.nextInt(3) == 0;
            for (int i = 0; i < STEPS && !isThrownOut(attachment); i++) {
                step(attachment, isFormal);
                if (random.nextInt(10) == 0) {
                    LockSupport.parkNanos(20_000);
                }
            }
            if (random.nextBoolean()) {
                attachment.socket().close(); // without a goodbye
            }
        } catch (IOException | RuntimeException e) {
            failure = e;
        } finally {
            attachment.close();
        }
    }

    private static boolean isThrownOut(PeerAttachment attachment) {
        try {
            return attachment.socket().read(ByteBuffer.allocate(64)) < 0;
        } catch (IOException e) {
            return true;
        }
    }

    private void step(PeerAttachment attachment, boolean isFormal) {
        SharedMemory memory = attachment.memory();
        SegmentMap map = attachment.map();
        SessionArea area = map.session(attachment.welcome().session());
        int what = isFormal ? random.nextInt(6) : random.nextInt(12);
        switch (what) {
            case 0, 1, 2, 3 -> {
                HostileView.put(
                        memory,
                        area.towardEngineOffset(),
                        area.laneSlots(),
                        attachment.welcome().generation(),
                        sequence++,
                        HostileView.message(random, 0, 11));
                ring(memory, map, area);
            }
            case 4 ->
                    memory.setLongVolatile(
                            area.windowOffset(random.nextInt(SessionArea.WINDOWS)),
                            HostileView.word(random));
            case 5 ->
                    memory.setLongVolatile(
                            area.eagerStateOffset(random.nextInt(area.eagerSlots())),
                            HostileView.word(random));
            case 6 -> {
                boolean isLane = random.nextBoolean();
                long at = isLane ? area.consumedByPeerOffset() : area.dataSlotsBackOffset();
                memory.setLongVolatile(at, HostileView.word(random));
            }
            case 7 -> memory.setIntVolatile(area.peerSleepWordOffset(), random.nextInt());
            case 8 -> memory.setIntVolatile(area.engineWantsCreditOffset(), random.nextInt());
            case 9 ->
                    memory.setLongVolatile(
                            map.doorbellOffset(random.nextInt(map.doorbellWords())),
                            random.nextBoolean() ? 0 : random.nextLong());
            case 10 -> memory.setIntVolatile(map.engineSleepWordOffset(), random.nextInt(3));
            default ->
                    memory.setLongVolatile(
                            area.offset() + random.nextLong(area.bytes() / 8) * 8,
                            HostileView.word(random));
        }
    }

    private static void ring(SharedMemory memory, SegmentMap map, SessionArea area) {
        memory.setIntVolatile(area.armedOffset(), 0);
        int word = area.session() / SegmentMap.SESSIONS_PER_DOORBELL;
        int bit = area.session() % SegmentMap.SESSIONS_PER_DOORBELL;
        memory.getAndOrLong(map.doorbellOffset(word), 1L << bit);
        memory.setIntVolatile(map.engineSleepWordOffset(), 0);
    }
}
