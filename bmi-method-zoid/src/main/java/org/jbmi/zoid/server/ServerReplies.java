package org.jbmi.zoid.server;

import static org.jbmi.zoid.server.ServerOperation.OVER;
import static org.jbmi.zoid.server.ServerOperation.REGISTERED;

import org.jbmi.ErrorCode;
import org.jbmi.observe.Counter;
import org.jbmi.zbmi.protocol.ServerEvents;

/**
 * What becomes of a server's operation by what the engine says of it. Nothing that came from
 * outside is believed unseen. All of it with the lock of the half held.
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
     * @param value what it says, see {@link ServerEvents#answer}
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

    /** A peer's code is a failure, whatever number it is. */
    int codeOf(int code) {
        if (code < 0 && ErrorCode.of(code) != null) {
            return code;
        }
        protocolErrors.increment();
        return EPROTO;
    }

    /** It is over, with this many bytes if the code is 0. */
    void over(ServerOperation slot, int code, long bytes) {
        boolean sound = code != 0 || (bytes >= 0 && bytes <= slot.operation().sizeBytes());
        slot.state = OVER;
        slot.outcome = sound ? code : codeOf(0);
        slot.outcomeBytes = bytes;
    }
}
