package org.jbmi.zoidfs.server.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import com.sun.management.ThreadMXBean;

import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.Hints;
import org.jbmi.zoidfs.protocol.LongList;
import org.jbmi.zoidfs.protocol.Operation;
import org.jbmi.zoidfs.protocol.Request;
import org.jbmi.zoidfs.protocol.Transfer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** A read or write at its end: it gives back what it has, also if the heap is full. */
@Timeout(30)
class DataCallTest {
    private static final int MANY = 1_000;
    private static final int FEW_BYTES = 1_000;

    private static DataCall read(long client, int regions) {
        PeerAddress peer =
                (PeerAddress)
                        Proxy.newProxyInstance(
                                PeerAddress.class.getClassLoader(),
                                new Class<?>[] {PeerAddress.class},
                                (proxy, method, arguments) ->
                                        method.getName().equals("id") ? client : null);
        LongList sizes = LongList.of(new long[regions]);
        Transfer nothing = new Transfer(LongList.of(0), sizes, sizes, 0);
        Call call = new Call(peer, 7, System.nanoTime());
        call.decoded(Request.moving(Operation.READ, FileHandle.NONE, nothing, Hints.NONE));
        return new DataCall(call);
    }

    private static void assertTakesNoMemory(Runnable step) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        step.run();
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(FEW_BYTES);
    }

    @Test
    void howMuchItHasMovedTakesNoMemory() {
        DataCall data = read(1, MANY);
        assertThat(data.movedBytes()).isZero();
        assertTakesNoMemory(data::movedBytes);
    }

    private static DataCall waiting(Admission admission, long client, long needBytes) {
        DataCall data = read(client, 1);
        data.needBytes = needBytes;
        admission.add(data);
        return data;
    }

    /** The stage looks for the next transfer in each turn, also if nothing has become free. */
    @Test
    void oneThatWaitsIsPassedByAsManyOthersAsThereMayBeHoweverOftenTheStageLooks() {
        Admission admission = new Admission(4 << 20, data -> false);
        DataCall large = waiting(admission, 1, 3 << 20);
        assertThat(admission.next()).isSameAs(large);
        DataCall alsoLarge = waiting(admission, 2, 3 << 20);
        for (int passes = 0; passes < 256; passes++) {
            for (int looks = 0; looks < 3; looks++) {
                assertThat(admission.next()).isNull();
            }
            DataCall small = waiting(admission, 3, 1 << 10);
            assertThat(admission.next()).isSameAs(small);
            admission.release(small);
        }
        DataCall tooMany = waiting(admission, 3, 1 << 10);
        assertThat(admission.next()).isNull();
        admission.release(large);
        assertThat(admission.next()).isSameAs(alsoLarge);
        assertThat(admission.next()).isSameAs(tooMany);
    }

    /** Also if the ring to the ordering stage has no slot. */
    @Test
    void toTellOfTheEndsOfItsMessagesTakesNoMemory() {
        RingBuffer<Inbound> ring = RingBuffer.createMultiProducer(Inbound::new, 1);
        ring.addGatingSequences(new Sequence());
        Feed feed = new Feed(ring);
        DataCall data = read(1, 1);
        List<DataMove> moves = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            moves.add(new DataMove(data, MemorySegment.NULL));
        }
        while (feed.poll() == null) {
            feed.movedAtOnce(moves.getFirst(), ErrorCode.SUCCESS, 1); // takes the only slot
        }
        assertTakesNoMemory(
                () -> {
                    for (int i = 0; i < MANY; i++) {
                        feed.movedAtOnce(moves.get(i), ErrorCode.SUCCESS, i);
                    }
                });
        for (int i = 0; i < MANY; i++) {
            DataMove move = Objects.requireNonNull(feed.poll());
            assertThat(move).isSameAs(moves.get(i));
            assertThat(move.sizeBytes).isEqualTo(i);
        }
        assertThat(feed.poll()).isNull();
    }

    @Test
    void toGiveItsShareBackTakesNoMemory() {
        Admission admission = new Admission(MANY * Admission.LEAST_BYTES, data -> false);
        List<DataCall> admitted = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            admission.add(read(MANY + i, 1));
            admitted.add(Objects.requireNonNull(admission.next()));
        }
        admission.release(admitted.removeLast());
        assertTakesNoMemory(
                () -> {
                    for (int i = 0; i < admitted.size(); i++) {
                        admission.release(admitted.get(i));
                    }
                });
    }
}
