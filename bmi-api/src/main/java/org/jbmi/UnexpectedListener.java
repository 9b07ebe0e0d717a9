package org.jbmi;

/**
 * Takes a part of the unexpected messages, for one component. While it is open it gets the messages
 * that its filter accepts: neither {@link Bmi#testUnexpected} nor another listener gets them. Where
 * filters overlap, the listener that was opened first takes the message. Safe for use by any
 * thread; each message goes to one caller.
 */
public interface UnexpectedListener extends AutoCloseable {
    /**
     * What it takes.
     *
     * @return the filter it was opened with
     */
    UnexpectedFilter filter();

    /**
     * Takes messages. If there are none it waits for the first. A thread that is interrupted does
     * not wait.
     *
     * @param messages room for them; emptied first
     * @param idleMs the longest wait in milliseconds; with 0 the call does not wait
     * @return how many were delivered, 0 if none came, if the listener was closed meanwhile, or if
     *     the capacity is 0
     * @throws BmiException with {@link ErrorCode#EINVAL} if {@code idleMs} is negative or the
     *     listener or its {@link Bmi} is closed
     */
    int test(UnexpectedMessages messages, long idleMs);

    /**
     * Closes the listener, and lets the threads that wait in {@link #test} return. The messages
     * that nobody took go to the other listeners and to {@link Bmi#testUnexpected}, in the order in
     * which they arrived. Closing twice does nothing.
     */
    @Override
    void close();
}
