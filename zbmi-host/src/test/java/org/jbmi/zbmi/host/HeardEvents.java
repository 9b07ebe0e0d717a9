package org.jbmi.zbmi.host;

import org.jbmi.zbmi.channel.DoorEvents;
import org.jbmi.zbmi.protocol.ServerEvents;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A server that writes down what the engine says, one line each. */
class HeardEvents implements DoorEvents {
    final Queue<String> lines = new ConcurrentLinkedQueue<>();

    @Override
    public void answered(int kind, long correlation, long operationId, long value) {
        String whose = " " + operationId;
        lines.add(
                switch (kind) {
                    case ServerEvents.REGISTERED -> "registered" + whose;
                    case ServerEvents.POST_COMPLETED -> "done" + whose + ": " + value;
                    case ServerEvents.POST_REFUSED -> "refused" + whose + ": " + value;
                    default -> "cancel" + whose + ": " + value;
                });
    }

    @Override
    public void finishReply(long correlation, int moversLeft) {
        lines.add("finished: " + moversLeft);
    }

    @Override
    public void completion(long operationId, int code, long bytes, int client, int generation) {
        lines.add("completion " + operationId + ": " + code + " " + bytes);
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
        lines.add("unexpected from " + client + ": " + bytes);
    }

    @Override
    public void clientAttached(int client, int generation) {
        lines.add("attached " + client);
    }

    @Override
    public void clientGone(int client, int generation, int code) {
        lines.add("gone " + client);
    }

    @Override
    public void onBroken(String reason) {
        lines.add("broken: " + reason);
    }
}
