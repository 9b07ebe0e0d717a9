package org.jbmi.zbmi.engine;

import org.jbmi.ErrorCode;
import org.jbmi.zbmi.engine.port.EngineOutput;
import org.jbmi.zbmi.engine.port.Fault;
import org.jbmi.zbmi.protocol.ServerEvents;

import java.util.ArrayList;
import java.util.List;

/** Writes down what an engine says, one line each, and keeps the grants. */
final class RecordingOutput implements EngineOutput {
    /** A grant as the client sees it. */
    record Granted(
            int client,
            long correlation,
            long reference,
            long operationId,
            long grantId,
            long bytes,
            long offset,
            int window,
            int partner,
            long claimWord) {}

    /** An unexpected message as the server sees it. */
    record Arrived(int client, int tag, int messageClass, long offset, long bytes, long id) {}

    private final List<String> lines = new ArrayList<>();
    final List<Granted> grants = new ArrayList<>();
    final List<Arrived> arrived = new ArrayList<>();
    long lastOperationId;
    long lastZoidId;
    boolean hasRoom = true;

    /** What has been said since the last call. */
    List<String> take() {
        List<String> taken = List.copyOf(lines);
        lines.clear();
        return taken;
    }

    Granted lastGrant() {
        return grants.getLast();
    }

    private static String code(int code) {
        // A failure is told as a negative number; the other sign is another answer.
        return code > 0 ? "+" + code : String.valueOf(ErrorCode.of(code));
    }

    @Override
    public void pending(int client, long correlation, long reference, long operationId) {
        lastOperationId = operationId;
        lines.add("c" + client + " pending " + reference + " for " + correlation);
    }

    @Override
    public void grant(
            int client,
            long correlation,
            long reference,
            long operationId,
            long grantId,
            long bytes,
            long offset,
            long listOffset,
            int listEntries,
            int window,
            int partner,
            long claimWord) {
        lastOperationId = operationId;
        grants.add(
                new Granted(
                        client,
                        correlation,
                        reference,
                        operationId,
                        grantId,
                        bytes,
                        offset,
                        window,
                        partner,
                        claimWord));
        lines.add("c" + client + " grant " + reference + " for " + correlation + ": " + bytes);
    }

    @Override
    public boolean data(int client, long reference, long bytes, long offset) {
        if (hasRoom) {
            lines.add("c" + client + " data " + reference + ": " + bytes);
        }
        return hasRoom;
    }

    @Override
    public boolean mayPublish(int client) {
        return hasRoom;
    }

    @Override
    public boolean dataSlot(int client, long reference, long bytes, int slot) {
        if (hasRoom) {
            lines.add("c" + client + " data " + reference + " in " + slot + ": " + bytes);
        }
        return hasRoom;
    }

    @Override
    public void completed(int client, long correlation, long reference, long bytes) {
        lines.add("c" + client + " completed " + reference + " for " + correlation + ": " + bytes);
    }

    @Override
    public void accepted(int client, long reference) {
        lines.add("c" + client + " accepted " + reference);
    }

    @Override
    public void failed(int client, long correlation, long reference, int code) {
        lines.add(
                "c" + client + " failed " + reference + " for " + correlation + ": " + code(code));
    }

    @Override
    public void testReply(int client, long correlation, int pushed) {
        lines.add("c" + client + " tested " + correlation + ": " + pushed);
    }

    @Override
    public void registered(long correlation, long operationId, long zoidId) {
        lastZoidId = zoidId;
        lines.add("s registered " + operationId + " for " + correlation);
    }

    @Override
    public void postCompleted(long correlation, long operationId, long bytes) {
        lines.add("s done " + operationId + " for " + correlation + ": " + bytes);
    }

    @Override
    public void postRefused(long correlation, long operationId, int code) {
        lines.add("s refused " + operationId + " for " + correlation + ": " + code(code));
    }

    @Override
    public void cancelReply(long correlation, long operationId, int outcome) {
        String[] names = {"?", "cancelled", "requested", "unknown"};
        lines.add("s " + names[outcome] + " " + operationId + " for " + correlation);
    }

    @Override
    public void finishReply(long correlation, int moversLeft) {
        lines.add("s finished for " + correlation + ": " + moversLeft);
    }

    @Override
    public void completion(long operationId, int code, long bytes, int client, int generation) {
        String outcome = code == 0 ? Long.toString(bytes) : code(code);
        lines.add("s completion " + operationId + ": " + outcome);
    }

    @Override
    public void unexpected(
            int client,
            int generation,
            int tag,
            int messageClass,
            long offset,
            long bytes,
            long messageId) {
        arrived.add(new Arrived(client, tag, messageClass, offset, bytes, messageId));
        lines.add("s unexpected from c" + client + " tag " + tag + ": " + bytes);
    }

    @Override
    public void clientAttached(int client, int generation) {
        lines.add("s attached c" + client + " " + generation);
    }

    @Override
    public void clientGone(int client, int generation, int code) {
        lines.add("s gone c" + client + " " + generation + ": " + code(code));
    }

    @Override
    public void fault(int session, Fault fault) {
        lines.add("fault " + session + " " + fault);
    }

    static {
        assert ServerEvents.CANCELLED == 1 && ServerEvents.UNKNOWN == 3;
    }
}
