package org.jbmi.zoid.processor.model;

/** Which way a parameter travels. */
public enum Direction {
    /** From the client to the function. */
    IN,
    /** From the function to the client. */
    OUT,
    /** There and back. */
    INOUT;

    /**
     * Whether the client gives it to the function.
     *
     * @return true if it travels with the request
     */
    public boolean goesIn() {
        return this != OUT;
    }

    /**
     * Whether the function gives it to the client.
     *
     * @return true if it travels with the reply
     */
    public boolean comesOut() {
        return this != IN;
    }
}
