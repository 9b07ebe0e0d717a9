package org.jbmi.shipper.pump;

/** What a pump does for its owner, between the outcomes of operations. */
public interface Work {
    /** {@link #peek} did not look, and so made no progress. */
    int NOT_LOOKED = -1;

    /**
     * Looks for what comes unasked, without waiting and without the lock, in the thread that
     * drives. {@link #look} acts upon it.
     *
     * @return how much came; {@link #NOT_LOOKED} if nothing comes unasked here
     */
    default int peek() {
        return NOT_LOOKED;
    }

    /**
     * Acts upon what {@link #peek} found; under the lock.
     *
     * @return whether there may be more, so that no thread must sleep before the next poll
     */
    boolean look();

    /**
     * Does what is to be done without the lock after a round; in the thread that drives. Not after
     * a round of {@link Pump#driveOnce}, whose caller knows what it does next.
     */
    default void afterRound() {}

    /**
     * Whether nothing has a deadline, so that a round in which nothing came needs no look at the
     * clock. The answer may be old by one round, because the caller does not hold the lock.
     *
     * @return true if {@link #tick} would do nothing
     */
    default boolean isQuiet() {
        return false;
    }

    /**
     * Looks at the clock; under the lock.
     *
     * @param nowNs on the pump's clock
     */
    void tick(long nowNs);

    /** Whether the pump's own thread must poll while no thread of the program does. */
    boolean isBusy();

    /**
     * Messaging is over for good: the instance below was closed, or failed.
     *
     * @param code why, negative
     */
    void lost(int code);
}
