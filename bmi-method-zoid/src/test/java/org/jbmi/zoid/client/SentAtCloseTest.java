package org.jbmi.zoid.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.mempool.FutexWaiting;
import org.jbmi.mempool.Parking;
import org.jbmi.mempool.ProcessLiveness;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SessionArea;
import org.jbmi.zoid.common.Seams;
import org.jbmi.zoid.common.ZoidAddress;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.MemorySegment;

/** A close asks about messages whose sends are over: the goodbye must not overtake them. */
@Timeout(30)
class SentAtCloseTest {
    private final Link link = new Link();
    private final Naps naps = new Naps();
    private final ZoidClient client =
            new ZoidClient(
                    new HostWithKnobs(),
                    (waitNs, isOver, events) -> link,
                    new Seams(
                            () -> naps.nowNs += 1000,
                            new FutexWaiting(),
                            new ProcessLiveness(),
                            naps));

    @BeforeEach
    void oneIsSent() {
        MemorySegment buffer = MemorySegment.ofArray(new byte[8]);
        client.lookup(ZoidAddress.SERVER);
        assertThat(client.sendUnexpectedAtOnce(ZoidAddress.server(), buffer, 1, 0)).isEqualTo(8);
    }

    @Test
    void itAsksAlsoIfTheLaneIsFull() {
        link.isLaneFull = true;
        client.close();
        assertThat(link.questions).isEqualTo(1);
        assertThat(naps.count).as("the engine keeps none").isZero();
    }

    @Test
    void itAsksOnceAndWaitsUntilTheEngineHasRoom() {
        link.keepsAfterCall = SessionArea.KEEPS_SOME;
        naps.last = 100;
        client.close();
        assertThat(naps.count).isEqualTo(100);
        assertThat(link.questions).isEqualTo(1);
    }

    @Test
    void itWaitsNoLongerThanACloseMayTake() {
        link.keepsAfterCall = SessionArea.KEEPS_SOME;
        client.close();
        assertThat(naps.nowNs).isPositive();
        assertThat(link.questions).isEqualTo(1);
    }

    /** The host reads the lane before the goodbye. */
    @Test
    void itDoesNotWaitForAStoppedHost() {
        link.answer = Link.TIMED_OUT;
        link.keepsAfterCall = SessionArea.KEEPS_SOME;
        client.close();
        assertThat(link.questions).isEqualTo(1);
        assertThat(naps.nowNs).as("some reads of the clock").isLessThan(100_000);
    }

    /** Lets time pass, and the engine get room after some of them. */
    private final class Naps implements Parking {
        private long nowNs;
        private int count;
        private int last = Integer.MAX_VALUE;

        @Override
        public Thread current() {
            return Thread.currentThread();
        }

        @Override
        public void park(Object blocker, long timeoutNs) {
            nowNs += timeoutNs;
            if (++count == last) {
                link.keeps = SessionArea.KEEPS_ALL;
            }
        }

        @Override
        public void unpark(Thread thread) {}
    }

    private static final class Link implements QuietLink {
        private int questions;
        private int answer = OK;
        private int keeps = SessionArea.KEEPS_ALL;
        private int keepsAfterCall = SessionArea.KEEPS_ALL;

        /** Whether only a call that waits finds room. */
        private boolean isLaneFull;

        @Override
        public int keeps() {
            return keeps;
        }

        @Override
        public boolean hasRoom() {
            return !isLaneFull;
        }

        @Override
        public int tryNote(Message note) {
            return OK;
        }

        @Override
        public int call(Message request, Message reply, long timeoutNs) {
            assertThat(request.kind()).isEqualTo(ClientRequests.TEST);
            questions++;
            keeps = keepsAfterCall;
            return answer;
        }

        @Override
        public int note(Message note, long timeoutNs) {
            throw new AssertionError("everything here finds room");
        }

        @Override
        public boolean claim(Message grant) {
            throw new AssertionError("nothing here is granted");
        }
    }
}
