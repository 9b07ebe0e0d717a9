package org.jbmi.testsuite.cases;

import org.jbmi.testsuite.Expect;
import org.jbmi.testsuite.Link;
import org.jbmi.testsuite.Posted;
import org.jbmi.testsuite.Scene;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.FutureTask;

/**
 * Test calls that nothing may hold up: ids of nobody, interrupts, threads beside (groups J, K, Q).
 */
final class ProgressCases {
    private static final int LONG_MS = 20_000;

    private ProgressCases() {}

    static void addTo(CaseList threads) {
        threads.add(324, "a thread posts while another one waits", ProgressCases::postBeside);
    }

    private static void postBeside(Scene scene) throws Exception {
        Link link = scene.link();
        link.bothWays(
                (from, to) -> {
                    MemorySegment in = scene.buffer(2000);
                    Posted waitedFor = to.receive(in, 1);
                    FutureTask<Boolean> waiter =
                            scene.inThread("waiter", () -> waitedFor.isDone(LONG_MS));
                    for (int i = 0; i < 50; i++) {
                        Exchange.bothOrders(scene, from, to, 100);
                        Exchange.bothOrders(scene, to, from, 100);
                    }
                    Expect.that(!waiter.isDone(), "the other thread still waits");
                    MemorySegment out = scene.pattern(2000, 2);
                    Posted send = from.send(out, 1);
                    Expect.that(waiter.get(), "the waiting thread has its outcome");
                    Exchange.check(send, waitedFor, out, in);
                });
    }
}
