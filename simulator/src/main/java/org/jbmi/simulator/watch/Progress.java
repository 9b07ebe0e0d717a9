package org.jbmi.simulator.watch;

import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/** The step that a simulating thread has reached, for the thread that checks whether it goes on. */
public class Progress {
    /** How long a step may take. On a busy machine one takes a tenth of a second at most. */
    public static final int PATIENCE_SECONDS = 120;

    private static final int STEPS = 0;
    private static final int WORLDS = 1;
    private static final int SEED = 2;
    private static final int IN_WORLD = 3;
    private static final int FIELDS = 4;
    private static final int LOOKS_A_SECOND = 4;

    /** Looks that find the player waiting for a lock, after which it will never get it. */
    private static final int LOOKS_AT_LOCK = LOOKS_A_SECOND;

    /**
     * Where a thread waits for another thread of its process. The player is all of them. Who holds
     * the lock is below on its stack, or has been stopped by an Error before it released the lock.
     */
    private static final Set<String> LOCKS =
            Set.of("org.jbmi.spi.SpinLock.lockSlowly", "org.jbmi.zbmi.link.CallTable$Call.giveUp");

    /** The factor for the first step, in which classes are loaded. */
    private static final int MORE_AT_FIRST = 10;

    private final AtomicLongArray fields = new AtomicLongArray(FIELDS);

    /** The progress of a simulation that has not begun. */
    public Progress() {}

    /** Called when a world begins, or begins again. */
    public void world(long number, long seed) {
        fields.setPlain(WORLDS, number);
        fields.setPlain(SEED, seed);
        fields.set(IN_WORLD, 0);
    }

    /** Called before each step of the schedule. */
    public void step() {
        fields.setPlain(IN_WORLD, fields.getPlain(IN_WORLD) + 1);
        fields.set(STEPS, fields.getPlain(STEPS) + 1);
    }

    /**
     * Waits until a simulating thread has ended. It counts polls and not time, because a process
     * that is stopped as a whole does not poll.
     *
     * @param seed of the simulation, for the message
     * @throws StandstillException if it does not go on; this method interrupts it and does not wait
     *     for it
     * @throws InterruptedException if the waiting thread is interrupted
     */
    public void await(Thread player, long seed, int patienceSeconds) throws InterruptedException {
        long before = -1;
        int looks = 0;
        int looksAtLock = 0;
        while (player.isAlive()) {
            player.join(TimeUnit.SECONDS.toMillis(1) / LOOKS_A_SECOND);
            long now = fields.get(STEPS);
            looks = now == before ? looks + 1 : 0;
            before = now;
            looksAtLock = looks > 0 && isAtLock(player) ? looksAtLock + 1 : 0;
            if (looksAtLock >= LOOKS_AT_LOCK) {
                throw standstill(player, sentenceOfLock(seed));
            }
            int patience = now == 0 ? MORE_AT_FIRST * patienceSeconds : patienceSeconds;
            if (looks >= patience * LOOKS_A_SECOND && player.isAlive()) {
                throw standstill(player, sentence(seed, patienceSeconds));
            }
        }
    }

    private static StandstillException standstill(Thread player, String sentence) {
        StackTraceElement[] where = player.getStackTrace();
        player.interrupt();
        return new StandstillException(sentence, where);
    }

    private static boolean isAtLock(Thread player) {
        return Arrays.stream(player.getStackTrace())
                .anyMatch(each -> LOCKS.contains(each.getClassName() + "." + each.getMethodName()));
    }

    private String sentenceOfLock(long seed) {
        return "The simulation with seed %d stands still: step %d of world %d (seed %d) waits for a lock that no other thread can release."
                .formatted(seed, fields.get(IN_WORLD), fields.get(WORLDS), fields.get(SEED));
    }

    private String sentence(long seed, int patienceSeconds) {
        return "The simulation with seed %d stands still: step %d of world %d (seed %d) is not done after %d s."
                .formatted(
                        seed,
                        fields.get(IN_WORLD),
                        fields.get(WORLDS),
                        fields.get(SEED),
                        patienceSeconds);
    }
}
