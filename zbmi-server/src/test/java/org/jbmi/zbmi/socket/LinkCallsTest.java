package org.jbmi.zbmi.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.mempool.NanoClock;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.link.PeerLine;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.handshake.SessionLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.Random;

/** What is left of calls over a link that end with an exception. */
@Timeout(30)
class LinkCallsTest {
    private static final int MOST_CALLS = 4096;
    private static final int BYTES = 1024;

    private final Random random = new Random(1);
    private final StreamPipe toGateway = new StreamPipe(random, MOST_CALLS * BYTES);
    private final StreamPipe toClient = new StreamPipe(random, BYTES);
    private final Message request = new Message();
    private final Message reply = new Message();
    private boolean isFailing = true;
    private final SocketClientLink link =
            new SocketClientLink(
                    new StreamTransport(toClient, toGateway),
                    new LinkWelcome(1, 4, new SessionLimits(1 << 20, BYTES, BYTES, 64, 10)),
                    new Failing(),
                    NanoClock.SYSTEM,
                    LinkWorld.PATIENT);

    private final class Failing implements PeerEvents {
        @Override
        public void afterDispatch() {
            if (isFailing) {
                throw new IllegalStateException("played");
            }
        }

        @Override
        public void onEvent(Message event) {
            throw new AssertionError("nobody says anything");
        }

        @Override
        public void onBroken(String reason) {
            throw new AssertionError(reason);
        }
    }

    private int call() {
        return link.call(ClientRequests.test(request, 0, 0), reply, 0);
    }

    @Test
    void callsThatEndWithAnExceptionUseUpNoPlaces() {
        for (int i = 0; i < MOST_CALLS; i++) {
            assertThatThrownBy(this::call).hasMessage("played");
        }
        isFailing = false;
        assertThat(call()).as("it is sent, and has no answer").isEqualTo(PeerLine.TIMED_OUT);
        link.close();
    }
}
