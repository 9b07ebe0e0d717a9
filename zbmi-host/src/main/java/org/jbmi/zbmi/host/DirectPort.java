package org.jbmi.zbmi.host;

import org.jbmi.zbmi.host.port.EnginePort;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.ServerEvents;
import org.jbmi.zbmi.protocol.ServerOutput;
import org.jspecify.annotations.Nullable;

/**
 * The engine's port for a server in the same process. Both sides call each other; only with a
 * journal are there messages, which are decoded here.
 */
record DirectPort(ServerOutput server) implements EnginePort {
    @Override
    public int poll(Message into) {
        return EMPTY;
    }

    @Override
    public boolean send(Message message) {
        ServerEvents.deliver(message, server);
        return true;
    }

    @Override
    public int flush() {
        return 0;
    }

    @Override
    public int signal() {
        return SIGNALLED;
    }

    @Override
    public boolean goCold() {
        return true;
    }

    @Override
    public @Nullable String brokenReason() {
        return null;
    }
}
