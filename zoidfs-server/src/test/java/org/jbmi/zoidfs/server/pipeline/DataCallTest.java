package org.jbmi.zoidfs.server.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;

import org.jbmi.PeerAddress;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.Hints;
import org.jbmi.zoidfs.protocol.LongList;
import org.jbmi.zoidfs.protocol.Operation;
import org.jbmi.zoidfs.protocol.Request;
import org.jbmi.zoidfs.protocol.Transfer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.management.ManagementFactory;
import java.lang.reflect.Proxy;

/** A read or write at its end. */
@Timeout(30)
class DataCallTest {
    private static final int REGIONS = 10_000;
    private static final int FEW_BYTES = 1_000;

    /** A call must end, and give back what it has, also if the heap is full. */
    @Test
    void howMuchItHasMovedTakesNoMemory() {
        PeerAddress nobody =
                (PeerAddress)
                        Proxy.newProxyInstance(
                                PeerAddress.class.getClassLoader(),
                                new Class<?>[] {PeerAddress.class},
                                (proxy, method, arguments) -> null);
        LongList sizes = LongList.of(new long[REGIONS]);
        Transfer nothing = new Transfer(LongList.of(0), sizes, sizes, 0);
        Call call = new Call(nobody, 7, System.nanoTime());
        call.decoded(Request.moving(Operation.READ, FileHandle.NONE, nothing, Hints.NONE));
        DataCall data = new DataCall(call);
        assertThat(data.movedBytes()).isZero();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        data.movedBytes();
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(FEW_BYTES);
    }
}
