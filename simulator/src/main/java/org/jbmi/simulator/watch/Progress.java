package org.jbmi.simulator.watch;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How far the thread that plays worlds has come, for another one that looks whether it goes on.
 * Made of the JDK's classes, since the player may have been loaded anew.
 */
public final class Progress {
    /** How long a step may take. On a busy machine one takes a tenth of a second at most. */
    public static final int PATIENCE_SECONDS = 120;

    private static final int STEPS = 0;
    private static final int WORLDS = 1;
    private static final int SEED = 2;
    private static final int IN_WORLD = 3;
    private static final int FIELDS = 4;
    private static final int LOOKS_A_SECOND = 4;

    /** Before the first step classes are loaded. */
    private static final int MORE_AT_FIRST = 10;

    private final AtomicLongArray fields;

    /** Of a simulation that has not begun. */
    public Progress() {
        this(new AtomicLongArray(FIELDS));
    }

    /**
     * The same, as somebody else handed it over.
     *
     * @param fields those of another one
     */
    public Progress(AtomicLongArray fields) {
        this.fields = fields;
    }

    /**
     * What it is made of.
     *
     * @return to be handed to a player that is loaded anew
     */
    public AtomicLongArray fields() {
        return fields;
    }

    /**
     * Another world begins, or the same once more.
     *
     * @param number of the world
     * @param seed of the world
     */
    public void world(long number, long seed) {
        fields.setPlain(WORLDS, number);
        fields.setPlain(SEED, seed);
        fields.set(IN_WORLD, 0);
    }

    /** A step of its schedule is about to be done. */
    public void step() {
        fields.setPlain(IN_WORLD, fields.getPlain(IN_WORLD) + 1);
        fields.set(STEPS, fields.getPlain(STEPS) + 1);
    }

    /**
     * Waits until a player has ended. Looks are counted and not time: a process that was stopped as
     * a whole has not looked meanwhile.
     *
     * @param player the thread
     * @param seed what it plays, for the message
     * @param patienceSeconds how long a step may take
     * @throws StandstillException if it does not go on; it is interrupted, and left alone
     * @throws InterruptedException if the one who waits is interrupted
     */
    public void await(Thread player, long seed, int patienceSeconds) throws InterruptedException {
        long before = -1;
        int looks = 0;
        while (player.isAlive()) {
            player.join(TimeUnit.SECONDS.toMillis(1) / LOOKS_A_SECOND);
            long now = fields.get(STEPS);
            looks = now == before ? looks + 1 : 0;
            before = now;
            int patience = now == 0 ? MORE_AT_FIRST * patienceSeconds : patienceSeconds;
            if (looks >= patience * LOOKS_A_SECOND && player.isAlive()) {
                StackTraceElement[] where = player.getStackTrace();
                player.interrupt();
                throw new StandstillException(sentence(seed, patienceSeconds), where);
            }
        }
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
