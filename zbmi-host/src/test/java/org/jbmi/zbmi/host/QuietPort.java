package org.jbmi.zbmi.host;

import org.jbmi.zbmi.host.port.EnginePort;
import org.jbmi.zbmi.protocol.Message;

/** A port that takes all that is sent. */
interface QuietPort extends EnginePort {
    @Override
    default boolean send(Message message) {
        return true;
    }

    @Override
    default int flush() {
        return 0;
    }

    @Override
    default int signal() {
        return SIGNALLED;
    }

    @Override
    default String brokenReason() {
        return null;
    }
}
