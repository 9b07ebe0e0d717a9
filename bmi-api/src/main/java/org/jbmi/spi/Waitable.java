package org.jbmi.spi;

/**
 * How the lead makes progress for a method, and how it sleeps until there is more to do. A method
 * whose peers do all the work in their own calls has none ({@link Method#waitable}).
 *
 * <p><b>A wait.</b> For the wait of a caller the lead calls {@link #beginWait}, then {@link #poll}
 * repeatedly. When that finds nothing the lead calls {@link #arm} on the waitables of all active
 * methods: announce the sleep, fence, look once more. If all answer true, it sleeps in one place
 * for all of them, which it chooses by their {@link #sleepsOn}. Then it calls {@link #disarm} on
 * each that it armed. When no caller waits any more it calls {@link #endWait}.
 *
 * <p><b>Wake-ups.</b> Whatever happens in another thread or process between {@link #arm} and {@link
 * #disarm} must end the sleep: by {@link MethodHost#wake}, or in the way of the {@link SleepPlace}.
 *
 * <p><b>Threads.</b> The core calls from one thread at a time, the lead; {@link #sleepsOn} may be
 * called by any thread.
 */
public interface Waitable {
    /**
     * Does the work that is possible without waiting and without a call to a peer. Bounded.
     *
     * @return how much was done; 0 if nothing
     */
    int poll();

    /**
     * Makes progress for a test call without idle time, which may include one call to the peer.
     * Bounded.
     *
     * @return how much was done; 0 if nothing
     */
    default int askAndPoll() {
        return poll();
    }

    /**
     * Whether events are likely within microseconds, so that the lead may poll for a while before
     * it sleeps.
     *
     * @return default false
     */
    default boolean isEventNear() {
        return false;
    }

    /**
     * A caller begins to wait; called before the lead polls or sleeps for it. A method whose peer
     * must be asked for events asks once for the whole wait. Called again, with another deadline,
     * when another caller takes the lead, and when a method becomes active.
     *
     * @param deadlineNs the end of the caller's wait, on {@link System#nanoTime()}'s scale
     */
    default void beginWait(long deadlineNs) {}

    /**
     * Announces that the lead is going to sleep, passes a full fence, and then looks once more for
     * work. It need not do that work: if it returns false, the lead calls {@link #disarm} and
     * {@link #poll}. {@link #disarm} follows in any case.
     *
     * @param isSleptIn whether the lead will call {@link SleepPlace.Sleep#sleep} of this waitable's
     *     place
     * @return false if there is work, so that the lead must not sleep
     */
    boolean arm(boolean isSleptIn);

    /** Withdraws the announcement of {@link #arm}. */
    void disarm();

    /**
     * Called when the last waiting caller leaves. A method may tell its peers that nobody waits.
     */
    default void endWait() {}

    /**
     * What a sleep for this method sleeps on.
     *
     * @return constant for the life of the method
     */
    SleepPlace sleepsOn();
}
