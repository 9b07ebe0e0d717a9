package org.jbmi.zbmi.engine.port;

/** What the engine counts, for each session. The order is fixed: new ones go to the end. */
public enum EngineCounter {
    /** Sends that a client forwarded, expected and unexpected. */
    CALLS_SEND("calls.send", "calls"),
    /** Receives that a client forwarded. */
    CALLS_RECEIVE("calls.receive", "calls"),
    /** Waits that a client opened. */
    CALLS_TEST("calls.test", "calls"),
    /** Expected messages that went from a client to the server. */
    MESSAGES_SENT("messages.sent", "messages"),
    /** Their bytes. */
    BYTES_SENT("bytes.sent", "bytes"),
    /** Expected messages that went from the server to a client. */
    MESSAGES_RECEIVED("messages.received", "messages"),
    /** Their bytes. */
    BYTES_RECEIVED("bytes.received", "bytes"),
    /** Unexpected messages that were accepted whole. */
    UNEXPECTED_ACCEPTED("unexpected.accepted", "messages"),
    /** Their bytes. */
    UNEXPECTED_BYTES("unexpected.bytes", "bytes"),
    /** Unexpected messages that had to wait for memory. */
    UNEXPECTED_DEFERRED("unexpected.deferred", "messages"),
    /** Unexpected messages that were accepted and then dropped, since no server took them. */
    UNEXPECTED_DROPPED("unexpected.dropped", "messages"),
    /** Grants given. */
    GRANTS("grants", "grants"),
    /** Grants taken back before they were claimed. */
    GRANTS_TAKEN_BACK("grants.taken.back", "grants"),
    /** Payloads that the engine itself copied out of eager slots and messages. */
    EAGER_MOVES("eager.moves", "messages"),
    /** Operations that their owner cancelled while they were registered. */
    WITHDRAWN("operations.withdrawn", "operations"),
    /** Messages dropped because the receive that was there first was too small. */
    TOO_LONG("messages.too.long", "messages"),
    /** Operations that the server posted. */
    POSTS("server.posts", "operations"),
    /** Of those, the ones whose post was answered with success. */
    POSTS_IMMEDIATE("server.posts.immediate", "operations"),
    /** Cancels of the server. */
    CANCELS("server.cancels", "calls"),
    /** Operations that are pending now. */
    PENDING("operations.pending", "operations"),
    /** Bytes of its unexpected messages that are accepted and not freed: in any memory. */
    UNEXPECTED_HELD("unexpected.held", "bytes"),
    /** Bytes of the pool that the server's operations with it hold now. */
    POOL_HELD("pool.held", "bytes"),
    /**
     * Messages of the server that went to a client without a grant: in a message or a data slot.
     */
    INLINE_MOVES("inline.moves", "messages"),
    /** Of those, the ones that crossed a cancel, so that the client had to say whose they are. */
    DOUBTS("inline.doubts", "messages");

    private final String label;
    private final String unit;

    EngineCounter(String label, String unit) {
        this.label = label;
        this.unit = unit;
    }

    /** Dotted name, without the session's. */
    public String label() {
        return label;
    }

    /** Whether it counts what is held now, and so goes down as well. */
    public boolean isGauge() {
        return this == PENDING || this == UNEXPECTED_HELD || this == POOL_HELD;
    }

    /** The unit of the count. */
    public String unit() {
        return unit;
    }
}
