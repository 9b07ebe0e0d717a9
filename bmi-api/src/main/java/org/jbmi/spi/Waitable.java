package org.jbmi.spi;

/**
 * How the lead makes progress for a method, and how it sleeps until there is more to do. A method
 * whose peers do all the work in their own calls has none ({@link Method#waitable}).
 *
 * <p><b>A wait.</b> For the wait of a caller the lead calls {@link #beginWait}, then {@link #poll}
 * again and again. When that finds nothing the lead calls {@link #arm} on the waitables of all
 * active methods: publish "asleep", fence, look once more. If all answer true, it sleeps in one
 * place for all of them, which it chooses by their {@link #sleepsOn}. Then it calls {@link #disarm}
 * on each that it armed. When no caller waits any more it calls {@link #endWait}.
 *
 * <p><b>Wake-ups.</b> Whatever happens in another thread or process between {@link #arm} and {@link
 * #disarm} must end the sleep: by {@link MethodHost#wake}, or as the {@link SleepPlace} says.
 *
 * <p><b>Threads.</b> The core calls from one thread at a time, the lead; {@link #sleepsOn} may be
 * called by any thread.
 */
public interface Waitable {
    /**
     * Does what can be done without waiting, and asks no peer. Bounded.
     *
     * @return how much was done; 0 if nothing
     */
    int poll();

    /**
     * Does what a test call without idle time should find done, which may include asking the peer
     * once. Bounded.
     *
     * @return how much was done; 0 if nothing
     */
    default int askAndPoll() {
        return poll();
    }

    /**
     * Whether events are likely within microseconds, so that the lead may look again for a while
     * before it sleeps.
     *
     * @return default false
     */
    default boolean isEventNear() {
        return false;
    }

    /**
     * Told when a caller begins to wait, before the lead looks or sleeps for it: a method whose
     * peer must be asked for events asks once for the whole wait. May be called again, with another
     * deadline, when another caller takes the lead over.
     *
     * @param deadlineNs when the caller gives up, on {@link System#nanoTime()}'s scale
     */
    default void beginWait(long deadlineNs) {}

    /**
     * Announces that the lead is going to sleep, then looks once more. {@link #disarm} follows,
     * whatever the answer is.
     *
     * @param isSleptIn whether the lead will call {@link SleepPlace.Sleep#sleep} of this waitable's
     *     own place
     * @return false if there is something to do and the lead must not sleep
     */
    boolean arm(boolean isSleptIn);

    /** Takes back what {@link #arm} announced. */
    void disarm();

    /**
     * Told when the caller that waited leaves and nobody takes over, so that a method may tell its
     * peers that nobody is listening.
     */
    default void endWait() {}

    /**
     * What a sleep for this method sleeps on.
     *
     * @return constant for the life of the method
     */
    SleepPlace sleepsOn();
}
