package org.jbmi.zbmi.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.mempool.FutexWaiting;
import org.jbmi.mempool.NanoClock;
import org.jbmi.mempool.SegmentMemory;
import org.jbmi.testsuite.support.FullHeap;
import org.jbmi.zbmi.host.port.EngineSegment;
import org.jbmi.zbmi.host.port.LanePort;
import org.jbmi.zbmi.link.CallTable;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SegmentGeometry;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zbmi.protocol.handshake.HostKind;
import org.jbmi.zbmi.protocol.handshake.SessionLimits;
import org.jbmi.zbmi.protocol.handshake.Welcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Random;

/** A full heap on the way of a message between a client and the engine. */
@Timeout(60)
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

    @Test
    void aClientForWhichNoMoreCanBeKeptIsGivenUp() throws Exception {
        assertThat(FullHeap.outputOf(GivesUp.class, "16m")).isEqualTo("given up, nothing is heard");
    }

    /** Sends to a client that reads nothing, with an empty heap and a full one. */
    static final class GivesUp {
        private static final int MOST = 2000;
        private static final SegmentMap MAP =
                new SegmentMap(new SegmentGeometry(1, 16, 16, 4, 1024, 4096, 4096));

        private final Message message = new Message();

        private GivesUp() {}

        public static void main(String[] arguments) {
            GivesUp server = new GivesUp();
            LanePort first = port(1);
            LanePort second = port(2);
            server.isGivenUp(first);
            Object[] filler = {FullHeap.fill()};
            boolean isGivenUp = server.isGivenUp(second);
            filler[0] = null;
            System.out.print(isGivenUp ? "given up, " : "kept, ");
            boolean isQuiet = second.flush() == 0 && !second.mayPublish();
            System.out.print(isQuiet ? "nothing is heard" : "something is heard");
        }

        private static LanePort port(int generation) {
            MemorySegment memory = Arena.ofAuto().allocate(MAP.segmentBytes(), 4096);
            return new LanePort(
                    new EngineSegment(new SegmentMemory(memory), MAP, new FutexWaiting()),
                    new Welcome(
                            1,
                            generation,
                            HostKind.DAEMON,
                            1,
                            0,
                            "none",
                            1,
                            MAP.geometry(),
                            new SessionLimits(1 << 20, BYTES, BYTES, 64, 64)),
                    MOST);
        }

        private boolean isGivenUp(LanePort port) {
            int sent = 0;
            while (sent < 2 * MOST && port.send(ClientEvents.completed(message, 0, sent & 7, 8))) {
                sent++;
            }
            return sent < 2 * MOST;
        }
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
