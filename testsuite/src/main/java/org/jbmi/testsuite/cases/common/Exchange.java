package org.jbmi.testsuite.cases.common;

import org.jbmi.testsuite.End;
import org.jbmi.testsuite.Expect;
import org.jbmi.testsuite.Posted;
import org.jbmi.testsuite.Scene;

import java.lang.foreign.MemorySegment;

/** One expected message, checked on both sides. */
public final class Exchange {
    private Exchange() {}

    /** A message of a size, in both orders of posting. */
    public static void bothOrders(Scene scene, End from, End to, long sizeBytes) {
        MemorySegment out = scene.pattern(sizeBytes, sizeBytes + 1);
        receiveFirst(from, to, out, scene.buffer(sizeBytes));
        sendFirst(from, to, out, scene.buffer(sizeBytes));
    }

    /**
     * A message whose receive is posted first.
     *
     * @param out the message; its size is the tag
     */
    public static void receiveFirst(End from, End to, MemorySegment out, MemorySegment in) {
        int tag = (int) out.byteSize();
        Posted receive = to.receive(in, tag);
        Expect.that(receive.wasPending(), "a receive without a message is pending");
        Posted send = from.send(out, tag);
        check(send, receive, out, in);
    }

    /**
     * A message whose send is posted first.
     *
     * @param out the message; its size is the tag
     */
    public static void sendFirst(End from, End to, MemorySegment out, MemorySegment in) {
        int tag = (int) out.byteSize();
        Posted send = from.send(out, tag);
        Posted receive = to.receive(in, tag);
        check(send, receive, out, in);
    }

    /** Waits for both sides of a message; fails unless all of it has arrived. */
    public static void check(Posted send, Posted receive, MemorySegment out, MemorySegment in) {
        Posted.finish(send, receive);
        send.succeeds(out.byteSize());
        receive.succeeds(out.byteSize());
        Expect.bytes(in.asSlice(0, out.byteSize()), out, "the bytes that arrived");
    }
}
