package org.jbmi.zoidfs.server.pipeline;

import com.lmax.disruptor.EventHandler;

import org.jbmi.Bmi;
import org.jbmi.ErrorCode;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.Operation;
import org.jbmi.zoidfs.protocol.Request;
import org.jbmi.zoidfs.protocol.ServerReport;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.protocol.XdrException;
import org.jbmi.zoidfs.protocol.XdrReader;
import org.jbmi.zoidfs.server.files.ExportRoot;
import org.jbmi.zoidfs.server.observe.ServerLog;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/** The first stage: from bytes to requests. Gives the memory of each message back. */
final class DecodeStage implements EventHandler<Inbound> {
    private final Bmi bmi;
    private final ExportRoot root;

    DecodeStage(Bmi bmi, ExportRoot root) {
        this.bmi = bmi;
        this.root = root;
    }

    @Override
    public void onEvent(Inbound event, long sequence, boolean endOfBatch) {
        Call call = event.call;
        MemorySegment message = event.message;
        if (event.kind != Inbound.Kind.REQUEST || call == null || message == null) {
            return;
        }
        try {
            call.status = event.outcome == ErrorCode.SUCCESS ? decode(call, message) : Status.XDR;
        } catch (RuntimeException e) {
            call.status = Status.OTHER;
            ServerLog.failed("A request could not be decoded", e);
        }
        event.message = null;
        bmi.unexpectedFree(message);
    }

    private int decode(Call call, MemorySegment message) {
        try {
            int number = new XdrReader(message).readInt("operation");
            if (number == ServerReport.NUMBER) {
                call.asksForReport = true;
                return Status.OK;
            }
            if (Operation.of(number) == null) {
                return Status.NOTIMPL;
            }
            Request request = Request.read(new XdrReader(message));
            call.decoded(request);
            return handlesAreOurs(request) ? Status.OK : Status.STALE;
        } catch (XdrException e) {
            return Status.XDR;
        }
    }

    private boolean handlesAreOurs(Request request) {
        return isOurs(request.handle())
                && (request.first() == null || isOurs(request.first().parent()))
                && (request.second() == null || isOurs(request.second().parent()));
    }

    private boolean isOurs(@Nullable FileHandle handle) {
        return handle == null || root.isOurs(handle);
    }
}
