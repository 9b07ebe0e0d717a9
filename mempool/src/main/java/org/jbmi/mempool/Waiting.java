package org.jbmi.mempool;

/**
 * How a thread of one process sleeps on a 4-byte word of shared memory until a thread of another
 * wakes it. A seam: {@link FutexWaiting} in production; a simulated schedule may decide itself who
 * sleeps and who is woken.
 */
public interface Waiting {

    /**
     * Sleeps while a word has a value. The look at the word and the falling asleep are one step: a
     * waker that changes the word before it calls {@link #wakeAll} is never missed.
     *
     * <p>Thread interrupts do not end the sleep: sleep in slices and look between them. A virtual
     * thread keeps its carrier for the whole sleep: let platform threads sleep.
     *
     * @param memory that holds the word
     * @param offset of the word, a multiple of 4
     * @param expected value for which to sleep; any other returns at once
     * @param timeoutNs longest sleep; 0 or less only looks
     * @return false if the time passed; true if woken, if the word differs, or for no reason: look
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
