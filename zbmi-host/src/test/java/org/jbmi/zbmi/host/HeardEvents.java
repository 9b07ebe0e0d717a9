package org.jbmi.zbmi.host;

import org.jbmi.zbmi.channel.DoorEvents;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A server that writes down what the engine says, one line each. */
class HeardEvents implements DoorEvents {
    final Queue<String> lines = new ConcurrentLinkedQueue<>();

    @Override
    public void registered(long correlation, long operationId, long zoidId) {
        lines.add("registered " + operationId);
    }

    @Override
    public void postCompleted(long correlation, long operationId, long bytes) {
        lines.add("done " + operationId + ": " + bytes);
    }

    @Override
    public void postRefused(long correlation, long operationId, int code) {
        lines.add("refused " + operationId + ": " + code);
    }

    @Override
    public void cancelReply(long correlation, long operationId, int outcome) {
        lines.add("cancel " + operationId + ": " + outcome);
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
