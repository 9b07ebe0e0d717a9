package org.jbmi.rig.perf.phase;

import org.jspecify.annotations.Nullable;

import java.util.Locale;
import java.util.stream.Stream;

/** What the messages of a measurement do. */
public enum Pattern {
    /** An expected message in each direction. */
    PINGPONG(1),
    /** An unexpected request and an expected reply. */
    RPC(1),
    /** Messages one way, several of them under way. */
    STREAM(8),
    /** Requests at a fixed rate, independent of the replies. */
    RATE(64),
    /** Posts and tests of both sides in one thread; loopback only. */
    LOCAL(1),
    /** Nothing is sent: the cost of waiting. */
    IDLE(1),
    /** Calls of the shipper, with inputs and outputs of the size. */
    CALL(1),
    /** Calls of the shipper that pull the size from the client. */
    PULL(8),
    /** Calls of the shipper that push the size to the client. */
    PUSH(8),
    /** Calls of the plug-in "test" of ZOID, with arrays of the size both ways. */
    FORWARD(1);

    private final int defaultOutstanding;

    Pattern(int defaultOutstanding) {
        this.defaultOutstanding = defaultOutstanding;
    }

    /** {@return the default number of messages under way} */
    public int defaultOutstanding() {
        return defaultOutstanding;
    }

    /** {@return how many messages one measured exchange has} */
    public int messagesPerExchange() {
        return isRoundTrip() ? 2 : 1;
    }

    /** {@return whether it times round trips} */
    public boolean isRoundTrip() {
        return this == PINGPONG || this == RPC || this == RATE || this == CALL || this == FORWARD;
    }

    /** {@return whether it uses the function shipper} */
    public boolean isShipped() {
        return this == CALL || this == PULL || this == PUSH;
    }

    /**
     * A pattern to compare with another one over the same method: calls with RPCs, which carry
     * them, or a stream with pulls and pushes.
     *
     * @return its pattern; null if it is another word
     */
    public static @Nullable Pattern layer(String name) {
        return Stream.of(CALL, FORWARD, STREAM)
                .filter(each -> each.toString().equals(name))
                .findFirst()
                .orElse(null);
    }

    /**
     * {@return whether requests are unexpected messages, which a server takes without a posted
     * receive}
     */
    public boolean hasUnexpectedRequests() {
        return this == RPC || this == RATE;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
