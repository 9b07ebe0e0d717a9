package org.jbmi.testsuite.cases.call;

import org.jbmi.Bmi;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.Option;
import org.jbmi.Options;
import org.jbmi.UnexpectedMessages;
import org.jbmi.testsuite.Capability;
import org.jbmi.testsuite.EnvironmentSettings;
import org.jbmi.testsuite.Expect;
import org.jbmi.testsuite.Link;
import org.jbmi.testsuite.Posted;
import org.jbmi.testsuite.Scene;
import org.jbmi.testsuite.cases.common.CaseList;
import org.jbmi.testsuite.cases.common.Exchange;

import java.util.List;

/** Group D: options. */
public final class OptionCases {
    private static final Option<String> UNHEARD_OF =
            new Option<>("UNHEARD_OF", String.class, -1, -1, true, true);

    private OptionCases() {}

    /** Adds its cases. */
    public static void addTo(CaseList list) {
        list.group('D')
                .add(40, "largest expected message", OptionCases::maxExpected)
                .add(41, "largest unexpected message", OptionCases::maxUnexpected)
                .add(42, "setting for all methods", OptionCases::setForAll)
                .add(43, "option that nobody knows", OptionCases::unknown)
                .add(44, "post timeout on a server", OptionCases::postTimeoutOnServer)
                .add(
                        45,
                        "post timeouts out of range",
                        OptionCases::postTimeoutRange,
                        Capability.POST_TIMEOUT)
                .add(46, "early return for unexpected messages", OptionCases::checkUnexpected)
                .add(47, "port of a server", OptionCases::port, Capability.PORT);
    }

    private static void maxExpected(Scene scene) {
        scene.settings(EnvironmentSettings.DEFAULT.withMaxExpected(3 << 20));
        Link link = scene.link();
        for (var end : List.of(link.client(), link.server())) {
            long most = end.bmi().getOption(end.peer(), Options.MAX_EXPECTED_BYTES);
            Expect.equal(most, 3 << 20, "the limit for a peer");
            most = end.bmi().getOption(Options.MAX_EXPECTED_BYTES);
            Expect.equal(most, 3 << 20, "the least limit of all methods");
        }
        Exchange.bothOrders(scene, link.client(), link.server(), 3 << 20);
    }

    private static void maxUnexpected(Scene scene, Link link) {
        for (var end : List.of(link.client(), link.server())) {
            long most = end.bmi().getOption(end.peer(), Options.MAX_UNEXPECTED_BYTES);
            Expect.that(most >= 4096, "the limit is 4096 or more: " + most);
            Expect.equal(
                    end.bmi().getOption(Options.MAX_UNEXPECTED_BYTES),
                    Long.valueOf(most),
                    "the least limit of all methods");
        }
    }

    private static void setForAll(Scene scene) {
        Bmi client = scene.newClient();
        Expect.refusal(
                ErrorCode.EINVAL,
                () -> client.setOption(Options.CHECK_UNEXPECTED, false),
                "setting an option of no method");
        scene.server();
        client.lookup(scene.environment().serverAddress(0));
        client.setOption(Options.CHECK_UNEXPECTED, false);
        Expect.equal(client.getOption(Options.CHECK_UNEXPECTED), false, "what was set");
        client.setOption(UNHEARD_OF, "ignored by a method that does not know it");
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static void unknown(Scene scene, Link link) {
        Bmi client = link.client().bmi();
        for (int i = 0; i < 3; i++) {
            Expect.refusal(
                    ErrorCode.ENOSYS, () -> client.getOption(UNHEARD_OF), "reading the unheard-of");
            Expect.refusal(
                    ErrorCode.ENOSYS,
                    () -> client.getOption(link.client().peer(), UNHEARD_OF),
                    "reading the unheard-of of a peer");
            Expect.refusal(
                    ErrorCode.ENOSYS,
                    () -> client.setOption(Options.MAX_EXPECTED_BYTES, 1L),
                    "setting what can only be read");
            Expect.refusal(
                    ErrorCode.EINVAL,
                    () -> client.setOption((Option) Options.CHECK_UNEXPECTED, "yes"),
                    "a value of another type");
            client.setOption(UNHEARD_OF, "ignored, as the C library does");
            Exchange.bothOrders(scene, link.client(), link.server(), 10);
        }
    }

    private static void postTimeoutOnServer(Scene scene, Link link) {
        Bmi server = link.server().bmi();
        if (server.option(Option.Numbering.STANDALONE, 16) != null) {
            server.setOption(Scene.postTimeoutMs(server), 20_000);
        }
        long startNs = System.nanoTime();
        Posted receive = link.server().receive(scene.buffer(10), 1);
        Expect.that(receive.wasPending(), "the server's post does not wait");
        Expect.that(System.nanoTime() - startNs < 10_000_000_000L, "it returns at once");
        receive.cancelled();
    }

    private static void postTimeoutRange(Scene scene, Link link) {
        Bmi client = link.client().bmi();
        Option<Integer> postTimeoutMs = Scene.postTimeoutMs(client);
        Expect.refusal(
                ErrorCode.EINVAL, () -> client.setOption(postTimeoutMs, -1), "a negative timeout");
        client.setOption(postTimeoutMs, Integer.MAX_VALUE);
        Posted receive = link.server().receive(scene.buffer(10), 1);
        Posted send = link.client().send(scene.pattern(10, 1), 1);
        Expect.that(!send.wasPending(), "a post that may wait is done at once");
        Posted.finish(receive);
        client.setOption(postTimeoutMs, 0);
    }

    private static void checkUnexpected(Scene scene, Link link) {
        Bmi server = link.server().bmi();
        Completions done = Completions.ofCapacity(1);
        link.client().sendUnexpected(scene.pattern(10, 1), 1, 0).succeeds(10);
        long startNs = System.nanoTime();
        Expect.equal(link.server().context().testContext(done, 20_000), 0, "completions");
        Expect.that(
                System.nanoTime() - startNs < 10_000_000_000L,
                "a message that waits makes testContext return early");
        server.setOption(Options.CHECK_UNEXPECTED, false);
        startNs = System.nanoTime();
        Expect.equal(link.server().context().testContext(done, 300), 0, "completions");
        Expect.that(
                System.nanoTime() - startNs >= 290_000_000L,
                "switched off, testContext waits its whole time");
        UnexpectedMessages messages = UnexpectedMessages.ofCapacity(1);
        Expect.equal(server.testUnexpected(messages, 0), 1, "the message");
        messages.free(0);
    }

    private static void port(Scene scene) {
        Bmi server = scene.server();
        int port = server.getOption(server.option("BMI_TCP_GET_PORT", Integer.class));
        String address = scene.environment().serverAddress(0);
        Expect.that(address.endsWith(":" + port), "the port in " + address + " is " + port);
    }
}
