package org.jbmi.zbmi.daemon.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.mempool.SegmentMemory;
import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.link.PeerChannel;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SegmentGeometry;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zbmi.protocol.handshake.SessionLimits;
import org.jbmi.zbmi.socket.FrameException;
import org.jbmi.zbmi.socket.FrameWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.util.Objects;

/** What a remote client may post; its lane takes every message. */
@Timeout(60)
class RelayRequestsTest {
    private static final int MOST_PENDING = 3;
    private static final SessionLimits LIMITS =
            new SessionLimits(1 << 20, 8192, 1024, 64, MOST_PENDING);
    private static final String REFUSED = "it posted too much, or one operation twice";

    private final ClientLink lane =
            (ClientLink)
                    Proxy.newProxyInstance(
                            ClientLink.class.getClassLoader(),
                            new Class<?>[] {ClientLink.class},
                            (proxy, method, arguments) ->
                                    method.getName().equals("limits") ? LIMITS : PeerChannel.OK);

    private final SharedMemory memory = new SegmentMemory(Arena.ofAuto().allocate(4096, 4096));
    private final RelayRequests requests =
            new RelayRequests(
                    lane,
                    new FrameWriter(),
                    memory,
                    new SegmentMap(new SegmentGeometry(1, 16, 16, 4, 1024, 64 << 10, 8L << 20)),
                    new PoolViews(memory));

    private void post(long reference) throws FrameException {
        Message message =
                ClientRequests.receive(
                        new Message(), 1, reference, 5, 100, 0, ClientRequests.NO_DATA_ROOM);
        requests.onMessage(message, MemorySegment.ofArray(new byte[0]), 0, 0);
    }

    private RelayOperation found(long reference) {
        return Objects.requireNonNull(requests.find(reference));
    }

    @Test
    void anOperationIsNotPostedTwiceBeforeItIsOver() throws Exception {
        post(7);
        RelayOperation first = found(7);
        assertThatThrownBy(() -> post(7))
                .isInstanceOf(FrameException.class)
                .hasMessageContaining(REFUSED);
        assertThat(found(7)).isSameAs(first);
        requests.forget(first);
        assertThat(requests.find(7)).isNull();
        post(7);
    }

    /** A cancel may come after the post that reuses the slot. */
    @Test
    void atMostTwiceTheLimitIsPosted() throws Exception {
        for (long reference = 1; reference <= 2 * MOST_PENDING; reference++) {
            post(reference);
        }
        assertThatThrownBy(() -> post(-1))
                .isInstanceOf(FrameException.class)
                .hasMessageContaining(REFUSED);
        requests.forget(found(2));
        post(-1);
        assertThat(found(-1).reference).isEqualTo(-1);
    }
}
