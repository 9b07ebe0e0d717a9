package org.jbmi.shipper.pump;

/** What a pump does for its owner, between the outcomes of operations. */
public interface Work {
    /**
     * Looks for what comes unasked; under the lock, without waiting.
     *
     * @return whether there may be more, so that nobody must sleep before the next look
     */
    boolean look();

    /** Does what is to be done without the lock after a round; in the thread that drives. */
    default void afterRound() {}

    /**
     * Looks at the clock; under the lock.
     *
     * @param nowNs on the pump's clock
     */
    void tick(long nowNs);

    /**
     * Whether somebody must look even if no thread of the program does.
     *
     * @return true if something is under way
     */
    boolean isBusy();

    /**
     * Messaging is over for good: the instance below was closed, or failed.
     *
     * @param code why, negative
     */
    void lost(int code);
}
