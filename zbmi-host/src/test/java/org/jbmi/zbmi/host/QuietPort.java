package org.jbmi.zbmi.host;

import org.jbmi.zbmi.host.port.LanePort;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.handshake.HostKind;

/** A port of a client that takes all that is sent. */
abstract class QuietPort extends LanePort {
    QuietPort(PlayedHost host) {
        super(
                host.segment,
                SteppedHost.template(HostKind.EMBEDDED, 1, host.layout, "played", 1).welcome(1, 1),
                1);
    }

    @Override
    public boolean send(Message message) {
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
    public String brokenReason() {
        return null;
    }
}
