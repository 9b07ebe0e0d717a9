package org.jbmi.testsuite;

/**
 * A property that not every method has: an ability or a limit. A case that needs more than a
 * fixture declares is skipped and reported.
 */
public enum Capability {
    /** An instance can send to itself. */
    SELF_SEND,

    /** Only one server can listen at a time; a second one is refused with EBUSY. */
    SINGLE_SERVER,

    /** A server can send unexpected messages to a client that it knows as a sender. */
    UNEXPECTED_TO_CLIENT,

    /** Unexpected messages beyond the receiver's memory wait at their sender. */
    BOUNDED_UNEXPECTED,

    /** A server's memalloc gives memory from a pool of a size that can be set. */
    SERVER_POOL,

    /** A server refuses pool-only posts with memory from elsewhere. */
    STRICT_POOL_ONLY,

    /** Buffers outside of a server's pool go through temporary blocks of the pool. */
    TEMPORARY_BLOCKS,

    /** The memory that peers share is a file, in a directory that can be set. */
    SEGMENT_FILE,

    /** Operations that clients post while there is no server wait for the next one. */
    OUTLIVES_SERVER,

    /**
     * The option {@code BMI_ZOID_POST_TIMEOUT} sets how long a client's post waits for its
     * completion.
     */
    POST_TIMEOUT,

    /** Addresses can be compared with ranges. */
    ADDRESS_RANGES,

    /** The port of a server can be read as an option. */
    PORT,

    /** Only the server has an address; no one can look up a client. */
    SINGLE_ADDRESS,

    /** Lists may be as long as the limits say, which is below a million buffers. */
    LIST_LIMIT,

    /**
     * A send is complete when the system has taken its bytes, whether or not a receive is posted;
     * its message then waits at the receiver. A cancelled receive may take its message along.
     * Elsewhere a send without a receive is pending.
     */
    LOCAL_SENDS,

    /** Unexpected messages have no class: there is none on the wire. */
    NO_CLASSES,

    /**
     * Peers may live in processes of their own; the fixture can join an environment from another
     * one.
     */
    PROCESSES,

    /** There is a process between the peers that can be started, stopped and killed: a daemon. */
    BROKER,

    /**
     * A client's post completes at once if the other side has already posted the matching
     * operation.
     */
    IMMEDIATE,

    /** The calls that a client forwards are counted. */
    CALL_COUNTER,

    /** Peers connect by TCP to a port that any program can connect to. */
    CONNECTIONS,

    /** An instance can join its environments and use another method as well. */
    SEVERAL_METHODS
}
