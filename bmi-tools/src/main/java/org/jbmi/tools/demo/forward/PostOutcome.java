package org.jbmi.tools.demo.forward;

/** The user data of a post: knows what to do when the operation is done. */
interface PostOutcome {
    /**
     * Takes the outcome.
     *
     * @param error 0 or a negative code
     * @param sizeBytes the size of the message
     */
    void completed(int error, long sizeBytes);
}
