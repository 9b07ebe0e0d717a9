package org.jbmi.testsuite;

/**
 * What a method can do beyond what every method must. A case that needs more than a fixture
 * declares is skipped, and says so.
 */
public enum Capability {
    /** An instance can send to itself. */
    SELF_SEND,

    /** Several servers may listen at a time, under different addresses. */
    SEVERAL_SERVERS,

    /** Only one server can listen at a time; a second one is told that it is busy. */
    SINGLE_SERVER,

    /** A server can send unexpected messages to a client that it met. */
    UNEXPECTED_TO_CLIENT,

    /** A program can take unexpected messages on a client, since others may send some to it. */
    UNEXPECTED_AT_CLIENT,

    /** Unexpected messages beyond the receiver's memory wait at their sender. */
    BOUNDED_UNEXPECTED,

    /** A server's memalloc gives memory from a pool of a size that can be set. */
    SERVER_POOL,

    /** A server refuses pool-only posts with memory from elsewhere. */
    STRICT_POOL_ONLY,

    /** Foreign buffers of a server go through temporary blocks of its pool. */
    TEMPORARY_BLOCKS,

    /** The memory that peers share is a file, in a directory that can be set. */
    SEGMENT_FILE,

    /** What clients post while no server is there waits for the next one. */
    OUTLIVES_SERVER,

    /** Small messages travel another way than large ones. */
    EAGER,

    /** A client's posts may wait for their immediate completion. */
    POST_TIMEOUT,

    /** Addresses can be compared with ranges. */
    ADDRESS_RANGES,

    /** The port of a server can be asked for. */
    PORT,

    /** The method has one address for all. */
    SINGLE_ADDRESS,

    /** A server may look an address up before anybody listens there, and post to it. */
    LATE_SERVER,

    /** Lists may be as long as the limits say, which is below a million buffers. */
    LIST_LIMIT,

    /**
     * A send is complete when the system has taken its bytes, whether or not a receive is posted;
     * its message then waits at the receiver. Elsewhere a send without a receive is pending.
     */
    LOCAL_SENDS,

    /** Unexpected messages have no class: there is none on the wire. */
    NO_CLASSES,

    /**
     * Peers may live in processes of their own; the fixture can join an environment from another
     * one.
     */
    PROCESSES,

    /** Something stands between the peers that can be started, stopped and killed: a daemon. */
    BROKER,

    /** A client's post is done at once if its partner is registered with the other side. */
    IMMEDIATE,

    /** The calls that a client forwards are counted. */
    CALL_COUNTER,

    /** Peers reach each other by TCP connections to a port that anybody can connect to. */
    CONNECTIONS,

    /** Its environments can be joined by instances that have another method as well. */
    SEVERAL_METHODS
}
