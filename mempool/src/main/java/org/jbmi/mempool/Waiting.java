package org.jbmi.mempool;

/**
 * How a thread of one process sleeps on an {@code int} in shared memory, the <em>word</em>, until a
 * thread of another process wakes it. {@link FutexWaiting} in production; a simulation replaces it.
 */
public interface Waiting {

    /**
     * Sleeps while a word has a value. Reading the word and falling asleep are one step: a waker
     * that changes the word before it calls {@link #wakeAll} is never missed.
     *
     * <p>Thread interrupts do not end the sleep: sleep in slices and check between them. A virtual
     * thread keeps its carrier for the whole sleep: let platform threads sleep.
     *
     * @param memory that holds the word
     * @param offset of the word, a multiple of 4
     * @param expected value for which to sleep; any other returns at once
     * @param timeoutNs longest sleep in nanoseconds; 0 or less only checks
     * @return false if the time passed; true if woken, if the word differs, or for no reason: check
     *     again
     */
    boolean await(SharedMemory memory, long offset, int expected, long timeoutNs);

    /**
     * Wakes all threads of all processes that sleep on a word. Change the word first.
     *
     * @param memory that holds the word
     * @param offset of the word, a multiple of 4
     */
    void wakeAll(SharedMemory memory, long offset);
}
