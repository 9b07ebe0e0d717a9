package org.jbmi.zoidfs.server.pipeline;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.zoidfs.protocol.DirectoryEntry;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.LongestMessage;
import org.jbmi.zoidfs.protocol.Operation;
import org.jbmi.zoidfs.protocol.Reply;
import org.jbmi.zoidfs.protocol.Request;
import org.jbmi.zoidfs.protocol.ServerReport;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.protocol.XdrException;
import org.jbmi.zoidfs.protocol.XdrReader;
import org.jbmi.zoidfs.server.files.ExportRoot;
import org.jbmi.zoidfs.server.observe.Fault;
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

    /** Decodes a request; sets the status of the call if the request is wrong. */
    void decode(Call call, MemorySegment message, ErrorCode outcome) {
        try {
            call.status = outcome == ErrorCode.SUCCESS ? decode(call, message) : Status.XDR;
        } catch (RuntimeException | OutOfMemoryError e) {
            call.status = Status.OTHER; // only this call fails
            ServerLog.failed(Fault.REQUEST_DECODED, e);
        } finally {
            bmi.unexpectedFree(message);
        }
    }

    /** Frees the memory of a request that is not decoded, since its server closes. */
    void giveBack(MemorySegment message) {
        try {
            bmi.unexpectedFree(message);
        } catch (BmiException e) {
            // The instance is closed, and with it all its memory.
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
            Operation operation = Operation.of(number);
            if (operation == null) {
                return Status.NOTIMPL;
            }
            try {
                call.decoded(fitting(call, Request.read(new XdrReader(message))));
            } finally {
                if (call.operation() == null
                        && (operation == Operation.READ || operation == Operation.WRITE)) {
                    // The length of its data is not known. It would reach the next call of the tag.
                    call.dropPeer();
                }
            }
            return handlesAreOurs(call.request()) ? Status.OK : Status.STALE;
        } catch (XdrException e) {
            return Status.XDR;
        }
    }

    /** Limits a directory list to the longest message that the client can receive. */
    private Request fitting(Call call, Request request) {
        FileHandle handle = request.handle();
        if (request.operation() != Operation.READDIR
                || handle == null
                || Integer.compareUnsigned(request.maximum(), entries(Call.PLAIN_BYTES)) <= 0) {
            return request;
        }
        int most = entries(call.longestMessageBytes(bmi));
        return Integer.compareUnsigned(request.maximum(), most) <= 0
                ? request
                : Request.readdir(handle, request.number(), most, request.flags(), request.hints());
    }

    /** How many entries of any length fit into a message. */
    private static int entries(long messageBytes) {
        long room = messageBytes - Reply.EMPTY_LIST_BYTES;
        return (int) Math.min(room / DirectoryEntry.MAX_BYTES, Integer.MAX_VALUE);
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
