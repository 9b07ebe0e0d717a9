package org.jbmi.zbmi.engine;

import org.jbmi.ErrorCode;
import org.jbmi.zbmi.engine.port.EngineHost;
import org.jbmi.zbmi.engine.port.Fault;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zbmi.protocol.ServerEvents;
import org.jbmi.zbmi.protocol.ServerOutput;

import java.util.ArrayList;
import java.util.List;

/** Writes down what an engine says, one line each, and keeps the grants. */
final class RecordingOutput implements EngineHost, ServerOutput {
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
    public void send(int session, Message m) {
        if (session == SegmentMap.SERVER_SESSION) {
            ServerEvents.deliver(m, this);
            return;
        }
        long reference = m.kind() == ClientEvents.TEST_REPLY ? 0 : ClientEvents.reference(m);
        lines.add(
                "c"
                        + session
                        + switch (m.kind()) {
                            case ClientEvents.PENDING -> {
                                lastOperationId = ClientEvents.operationId(m);
                                yield " pending " + reference + answered(m);
                            }
                            case ClientEvents.GRANT -> {
                                lastOperationId = ClientEvents.operationId(m);
                                grants.add(granted(session, m));
                                yield " grant "
                                        + reference
                                        + answered(m)
                                        + ": "
                                        + ClientEvents.grantBytes(m);
                            }
                            case ClientEvents.COMPLETED ->
                                    " completed "
                                            + reference
                                            + answered(m)
                                            + ": "
                                            + ClientEvents.completedBytes(m);
                            case ClientEvents.ACCEPTED -> " accepted " + reference;
                            case ClientEvents.FAILED ->
                                    " failed "
                                            + reference
                                            + answered(m)
                                            + ": "
                                            + code(ClientEvents.failedCode(m));
                            case ClientEvents.TEST_REPLY ->
                                    " tested "
                                            + ClientEvents.correlation(m)
                                            + ": "
                                            + ClientEvents.pushed(m);
                            default -> throw new AssertionError("no message for a client: " + m);
                        });
    }

    private static String answered(Message m) {
        return " for " + ClientEvents.correlation(m);
    }

    private static Granted granted(int client, Message m) {
        return new Granted(
                client,
                ClientEvents.correlation(m),
                ClientEvents.reference(m),
                ClientEvents.operationId(m),
                ClientEvents.grantId(m),
                ClientEvents.grantBytes(m),
                ClientEvents.grantOffset(m),
                ClientEvents.window(m),
                (int) ClientEvents.partner(m),
                ClientEvents.claimWord(m));
    }

    @Override
    public boolean mayPublish(int client) {
        return hasRoom;
    }

    @Override
    public boolean sendData(int client, Message head, long offset, long bytes) {
        if (hasRoom) {
            String place = head.kind() == ClientEvents.DATA ? "" : " in " + ClientEvents.slot(head);
            lines.add(
                    "c"
                            + client
                            + " data "
                            + ClientEvents.reference(head)
                            + place
                            + ": "
                            + ClientEvents.dataBytes(head));
        }
        return hasRoom;
    }

    @Override
    public void answered(int kind, long correlation, long operationId, long value) {
        String whose = " " + operationId + " for " + correlation;
        switch (kind) {
            case ServerEvents.REGISTERED -> {
                lastZoidId = value;
                lines.add("s registered" + whose);
            }
            case ServerEvents.POST_COMPLETED -> lines.add("s done" + whose + ": " + value);
            case ServerEvents.POST_REFUSED ->
                    lines.add("s refused" + whose + ": " + code((int) value));
            default -> {
                String[] names = {"?", "cancelled", "requested", "unknown"};
                lines.add("s " + names[(int) value] + whose);
            }
        }
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
