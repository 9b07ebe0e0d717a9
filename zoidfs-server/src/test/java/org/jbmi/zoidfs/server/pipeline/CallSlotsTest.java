package org.jbmi.zoidfs.server.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.junit.jupiter.api.Test;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.util.Objects;

/** The places for calls under way, for clients that are not there. */
class CallSlotsTest {
    private boolean isFull;

    private Poller.CallSlots.Request request(long client) {
        PeerAddress peer =
                (PeerAddress)
                        Proxy.newProxyInstance(
                                PeerAddress.class.getClassLoader(),
                                new Class<?>[] {PeerAddress.class},
                                (proxy, method, arguments) -> {
                                    if (isFull) {
                                        throw new OutOfMemoryError("planted by the test");
                                    }
                                    return method.getName().equals("id") ? client : null;
                                });
        return new Poller.CallSlots.Request(
                new Call(peer, 0, 0), MemorySegment.NULL, ErrorCode.SUCCESS);
    }

    /** The caller has polled the call already, so nobody would free its slot later. */
    @Test
    void aCallGivesItsSlotBackWithoutMemory() {
        Poller.CallSlots slots = new Poller.CallSlots(2);
        for (int i = 0; i < 10; i++) {
            assertThat(slots.add(request(1))).isTrue();
            assertThat(slots.add(request(2))).isTrue();
            Poller.CallSlots.Request one = Objects.requireNonNull(slots.next());
            Poller.CallSlots.Request other = Objects.requireNonNull(slots.next());
            assertThat(slots.next()).isNull();
            isFull = true;
            slots.release(one.call);
            slots.release(other.call);
            isFull = false;
        }
    }
}
