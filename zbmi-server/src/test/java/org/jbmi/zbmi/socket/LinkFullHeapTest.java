package org.jbmi.zbmi.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.mempool.NanoClock;
import org.jbmi.testsuite.support.FullHeap;
import org.jbmi.zbmi.link.CallTable;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.handshake.SessionLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Random;

/** What is left of a call whose answer finds no room in the heap. */
@Timeout(30)
class LinkFullHeapTest {
    /** So many operations that no array has room for their transfers. */
    private static final int MOST = Integer.MAX_VALUE;

    private static final int BYTES = 1024;

    private final StreamPipe pipe = new StreamPipe(new Random(1), BYTES);
    private final CallTable calls = new CallTable();
    private final LinkStream stream =
            new LinkStream(
                    new StreamTransport(pipe, pipe),
                    new SessionLimits(1 << 20, BYTES, BYTES, 64, MOST),
                    new Nobody(),
                    calls,
                    new LinkEager(1, BYTES),
                    NanoClock.SYSTEM,
                    FrameWriter.BUFFER_BYTES);

    private static final class Nobody implements PeerEvents {
        @Override
        public void onEvent(Message event) {
            throw new AssertionError("the answer to a call is not an event");
        }

        @Override
        public void onBroken(String reason) {
            throw new AssertionError(reason);
        }
    }

    /** Who waits looks for the end of an answer that somebody is at, for as long as one is. */
    @Test
    void theCallOfAnOfferThatFindsNoRoomIsNobodysToAnswer() {
        CallTable.Call call = calls.take(NanoClock.SYSTEM, 0, () -> false);
        Message offer = ClientEvents.grant(new Message(), call.correlation(), MOST - 1, 1, 1, 10);
        ClientEvents.grantPlace(offer, 0, 0, 0, 0, 1, 0);
        assertThatThrownBy(() -> stream.onMessage(offer, MemorySegment.NULL, 0, 0))
                .isInstanceOf(OutOfMemoryError.class);
        assertThat(calls.claim(call.correlation())).as("given back").isSameAs(call);
    }

    @Test
    void framesThatWaitForRoomAreAllSaid() throws Exception {
        assertThat(FullHeap.outputOf(Waits.class, "16m")).isEqualTo("0 failed, 40 of 40 said");
    }

    /** Keeps claims and ends in a full heap, and says them when there is memory again. */
    static final class Waits {
        private static final int TRANSFERS = 20;

        private final FrameWriter writer = new FrameWriter(FrameWriter.BUFFER_BYTES);
        private final LinkUnsaid unsaid =
                new LinkUnsaid(writer, new LinkEager(1, BYTES), TRANSFERS, transfer -> {});
        private int failed;

        private Waits() {}

        public static void main(String[] arguments) {
            LinkTransfer[] transfers = new LinkTransfer[TRANSFERS];
            Arrays.setAll(transfers, i -> new LinkTransfer());
            Waits waits = new Waits();
            waits.keep(new LinkTransfer());
            waits.unsaid.say();
            Object[] filler = {FullHeap.fill()};
            for (LinkTransfer transfer : transfers) {
                waits.keep(transfer);
            }
            filler[0] = null;
            int room = waits.writer.room();
            waits.unsaid.say();
            int said = (room - waits.writer.room()) / LinkFrame.NOTE_BYTES;
            System.out.printf("%d failed, %d of %d said", waits.failed, said, 2 * TRANSFERS);
        }

        private void keep(LinkTransfer transfer) {
            try {
                unsaid.claim(transfer);
                unsaid.end(transfer);
            } catch (OutOfMemoryError e) {
                failed++;
            }
        }
    }
}
