package org.jbmi.shipper.client;

import org.jbmi.ErrorCode;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Decoder;
import org.jbmi.shipper.codec.MalformedException;
import org.jbmi.shipper.codec.Permission;
import org.jbmi.shipper.wire.Wire;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a server asks of exposed memory, in one session. Guarded by the pump's lock. */
final class ClientTransfers {
    private final ClientSession session;
    private final Map<Long, ClientTransfer> byNumber = new LinkedHashMap<>();

    ClientTransfers(ClientSession session) {
        this.session = session;
    }

    void asked(boolean push, long number, Decoder in) {
        TransferRequest request = TransferRequest.read(push, number, in);
        boolean twice =
                byNumber.containsKey(number)
                        || byNumber.values().stream()
                                .anyMatch(other -> other.channel() == request.channel());
        if (twice) {
            throw new MalformedException("A transfer on a channel that is in use was asked for.");
        }
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
            session.sendDone(number, refusal, 0, 0);
            return;
        }
        ClientTransfer transfer = new ClientTransfer(session, exposure, request);
        byNumber.put(number, transfer);
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
        ClientTransfer transfer = byNumber.get(number);
        if (transfer == null) {
            session.sendDone(number, ErrorCode.ECANCEL.negativeValue(), 0, Wire.FLAG_UNKNOWN);
        } else {
            transfer.abort(sent);
        }
    }

    void forget(ClientTransfer transfer) {
        if (byNumber.remove(transfer.id()) != null) {
            transfer.exposure().endTransfer();
        }
    }

    void cancelAll(int code) {
        for (ClientTransfer transfer : new ArrayList<>(byNumber.values())) {
            transfer.cancelAll(code);
        }
    }

    boolean use(Exposure exposure) {
        return byNumber.values().stream().anyMatch(one -> one.exposure() == exposure);
    }
}
