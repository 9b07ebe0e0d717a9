package org.jbmi.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.BmiBuilder;
import org.jbmi.BmiException;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostOptions;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedFilter;
import org.jbmi.UnexpectedListener;
import org.jbmi.UnexpectedMessages;
import org.jbmi.spi.Method;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;

/** Many threads at once; whatever the order, every operation has one outcome and one taker. */
class StressTest extends ScriptedTest {
    private static final int OPERATIONS = 25_000;
    private final long seed = Long.getLong("jbmi.seed", System.nanoTime());
    private final AtomicBoolean stop = new AtomicBoolean();
    private final AtomicIntegerArray reports = new AtomicIntegerArray(OPERATIONS);
    private final AtomicInteger reported = new AtomicInteger();

    @Override
    BmiBuilder builder() {
        return super.builder().knob("bmi.maxOperations", "512").knob("bmi.spinNs", "1000");
    }

    private SplittableRandom random(int thread) {
        return new SplittableRandom(seed + thread);
    }

    private void announce(String test) {
        System.out.println(test + " seed " + seed);
    }

    private void count(Completions results) {
        for (int k = 0; k < results.count(); k++) {
            if (results.userData(k) instanceof Integer number) {
                reports.incrementAndGet(number);
                reported.incrementAndGet();
                assertThat(results.outcome(k))
                        .isIn(ErrorCode.SUCCESS, ErrorCode.ECANCEL, ErrorCode.ETIMEDOUT);
            } else {
                // Another caller has taken it; this one asked by its id.
                assertThat(results.outcome(k)).isEqualTo(ErrorCode.EINVAL);
            }
        }
    }

    /** Posts numbered operations, a share of all; waits where the table is full. */
    private int post(CompletionContext target, int thread, int threads, PostRule afterwards) {
        SplittableRandom random = random(thread);
        int posted = 0;
        for (int i = thread; i < OPERATIONS; i += threads) {
            PostOptions options =
                    random.nextInt(8) == 0
                            ? PostOptions.NONE.withDeadlineMs(1 + random.nextInt(3))
                            : PostOptions.NONE;
            long id = target.postReceive(peer, buffer, i, i, options);
            while (PostResult.isRefused(id)) {
                assertThat(PostResult.refusal(id)).isEqualTo(ErrorCode.ENOBUFS);
                Thread.yield();
                id = target.postReceive(peer, buffer, i, i, options);
            }
            afterwards.posted(i, id, random);
            posted++;
        }
        return posted;
    }

    private interface PostRule {
        void posted(int number, long id, SplittableRandom random);
    }

    /** Completes what the method holds, in one of the ways that methods do. */
    private int completeAll(int thread) {
        SplittableRandom random = random(1000 + thread);
        int completed = 0;
        while (!stop.get()) {
            List<Long> ids = method.heldIds();
            for (long id : ids) {
                switch (random.nextInt(4)) {
                    case 0 -> method.remote(() -> method.complete(id));
                    case 1 -> context.cancel(id);
                    default -> completed += method.complete(id) ? 1 : 0;
                }
            }
            if (ids.isEmpty()) {
                Thread.yield();
            }
        }
        return completed;
    }

    private void assertEachReportedOnce() {
        for (int i = 0; i < OPERATIONS; i++) {
            if (reports.get(i) != 1) {
                throw new AssertionError("operation " + i + " was reported " + reports.get(i));
            }
        }
        assertThat(inUse()).isZero();
        assertThat(context.testContext(done, 0)).isZero();
    }

    @Test
    void pollersGetEachOperationOnce() {
        announce("pollersGetEachOperationOnce");
        List<Call<Integer>> helpers = new ArrayList<>();
        Call<Integer> completer = start(() -> completeAll(0));
        for (int p = 0; p < 3; p++) {
            int capacity = 1 + 5 * p;
            helpers.add(
                    start(
                            () -> {
                                Completions mine = Completions.ofCapacity(capacity);
                                while (reported.get() < OPERATIONS) {
                                    context.testContext(mine, 100);
                                    count(mine);
                                }
                                return 0;
                            }));
        }
        List<Call<Integer>> posters = new ArrayList<>();
        for (int t = 0; t < 3; t++) {
            int thread = t;
            posters.add(start(() -> post(context, thread, 3, (number, id, random) -> {})));
        }
        assertThat(posters.stream().mapToInt(Call::result).sum()).isEqualTo(OPERATIONS);
        eventually(() -> reported.get() >= OPERATIONS);
        stop.set(true);
        assertThat(completer.result()).isPositive();
        helpers.forEach(Call::result);
        assertEachReportedOnce();
    }

