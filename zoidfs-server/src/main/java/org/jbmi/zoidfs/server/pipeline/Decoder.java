package org.jbmi.zoidfs.server.pipeline;

import org.jbmi.Bmi;
import org.jbmi.ErrorCode;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.LongestMessage;
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

/** Decodes requests and frees the memory of their messages. For the ordering stage only. */
final class Decoder {
    private final Bmi bmi;
    private final ExportRoot root;

    Decoder(Bmi bmi, ExportRoot root) {
        this.bmi = bmi;
        this.root = root;
    }

    /** Decodes a request, or says in its status what is wrong with it. */
    void decode(Call call, MemorySegment message, ErrorCode outcome) {
        try {
            call.status = outcome == ErrorCode.SUCCESS ? decode(call, message) : Status.XDR;
        } catch (RuntimeException | OutOfMemoryError e) {
            call.status = Status.OTHER; // this call fails, and not the next ones as well
            ServerLog.failed("A request could not be decoded", e);
        } finally {
            bmi.unexpectedFree(message);
        }
    }

    private int decode(Call call, MemorySegment message) {
        try {
            int number = new XdrReader(message).readInt("operation");
            if (number == ServerReport.NUMBER) {
                call.question = Call.Question.REPORT;
                return Status.OK;
            }
            if (LongestMessage.isRequest(message)) {
                call.question = Call.Question.LONGEST_MESSAGE;
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
