package org.jbmi.zoid.server;

import static org.jbmi.zoid.server.ServerOperation.OVER;
import static org.jbmi.zoid.server.ServerOperation.REGISTERED;

import org.jbmi.ErrorCode;
import org.jbmi.observe.Counter;
import org.jbmi.zbmi.protocol.ServerEvents;

/**
 * Changes the state of a server's operation by what the engine reports. Every value from the engine
 * is checked. The caller holds the lock of the half.
 */
final class ServerReplies {
    private static final int EPROTO = ErrorCode.EPROTO.negativeValue();

    private final Counter protocolErrors;

    ServerReplies(Counter protocolErrors) {
        this.protocolErrors = protocolErrors;
    }

    /**
     * Takes the answer to a post.
     *
     * @param kind of {@link ServerEvents}
     * @param value its value, see {@link ServerEvents#answer}
     */
    void take(ServerOperation slot, int kind, long value) {
        switch (kind) {
            case ServerEvents.REGISTERED -> {
                slot.zoidId = value;
                slot.state = REGISTERED;
            }
            case ServerEvents.POST_COMPLETED -> over(slot, 0, value);
            case ServerEvents.POST_REFUSED -> over(slot, codeOf((int) value), 0);
            default -> over(slot, codeOf(0), 0);
        }
    }

    /** Any code of a peer is a failure, whatever its number. */
    int codeOf(int code) {
        if (code < 0 && ErrorCode.of(code) != null) {
            return code;
        }
        protocolErrors.increment();
        return EPROTO;
    }

    /** Ends the operation, with this many bytes if the code is 0. */
    void over(ServerOperation slot, int code, long bytes) {
        boolean sound = code != 0 || (bytes >= 0 && bytes <= slot.operation().sizeBytes());
        slot.state = OVER;
        slot.outcome = sound ? code : codeOf(0);
        slot.outcomeBytes = bytes;
    }
}