    /** Callers that wait by id beside pollers of the same context, and callers of some. */
    @Test
    void callersByIdAndPollersShareNothing() {
        announce("callersByIdAndPollersShareNothing");
        Call<Integer> completer = start(() -> completeAll(0));
        Call<Integer> poller =
                start(
                        () -> {
                            Completions mine = Completions.ofCapacity(4);
                            while (!stop.get()) {
                                context.testContext(mine, 5);
                                count(mine);
                            }
                            return 0;
                        });
        AtomicLong taken = new AtomicLong();
        List<Call<Integer>> posters = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            int thread = t;
            Completions mine = Completions.ofCapacity(2);
            posters.add(
                    start(
                            () ->
                                    post(
                                            context,
                                            thread,
                                            4,
                                            (number, id, random) -> {
                                                int result = 0;
                                                switch (random.nextInt(3)) {
                                                    case 0 ->
                                                            result =
                                                                    context.test(id, mine, LONG_MS);
                                                    case 1 -> {
                                                        long[] ids = {0, id};
                                                        result =
                                                                context.testSome(
                                                                        ids, 2, mine, LONG_MS);
                                                    }
                                                    default -> mine.clear();
                                                }
                                                assertThat(result).isIn(0, 1);
                                                taken.addAndGet(mine.count());
                                                count(mine);
                                            })));
        }
        assertThat(posters.stream().mapToInt(Call::result).sum()).isEqualTo(OPERATIONS);
        eventually(() -> reported.get() >= OPERATIONS);
        stop.set(true);
        assertThat(completer.result()).isPositive();
        poller.result();
        assertThat(taken.get()).isPositive();
        assertEachReportedOnce();
    }

    @Test
    void contextsStayApart() {
        announce("contextsStayApart");
        Call<Integer> completer =
                start(
                        () -> {
                            while (!stop.get()) {
                                method.heldIds()
                                        .forEach(id -> method.remote(() -> method.complete(id)));
                                Thread.yield();
                            }
                            return 0;
                        });
        List<Call<Integer>> pairs = new ArrayList<>();
        for (int t = 0; t < 8; t++) {
            int thread = t;
            CompletionContext own = bmi.openContext();
            pairs.add(
                    start(
                            () -> {
                                Completions mine = Completions.ofCapacity(1);
                                for (int i = 0; i < 300; i++) {
                                    Integer data = thread * 1000 + i;
                                    long id = own.postReceive(peer, buffer, i, data);
                                    assertThat(own.testContext(mine, LONG_MS)).isEqualTo(1);
                                    assertThat(mine.id(0)).isEqualTo(id);
                                    assertThat(mine.userData(0)).isEqualTo(data);
                                }
                                return 0;
                            }));
        }
        pairs.forEach(Call::result);
        stop.set(true);
        completer.result();
        assertThat(inUse()).isZero();
    }

    /** One million operations tested by id only: nothing is left in any queue. */
    @Test
    void testsByIdLeaveNoResidue() {
        script.rule =
                (m, operation) -> {
                    m.host().complete(operation, 0, 1);
                    return Method.PENDING;
                };
        for (int i = 0; i < 1_000_000; i++) {
            long id = receive();
            if (context.test(id, done, 0) != 1) {
                throw new AssertionError("round " + i);
            }
        }
        assertThat(inUse()).isZero();
        assertThat(context.testContext(done, 0)).isZero();
    }

    /** Messages, listeners that come and go, and threads that take: each message has one taker. */
    @Test
    void messagesHaveOneTaker() {
        announce("messagesHaveOneTaker");
        int messages = 20_000;
        AtomicIntegerArray taken = new AtomicIntegerArray(messages);
        AtomicInteger total = new AtomicInteger();
        List<Call<Integer>> takers = new ArrayList<>();
        for (int t = 0; t < 3; t++) {
            int thread = t;
            takers.add(
                    start(
                            () -> {
                                UnexpectedMessages room = UnexpectedMessages.ofCapacity(1 + thread);
                                SplittableRandom random = random(thread);
                                while (total.get() < messages) {
                                    if (random.nextInt(50) == 0) {
                                        takeWithListener(room, random, taken, total);
                                    } else {
                                        bmi.testUnexpected(random.nextInt(2), room, 1);
                                        take(room, taken, total);
                                    }
                                }
                                return 0;
                            }));
        }
        Call<Integer> bystander =
                start(
                        () -> {
                            Completions mine = Completions.ofCapacity(1);
                            int reports = 0;
                            while (total.get() < messages) {
                                reports += context.testContext(mine, 20);
                            }
                            return reports;
                        });
        SplittableRandom random = random(99);
        for (int i = 0; i < messages; i++) {
            method.deliver("sender " + random.nextInt(5), i, random.nextInt(2), 1);
            if (i - total.get() > 2_000) {
                Thread.yield();
            }
        }
        takers.forEach(Call::result);
        assertThat(bystander.result()).as("there was no operation").isZero();
        for (int i = 0; i < messages; i++) {
            assertThat(taken.get(i)).as("message " + i).isEqualTo(1);
        }
        assertThat(method.tokens.get()).isEqualTo(messages);
        assertThat(gauge("bmi.unexpectedHeld")).isZero();
        assertThat(gauge("bmi.unexpectedWaiting")).isZero();
    }

    private void takeWithListener(
            UnexpectedMessages room,
            SplittableRandom random,
            AtomicIntegerArray taken,
            AtomicInteger total) {
        int first = random.nextInt(20_000);
        try (UnexpectedListener listener =
                bmi.openListener(new UnexpectedFilter(0, 1, first, first + 2_000))) {
            for (int i = 0; i < 5; i++) {
                listener.test(room, 0);
                take(room, taken, total);
            }
        }
    }

    private void take(UnexpectedMessages room, AtomicIntegerArray taken, AtomicInteger total) {
        for (int k = 0; k < room.count(); k++) {
            taken.incrementAndGet(room.tag(k));
            if ((k & 1) == 0) {
                room.free(k);
            } else {
                bmi.unexpectedFree(room.payload(k));
            }
        }
        total.addAndGet(room.count());
    }

    /** References, messages and failures of the same peers: no handle lives for ever. */
    @Test
    void peersComeAndGo() {
        announce("peersComeAndGo");
        List<Call<Integer>> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            int thread = t;
            threads.add(
                    start(
                            () -> {
                                SplittableRandom random = random(thread);
                                UnexpectedMessages room = UnexpectedMessages.ofCapacity(4);
                                for (int i = 0; i < 2_000; i++) {
                                    String name = "sender " + random.nextInt(3);
                                    if (random.nextInt(10) == 0) {
                                        method.host().peerFailed(method.address(name), EIO);
                                    }
                                    method.deliver(name, i, 0, 1);
                                    bmi.testUnexpected(room, 0);
                                    for (int k = 0; k < room.count(); k++) {
                                        answer(room, k, random);
                                    }
                                }
                                return 0;
                            }));
        }
        threads.forEach(Call::result);
        UnexpectedMessages rest = UnexpectedMessages.ofCapacity(16);
        while (bmi.testUnexpected(rest, 0) > 0) {
            for (int k = 0; k < rest.count(); k++) {
                rest.free(k);
            }
        }
        for (int i = 0; i < 3; i++) {
            method.host().peerFailed(method.address("sender " + i), EIO);
        }
        assertThat(gauge("bmi.peers")).isEqualTo(1);
        assertThat(gauge("bmi.unexpectedHeld")).isZero();
    }

    private void answer(UnexpectedMessages room, int k, SplittableRandom random) {
        PeerAddress sender = room.peer(k);
        boolean retained = random.nextBoolean();
        if (retained) {
            try {
                sender.retain();
            } catch (BmiException e) {
                throw new AssertionError("a message keeps its sender", e);
            }
        }
        room.free(k);
        long result = context.postSend(sender, buffer, 1);
        if (PostResult.isPending(result)) {
            method.complete(result);
            context.test(result, Completions.ofCapacity(1), 0);
        } else {
            assertThat(PostResult.refusal(result)).isIn(ErrorCode.EPROTO, ErrorCode.EIO);
        }
        if (retained) {
            sender.release();
        }
    }
}
