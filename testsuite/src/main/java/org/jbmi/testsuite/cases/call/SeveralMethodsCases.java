package org.jbmi.testsuite.cases.call;

import org.jbmi.Bmi;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.testsuite.Capability;
import org.jbmi.testsuite.ConformanceFailure;
import org.jbmi.testsuite.End;
import org.jbmi.testsuite.Environment;
import org.jbmi.testsuite.EnvironmentSettings;
import org.jbmi.testsuite.Expect;
import org.jbmi.testsuite.Fixtures;
import org.jbmi.testsuite.Link;
import org.jbmi.testsuite.MethodFixture;
import org.jbmi.testsuite.Posted;
import org.jbmi.testsuite.RestCheck;
import org.jbmi.testsuite.Scene;
import org.jbmi.testsuite.cases.common.CaseList;
import org.jbmi.testsuite.cases.common.Exchange;
import org.jbmi.testsuite.cases.common.Wakes;

import java.util.List;
import java.util.concurrent.FutureTask;

/** Group J: one instance with two methods. */
public final class SeveralMethodsCases {
    private SeveralMethodsCases() {}

    /** Adds its cases. */
    public static void addTo(CaseList list) {
        list.group('J')
                .add(
                        142,
                        "operations of two methods",
                        60,
                        SeveralMethodsCases::together,
                        Capability.SEVERAL_METHODS);
    }

    /** The fixture of another method. */
    private static MethodFixture companion(Scene scene) {
        for (MethodFixture other : Fixtures.all()) {
            if (!other.scheme().equals(scene.fixture().scheme())
                    && other.capabilities().contains(Capability.SEVERAL_METHODS)) {
                return other;
            }
        }
        throw new ConformanceFailure("There is no second method on the class path.");
    }

    private static void together(Scene scene) throws Exception {
        MethodFixture other = companion(scene);
        Environment second = other.open(EnvironmentSettings.DEFAULT);
        List<RestCheck> checks = List.of(new RestCheck(scene.fixture()), new RestCheck(other));
        try (second) {
            Bmi server =
                    scene.keep(
                            second.extend(scene.environment().serverBuilder(0))
                                    .listen(second.serverAddress(0))
                                    .open());
            Bmi client = scene.keep(second.extend(scene.environment().clientBuilder()).open());
            for (RestCheck check : checks) {
                check.watch(server);
                check.watch(client);
            }
            try (server;
                    client) {
                Link one = scene.link(server, scene.environment().serverAddress(0), client);
                Link two = scene.link(server, second.serverAddress(0), client);
                Exchange.bothOrders(scene, one.client(), one.server(), 50_000);
                Exchange.bothOrders(scene, two.client(), two.server(), 50_000);
                oneContext(scene, one, two);
                waitedTogether(scene, one, two);
                waitedTogether(scene, two, one);
                for (RestCheck check : checks) {
                    check.expectAtRest(server);
                    check.expectAtRest(client);
                }
            }
            checks.forEach(RestCheck::expectNoLostBlocks);
            checks.forEach(RestCheck::expectNoFaults);
            Expect.equal(second.faults(), List.of(), "what broke a rule of the second method");
        }
        Expect.equal(second.leftovers(), List.of(), "what is left of the second environment");
    }

    private static End in(CompletionContext context, End end) {
        return new End(end.bmi(), context, end.peer());
    }

    private static void oneContext(Scene scene, Link one, Link two) {
        try (CompletionContext context = one.server().bmi().openContext()) {
            Posted first = in(context, one.server()).receive(scene.buffer(100), 1);
            Posted second = in(context, two.server()).receive(scene.buffer(100), 1);
            Posted[] sends = {
                one.client().send(scene.pattern(100, 1), 1),
                two.client().send(scene.pattern(70, 2), 1)
            };
            long[] ids = {first.result(), 0, second.result()};
            Completions done = Completions.ofCapacity(4);
            long[] sizes = new long[3];
            Expect.eventually(
                    () -> {
                        sends[0].isDone(0);
                        sends[1].isDone(0);
                        int count = context.testSome(ids, 3, done, 1);
                        for (int k = 0; k < count; k++) {
                            Expect.equal(done.outcome(k), ErrorCode.SUCCESS, "an outcome");
                            sizes[done.index(k)] = done.sizeBytes(k);
                            ids[done.index(k)] = 0;
                        }
                        return sizes[0] > 0 && sizes[2] > 0;
                    },
                    "both methods report");
            Expect.equal(sizes[0], 100, "the size over the first method");
            Expect.equal(sizes[2], 70, "the size over the second method");
            Posted.finish(sends);
        }
    }

    /** A thread waits while one method is silent; an event of the other one must wake it. */
    private static void waitedTogether(Scene scene, Link busy, Link silent) throws Exception {
        try (CompletionContext context = busy.server().bmi().openContext()) {
            Posted never = in(context, silent.server()).receive(scene.buffer(10), 9);
            for (int i = 0; i < 20; i++) {
                waited(scene, context, busy, 0);
            }
            Wakes.expectPrompt(
                    () -> waited(scene, context, busy, 50),
                    "a wait for two methods, of which one has an event,");
            never.cancelled();
        }
    }

    private static long waited(Scene scene, CompletionContext context, Link busy, int pauseMs)
            throws Exception {
        in(context, busy.server()).receive(scene.buffer(10), 9);
        FutureTask<Integer> waiter =
                scene.inThread(
                        "waiter", () -> context.testContext(Completions.ofCapacity(2), 20_000));
        Thread.sleep(pauseMs);
        long startNs = System.nanoTime();
        Posted.finish(busy.client().send(scene.pattern(10, 1), 9));
        Expect.equal(waiter.get(), 1, "completions");
        return System.nanoTime() - startNs;
    }
}
