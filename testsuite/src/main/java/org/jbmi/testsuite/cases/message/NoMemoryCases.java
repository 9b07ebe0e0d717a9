package org.jbmi.testsuite.cases.message;

import org.jbmi.CancelOutcome;
import org.jbmi.ErrorCode;
import org.jbmi.testsuite.Amount;
import org.jbmi.testsuite.Capability;
import org.jbmi.testsuite.End;
import org.jbmi.testsuite.EnvironmentSettings;
import org.jbmi.testsuite.Expect;
import org.jbmi.testsuite.Link;
import org.jbmi.testsuite.Posted;
import org.jbmi.testsuite.Scene;
import org.jbmi.testsuite.cases.common.Canceller;
import org.jbmi.testsuite.cases.common.CaseList;
import org.jbmi.testsuite.cases.common.Exchange;
import org.jbmi.testsuite.cases.common.PeerLife;
import org.jbmi.testsuite.cases.common.Pool;
import org.jbmi.testsuite.cases.common.RoundTrip;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Group P: foreign buffers of a server when its pool is full; cancel of those that wait (O, L). */
public final class NoMemoryCases {
    private static final long NS_PER_MS = 1_000_000;
    private static final int LARGE = 100_000;
    private static final int SMALL = 1 << 16;

    /** Small sends on their way at a time: they leave less than the large one needs. */
    private static final int SMALL_WINDOW = 24;

    private static final int MOST_FREES = 400;

    private NoMemoryCases() {}

    /** Adds its cases. */
    public static void addTo(CaseList list) {
        Capability[] needs = {Capability.TEMPORARY_BLOCKS, Capability.SERVER_POOL};
        list.group('L')
                .add(175, "what waited for memory is tested", NoMemoryCases::isTested, needs);
        list.group('O')
                .add(197, "cancel of the only one that waits", NoMemoryCases::cancelOnly, needs)
                .add(198, "cancel of the last of three", NoMemoryCases::cancelLast, needs)
                .add(200, "cancel races with the retry", 60, NoMemoryCases::cancelRace, needs)
                .add(202, "cancel gives the block back", NoMemoryCases::cancelTemporary, needs);
        list.group('P')
                .add(207, "post when the pool is full", NoMemoryCases::pending, needs)
                .add(208, "retry after memfree", NoMemoryCases::retried, needs)
                .add(209, "too little freed", NoMemoryCases::tooLittle, needs)
                .add(210, "temporary blocks serve those who wait", NoMemoryCases::chain, needs)
                .add(212, "nobody starves", 60, NoMemoryCases::noStarvation, needs)
                .add(214, "contents of a send that waited", NoMemoryCases::contents, needs)
                .add(215, "memfree is short", NoMemoryCases::memfreeIsShort, needs)
                .add(217, "close with those who wait", NoMemoryCases::closeWithWaiting, needs)
                .add(319, "receives wait for memory as well", NoMemoryCases::receives, needs)
                .add(320, "order while memory is short", NoMemoryCases::order, needs);
    }

    private static Link smallPool(Scene scene) {
        scene.settings(EnvironmentSettings.DEFAULT.withPool(Pool.BYTES));
        return scene.link();
    }

    private static void isTested(Scene scene) {
        Link link = smallPool(scene);
        Pool pool = Pool.full(link.server());
        MemorySegment out = scene.pattern(LARGE, 1);
        MemorySegment in = scene.buffer(LARGE);
        Posted receive = link.client().receive(in, 1);
        Posted send = link.server().send(out, 1);
        Expect.that(send.wasPending(), "the send is pending");
        pool.freeAll();
        Exchange.check(send, receive, out, in);
        Pool.expectWhole(scene, link.server());
    }

    private static void pending(Scene scene) {
        Link link = smallPool(scene);
        Pool pool = Pool.full(link.server());
        Posted send = link.server().send(scene.buffer(LARGE), 1);
        Posted receive = link.server().receive(scene.buffer(LARGE), 2);
        send.staysPending();
        receive.staysPending();
        send.cancelled();
        receive.cancelled();
        pool.freeAll();
        Pool.expectWhole(scene, link.server());
    }

    private static void retried(Scene scene) {
        Link link = smallPool(scene);
        Pool pool = Pool.full(link.server());
        MemorySegment out = scene.pattern(LARGE, 1);
        MemorySegment in = scene.buffer(LARGE);
        Posted send = link.server().send(out, 1);
        Posted receive = link.client().receive(in, 1);
        receive.staysPending();
        pool.freeOne();
        Exchange.check(send, receive, out, in);
        pool.freeAll();
        Pool.expectWhole(scene, link.server());
    }

    private static void tooLittle(Scene scene) {
        Link link = smallPool(scene);
        Pool pool = Pool.full(link.server());
        MemorySegment out = scene.pattern(2 << 20, 1);
        MemorySegment in = scene.buffer(2 << 20);
        Posted receive = link.client().receive(in, 1);
        Posted send = link.server().send(out, 1);
        pool.freeOne();
        send.staysPending();
        receive.staysPending();
        pool.freeAll();
        Exchange.check(send, receive, out, in);
    }

