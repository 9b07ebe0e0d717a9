package org.jbmi.shipper.client;

import org.jbmi.ErrorCode;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Decoder;
import org.jbmi.shipper.codec.MalformedException;
import org.jbmi.shipper.codec.Permission;
import org.jbmi.shipper.wire.Tags;
import org.jbmi.shipper.wire.Wire;
import org.jbmi.spi.Failures;
import org.jbmi.spi.HashMaps;
import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** A server's requests for exposed memory, in one session. Guarded by the pump's lock. */
final class ClientTransfers {
    private final ClientSession session;
    private final @Nullable ClientTransfer[] channels =
            new ClientTransfer[Tags.MAX_TRANSFER_CHANNEL + 1];

    /**
     * By channel: a request that came before all sends of the last pull on the channel were
     * reported. The server has received them: one thread may be about to report a send while
     * another reads the next message.
     */
    private final Map<Integer, TransferRequest> waiting = HashMaps.prepared(new HashMap<>());

    ClientTransfers(ClientSession session) {
        this.session = session;
    }

    void asked(boolean push, long number, Decoder in) {
        TransferRequest request = TransferRequest.read(push, number, in);
        ClientTransfer before = channels[request.channel()];
        boolean mayFollow = before == null || before.isAllPosted();
        if (isKnown(number) || !mayFollow || waiting.containsKey(request.channel())) {
            throw new MalformedException("A transfer on a channel that is in use was asked for.");
        }
        if (before == null) {
            begin(request);
        } else {
            waiting.put(request.channel(), request);
        }
    }

    private @Nullable ClientTransfer find(long number) {
        for (ClientTransfer each : channels) {
            if (each != null && each.id() == number) {
                return each;
            }
        }
        return null;
    }

    private boolean isKnown(long number) {
        return find(number) != null
                || waiting.values().stream().anyMatch(each -> each.id() == number);
    }

    private void begin(TransferRequest request) {
        boolean push = request.push();
        int refusal =
                session.core()
                        .refusal(
                                request.number(),
                                request.key(),
                                push ? Permission.WRITE : Permission.READ,
                                request.offset(),
                                request.length());
        Exposure exposure = session.core().exposure(request.number());
        if (refusal != 0 || exposure == null) {
            session.core().counters().bulkRefusals.increment();
            session.sendDone(request.id(), refusal, 0, 0);
            return;
        }
        ClientTransfer transfer = new ClientTransfer(session, exposure, request);
        channels[request.channel()] = transfer;
        transfer.start();
    }

    void pushedInline(long number, Decoder in) {
        long exposureNumber = in.getLong();
        BulkHandle.Token key = in.getToken();
        long offset = in.getLong();
        byte[] bytes = in.getBytes();
        in.end();
        int refusal =
                session.core().refusal(exposureNumber, key, Permission.WRITE, offset, bytes.length);
        Exposure exposure = session.core().exposure(exposureNumber);
        if (refusal == 0 && exposure != null) {
            try {
                exposure.memory().copyFrom(offset, bytes, 0, bytes.length);
                session.core().countMoved(true, bytes.length);
            } catch (RuntimeException e) { // the program has closed the memory meanwhile
                refusal = ErrorCode.EFAULT.negativeValue();
            }
        } else {
            session.core().counters().bulkRefusals.increment();
        }
        session.sendDone(number, refusal, 0, 0);
    }

    void aborted(long number, Decoder in) {
        int sent = in.getInt();
        in.end();
        ClientTransfer transfer = find(number);
        if (waiting.values().removeIf(each -> each.id() == number)) {
            session.sendDone(number, ErrorCode.ECANCEL.negativeValue(), 0, 0);
        } else if (transfer == null) {
            session.sendDone(number, ErrorCode.ECANCEL.negativeValue(), 0, Wire.FLAG_UNKNOWN);
        } else {
            transfer.abort(sent);
        }
    }

    void forget(ClientTransfer transfer) {
        if (channels[transfer.channel()] == transfer) {
            channels[transfer.channel()] = null;
            transfer.exposure().endTransfer();
            TransferRequest next = waiting.remove(transfer.channel());
            if (next != null && !session.isDead()) {
                begin(next);
            }
        }
    }

    /** A cancel that fails skips none behind it; the caller gets the failure. */
    void cancelAll(int code) {
        waiting.clear();
        Throwable failure = null;
        for (ClientTransfer transfer : channels) {
            if (transfer != null) {
                try {
                    transfer.cancelAll(code);
                } catch (RuntimeException | Error e) {
                    failure = Failures.first(failure, e);
                }
            }
        }
        Failures.rethrow(failure);
    }

    boolean use(Exposure exposure) {
        return Arrays.stream(channels).anyMatch(one -> one != null && one.exposure() == exposure);
    }
}
