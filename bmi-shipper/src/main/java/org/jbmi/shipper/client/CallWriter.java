package org.jbmi.shipper.client;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Permission;
import org.jbmi.shipper.pump.Outgoing;
import org.jbmi.shipper.wire.Wire;

import java.util.Arrays;

/**
 * Encodes the calls of a session. The first call names function and signature, and gives an index
 * for them. After the server has answered it, later calls have only the index. Guarded by the
 * pump's lock.
 */
final class CallWriter {
    private final ClientCore core;

    /** By index: whether the server knows which function it stands for. */
    private final boolean[] known = new boolean[Wire.MAX_FUNCTION_INDEX + 1];

    private long session;
    private long largestUnexpected;

    CallWriter(ClientCore core) {
        this.core = core;
    }

    void open(long granted, long largestUnexpectedBytes) {
        session = granted;
        largestUnexpected = largestUnexpectedBytes;
    }

    /** Encodes a call, or one that gives a handle for its input. */
    <I> void write(Outgoing message, PendingCall call, Target<I, ?> target, I input, int leftMs) {
        begin(message, call, target, leftMs, 0);
        int head = message.out().size();
        target.input().encode(input, message.out());
        int size = message.out().size();
        if (size - head > core.settings().maxInputBytes()) {
            throw new BmiException(
                    ErrorCode.EMSGSIZE,
                    "The input has %d bytes, over shipper.maxInputBytes.".formatted(size - head));
        }
        if (size <= largestUnexpected) {
            return;
        }
        byte[] bytes = Arrays.copyOfRange(message.out().array(), head, size);
        BulkHandle handle = call.expose(bytes, Permission.READ);
        begin(message, call, target, leftMs, Wire.FLAG_INPUT_BY_BULK);
        message.out().putHandle(handle);
    }

    private void begin(
            Outgoing message, PendingCall call, Target<?, ?> target, int leftMs, int flags) {
        int index = target.index();
        int all = flags | index << Wire.FUNCTION_INDEX_SHIFT;
        if (known[index]) {
            Wire.begin(message.out(), Wire.CALL, all, session, call.number);
        } else {
            Wire.begin(message.out(), Wire.NAMED_CALL, all, session, call.number);
            message.out().putLong(target.function());
            message.out().putLong(target.fingerprint());
        }
        message.out().putInt(leftMs);
    }

    /** The server has answered a call, with any result: so it knows the index. */
    void answered(PendingCall call) {
        int index = call.target().index();
        if (index != 0 && !known[index]) {
            known[index] = true;
        }
    }
}