    private static void chain(Scene scene) {
        Link link = smallPool(scene);
        MemorySegment[] out = new MemorySegment[4];
        MemorySegment[] in = new MemorySegment[4];
        Posted[] all = new Posted[8];
        for (int i = 0; i < 4; i++) {
            out[i] = scene.pattern(3 << 20, i);
            in[i] = scene.buffer(3 << 20);
            all[i] = link.server().send(out[i], i);
            all[4 + i] = link.client().receive(in[i], i);
        }
        Posted.finish(all);
        for (int i = 0; i < 4; i++) {
            Exchange.check(all[i], all[4 + i], out[i], in[i]);
        }
        Pool.expectWhole(scene, link.server());
    }

    /**
     * Small sends hold a part of the pool all the time, so that the large one never finds room by
     * chance. It must be let in before those that came later.
     */
    private static void noStarvation(Scene scene) {
        Link link = smallPool(scene);
        List<Posted> small = new ArrayList<>();
        for (int i = 0; i < SMALL_WINDOW; i++) {
            small.add(link.server().send(scene.pattern(SMALL, i), 100 + i));
        }
        MemorySegment large = scene.pattern(3 << 20, 1);
        MemorySegment largeIn = scene.buffer(3 << 20);
        Posted largeReceive = link.client().receive(largeIn, 1);
        Posted largeSend = link.server().send(large, 1);
        Expect.that(largeSend.wasPending(), "there is no room for the large one");
        int frees = 0;
        MemorySegment in = scene.buffer(SMALL);
        while (!largeReceive.isDone(0)) {
            int next = frees + SMALL_WINDOW;
            small.add(link.server().send(scene.pattern(SMALL, next), 100 + next));
            Posted receive = link.client().receive(in, 100 + frees);
            Exchange.check(small.get(frees), receive, scene.pattern(SMALL, frees), in);
            frees++;
            Expect.that(frees < MOST_FREES, "the large one is served after " + frees + " frees");
        }
        Exchange.check(largeSend, largeReceive, large, largeIn);
        for (int i = frees; i < small.size(); i++) {
            Posted.finish(small.get(i), link.client().receive(in, 100 + i));
            small.get(i).succeeds(SMALL);
        }
        Pool.expectWhole(scene, link.server());
    }

    private static void contents(Scene scene) {
        Link link = smallPool(scene);
        Pool pool = Pool.full(link.server());
        byte[] heap = new byte[LARGE];
        MemorySegment out = MemorySegment.ofArray(heap);
        Scene.fill(out, 5);
        Posted send = link.server().send(out, 1);
        send.staysPending();
        MemorySegment in = scene.buffer(LARGE);
        Posted receive = link.client().receive(in, 1);
        pool.freeAll();
        Exchange.check(send, receive, scene.pattern(LARGE, 5), in);
    }

    /** Sends wait, so that whoever serves them has bytes to copy: progress, not who frees. */
    private static void memfreeIsShort(Scene scene) {
        Link link = smallPool(scene);
        long boundNs = RoundTrip.medianNs(scene, link) + NS_PER_MS;
        Pool pool = Pool.full(link.server());
        Posted[] waiting = new Posted[100];
        for (int i = 0; i < waiting.length; i++) {
            waiting[i] = link.server().send(scene.pattern(LARGE, i), i);
            Expect.that(waiting[i].wasPending(), "there is no memory for the send");
        }
        String copies = Objects.requireNonNull(scene.fixture().serverCopiesCounter());
        long before = Scene.counter(link.server().bmi(), copies);
        long[] tookNs = pool.freeAllTimed();
        Expect.equal(Scene.counter(link.server().bmi(), copies) - before, 0, "copies of memfree");
        RoundTrip.expectShort("memfree", tookNs, boundNs);
        MemorySegment in = scene.buffer(LARGE);
        for (int i = 0; i < waiting.length; i++) {
            Posted receive = link.client().receive(in, i);
            Exchange.check(waiting[i], receive, scene.pattern(LARGE, i), in);
        }
        Pool.expectWhole(scene, link.server());
    }

