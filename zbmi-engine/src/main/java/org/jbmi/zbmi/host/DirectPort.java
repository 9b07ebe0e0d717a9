package org.jbmi.zbmi.host;

import org.jbmi.zbmi.link.EnginePort;
import org.jbmi.zbmi.link.MessageBacklog;
import org.jbmi.zbmi.protocol.Message;
import org.jspecify.annotations.Nullable;

/** The engine's end of its conversation with a server in the same process. */
final class DirectPort implements EnginePort {
    private final MessageRing ring;
    private final MessageBacklog backlog;
    private final Message waiting = new Message();

    DirectPort(MessageRing ring, int maxBacklog) {
        this.ring = ring;
        this.backlog = new MessageBacklog(maxBacklog);
    }

    /** What the server says comes by calls. */
    @Override
    public int poll(Message into) {
        return EMPTY;
    }

    @Override
    public boolean send(Message message) {
        return (backlog.isEmpty() && ring.offer(message)) || backlog.add(message);
    }

    @Override
    public int flush() {
        int flushed = 0;
        while (!backlog.isEmpty()) {
            backlog.peek(waiting);
            if (!ring.offer(waiting)) {
                break;
            }
            backlog.removeFirst();
            flushed++;
        }
        return flushed;
    }

    /** Whoever runs a round dispatches after it, so nobody need be woken. */
    @Override
    public int signal() {
        return SIGNALLED;
    }

    @Override
    public boolean goCold() {
        return backlog.isEmpty();
    }

    @Override
    public @Nullable String brokenReason() {
        return null;
    }
}