    private static void closeWithWaiting(Scene scene) {
        Link link = smallPool(scene);
        String counter = Objects.requireNonNull(scene.fixture().leakedBlocksCounter(true));
        List<Posted> pending = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            pending.add(link.server().send(scene.buffer(LARGE), 100 + i)); // has a block
        }
        Pool pool = Pool.full(link.server());
        for (int i = 0; i < 20; i++) {
            pending.add(link.server().receive(scene.buffer(LARGE), i));
            pending.add(link.server().send(scene.buffer(LARGE), i));
        }
        pending.forEach(each -> Expect.that(each.wasPending(), "the operation is pending"));
        scene.leavesThingsBehind();
        link.server().bmi().close();
        for (Posted each : pending) {
            Expect.refusal(ErrorCode.EINVAL, () -> each.isDone(0), "a test after close");
        }
        long left = Scene.counter(link.server().bmi(), counter);
        Expect.equal(left, pool.blocks(), "blocks in use at the close, those of the program");
        Link next = PeerLife.linkWithNewServer(scene, link.client().bmi());
        Pool.expectWhole(scene, next.server());
        Exchange.bothOrders(scene, next.client(), next.server(), LARGE);
    }

    private static void receives(Scene scene) {
        Link link = smallPool(scene);
        Pool pool = Pool.full(link.server());
        MemorySegment out = scene.pattern(LARGE, 1);
        MemorySegment in = scene.buffer(LARGE);
        Posted send = link.client().send(out, 1);
        Posted receive = link.server().receive(in, 1);
        receive.staysPending();
        send.staysPending();
        pool.freeAll();
        Exchange.check(send, receive, out, in);
        Pool.expectWhole(scene, link.server());
    }

    private static void order(Scene scene) {
        Link link = smallPool(scene);
        Pool pool = Pool.full(link.server());
        int count = 20;
        int[] sizes = {LARGE, 100, 1 << 20, 0, 70_000};
        Posted[] all = new Posted[2 * count];
        MemorySegment[] in = new MemorySegment[count];
        for (int i = 0; i < count; i++) {
            all[i] = link.server().send(scene.pattern(sizes[i % 5], i), 1);
            in[i] = scene.buffer(1 << 20);
            all[count + i] = link.client().receive(in[i], 1);
        }
        pool.freeAll();
        Posted.finish(all);
        for (int i = 0; i < count; i++) {
            MemorySegment out = scene.pattern(sizes[i % 5], i);
            Exchange.check(all[i], all[count + i], out, in[i]);
        }
    }

    private static void cancelOnly(Scene scene) {
        Link link = smallPool(scene);
        Pool pool = Pool.full(link.server());
        Posted send = link.server().send(scene.buffer(LARGE), 1);
        String counter = scene.fixture().commandsCounter();
        long before = counter == null ? 0 : Scene.counter(link.server().bmi(), counter);
        CancelOutcome outcome = link.server().context().cancel(send.result());
        Expect.equal(outcome, CancelOutcome.CANCELLED, "the cancel");
        send.fails(ErrorCode.ECANCEL);
        long after = counter == null ? 0 : Scene.counter(link.server().bmi(), counter);
        Expect.equal(after - before, 0, "commands sent for the cancel");
        pool.freeAll();
        Pool.expectWhole(scene, link.server());
    }

    private static void cancelLast(Scene scene) {
        Link link = smallPool(scene);
        Pool pool = Pool.full(link.server());
        MemorySegment[] out = new MemorySegment[3];
        Posted[] sends = new Posted[3];
        for (int i = 0; i < 3; i++) {
            out[i] = scene.pattern(LARGE + i, i);
            sends[i] = link.server().send(out[i], 1);
        }
        sends[2].cancelled();
        for (int i = 0; i < 2; i++) {
            sends[i].staysPending();
        }
        pool.freeAll();
        for (int i = 0; i < 2; i++) {
            MemorySegment in = scene.buffer(LARGE + i);
            Exchange.check(sends[i], link.client().receive(in, 1), out[i], in);
        }
        link.client().receive(scene.buffer(LARGE + 2), 1).cancelled();
    }

    private static void cancelRace(Scene scene) throws Exception {
        Link link = smallPool(scene);
        End server = link.server();
        int rounds = scene.amount(Amount.RETRY_RACES);
        MemorySegment out = scene.pattern(LARGE, 1);
        MemorySegment in = scene.buffer(LARGE);
        MemorySegment blank = scene.buffer(LARGE);
        try (var canceller = new Canceller(server.context())) {
            while (canceller.goesOn(rounds)) {
                in.fill((byte) 0);
                Pool pool = Pool.full(server);
                Posted receive = link.client().receive(in, 1);
                Posted send = server.send(out, 1);
                canceller.begin(send, () -> {});
                pool.freeAll();
                send.finishBeside(receive); // which serves those who wait
                if (canceller.hasCancelled(send)) {
                    receive.cancelled();
                    Expect.bytes(in, blank, "the buffer of a cancelled receive");
                } else {
                    Exchange.check(send, receive, out, in);
                }
            }
        }
        Pool pool = Pool.full(server);
        Posted receive = link.client().receive(in, 1);
        Posted last = server.send(out, 1);
        pool.freeAll();
        Exchange.check(last, receive, out, in);
        Pool.expectWhole(scene, server);
    }

    private static void cancelTemporary(Scene scene) {
        Link link = smallPool(scene);
        MemorySegment untouched = scene.pattern(1 << 20, 7);
        Posted receive = link.server().receive(untouched, 1);
        Posted send = link.server().send(untouched, 2);
        receive.cancelled();
        send.cancelled();
        Expect.bytes(untouched, scene.pattern(1 << 20, 7), "the buffer of the cancelled receive");
        Pool.expectWhole(scene, link.server());
    }
}
