package org.jbmi.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedFilter;
import org.jbmi.UnexpectedMessages;
import org.jbmi.scripted.Script;
import org.jbmi.scripted.ScriptedMethod;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;

/** Activation, and waiting on several methods at once. */
class SeveralMethodsTest extends ScriptedTest {
    private static final int ROUNDS = 20;
    private static final int LEAD = 3;

    /** Half of the shortest slice that a lost wake-up would cost. */
    private static final long QUICK_NS = 50_000_000;

    @Test
    void aMethodThatTheCoreCannotUseIsClosed() {
        script.onOpen = opened -> opened.onSleepsOn = SeveralMethodsTest::fail;
        assertThatThrownBy(() -> bmi.lookup("word://x")).hasMessage("planted");
        assertThat(script.method("word").closed).isTrue();
        script.onOpen = opened -> {};
        assertThat(bmi.lookup("word://x").scheme()).isEqualTo("word");
        assertThat(script.method("word").closed).isFalse();
    }

    private static void fail() {
        throw new IllegalStateException("planted");
    }

    /** Their memory is gone with the method. */
    @Test
    void messagesOfAMethodThatTheCoreCannotUseAreNotReported() {
        script.onOpen =
                opened -> {
                    opened.deliver("early", 1, 0, 8);
                    opened.onSleepsOn = SeveralMethodsTest::fail;
                };
        assertThatThrownBy(() -> bmi.lookup("word://x")).hasMessage("planted");
        assertThat(bmi.testUnexpected(UnexpectedMessages.ofCapacity(1), 0)).isZero();
    }

    /** The first message can be taken up, the second one cannot. */
    @Test
    void aMethodOfWhichOneMessageCannotBeTakenUpLeavesNone() {
        long peers = gauge("bmi.peers");
        script.onOpen =
                opened -> {
                    opened.deliver("early", 1, 0, 8);
                    opened.deliver("early", 2, 1, 8);
                    opened.deliver("late", 3, UnexpectedFilter.MAX_CLASS + 1, 8);
                };
        assertThatThrownBy(() -> bmi.lookup("word://x"))
                .isInstanceOf(IndexOutOfBoundsException.class);
        ScriptedMethod failed = script.method("word");
        assertThat(failed.closed).isTrue();
        for (int messageClass = 0; messageClass < 2; messageClass++) {
            UnexpectedMessages room = UnexpectedMessages.ofCapacity(1);
            assertThat(bmi.testUnexpected(messageClass, room, 0)).isZero();
        }
        assertThat(gauge("bmi.unexpectedWaiting")).isZero();
        assertThat(gauge("bmi.peers")).isEqualTo(peers);
        assertThat(failed.droppedAddresses)
                .containsExactlyInAnyOrder(failed.address("early"), failed.address("late"));
        script.onOpen = opened -> opened.deliver("early", 1, 0, 8);
        assertThat(bmi.lookup("word://x").scheme()).isEqualTo("word");
        assertThat(bmi.testUnexpected(UnexpectedMessages.ofCapacity(1), 0)).isOne();
    }

    @Test
    void aSenderThatCannotBeDroppedHidesNotWhyItsMessageCannotBeTakenUp() {
        script.onOpen =
                opened -> {
                    opened.onDropped = SeveralMethodsTest::fail;
                    opened.deliver("late", 3, UnexpectedFilter.MAX_CLASS + 1, 8);
                };
        assertThatThrownBy(() -> bmi.lookup("word://x"))
                .isInstanceOf(IndexOutOfBoundsException.class)
                .satisfies(
                        e ->
                                assertThat(e.getSuppressed())
                                        .singleElement()
                                        .asInstanceOf(InstanceOfAssertFactories.THROWABLE)
                                        .hasMessage("planted"));
    }

    @Test
    void noOtherThreadGetsAMethodThatTheCoreCannotUse() {
        List<Call<PeerAddress>> others = new ArrayList<>();
        script.onOpen =
                opened -> {
                    script.onOpen = m -> {};
                    opened.onSleepsOn =
                            () -> {
                                Call<PeerAddress> other = start(() -> bmi.lookup("word://y"));
                                others.add(other);
                                eventually(() -> other.isDone() || other.isAsleep());
                                fail();
                            };
                };
        assertThatThrownBy(() -> bmi.lookup("word://x")).hasMessage("planted");
        PeerAddress found = others.getFirst().result();
        assertThat(PostResult.isPending(context.postReceive(found, buffer, 1)))
                .as("the method is open")
                .isTrue();
    }

    @Test
    void whatFailsWhereAFailedOpeningEndsHidesNoCause() {
        Script own = new Script();
        own.onOpen =
                opened -> {
                    opened.failClose = true;
                    if (own.isOpen("local")) {
                        throw new IllegalStateException("planted");
                    }
                };
        BmiBuilder builder = Bmi.builder().attach(Script.class, own).method("local").method("word");
        assertThatThrownBy(builder::open)
                .hasMessage("planted")
                .satisfies(
                        e ->
                                assertThat(e.getSuppressed())
                                        .singleElement()
                                        .asInstanceOf(InstanceOfAssertFactories.THROWABLE)
                                        .hasMessage("close of local"));
    }

    /**
     * The events of each method end the wait, whichever of them is slept on, in any combination.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "test",
                "word",
                "selector",
                "local word",
                "word local",
                "word selector",
                "selector word",
                "word word2",
                "local test selector",
                "selector word word2 local test",
                "owner",
                "owner local test",
                "word owner",
                "owner word word2 selector",
                "owner owner2",
                "owner owner2 word",
                "kept",
                "kept local test",
                "kept word",
                "selector kept",
                "owner kept word"
            })
    void allMethodsAreWaitedOnAtOnce(String schemes) {
        Script own = new Script();
        try (Bmi several = Bmi.builder().attach(Script.class, own).open()) {
            CompletionContext its = several.openContext();
            List<PeerAddress> peers = new ArrayList<>();
            for (String scheme : schemes.split(" ")) {
                peers.add(several.lookup(scheme + "://x"));
            }
            for (int round = 0; round < ROUNDS; round++) {
                PeerAddress from = peers.get(round % peers.size());
                ScriptedMethod its2 = own.method(from.scheme());
                long id = its.postReceive(from, buffer, 1);
                Completions mine = Completions.ofCapacity(1);
                Call<Integer> call = start(() -> its.testContext(mine, LONG_MS)).asleep();
                long before = System.nanoTime();
                if (its2.waitable() != null) {
                    its2.remote(() -> its2.complete(id));
                } else {
                    its2.complete(id);
                }
                assertThat(call.result()).isEqualTo(1);
                assertThat(mine.id(0)).isEqualTo(id);
                assertThat(System.nanoTime() - before).isLessThan(5_000_000_000L);
            }
        }
    }

    /**
     * A second of sleep has one slice in a selector or parked, and ten on a word. The looks of a
     * caller that polls before it sleeps are not counted: there are as many as its processor makes.
     */
    @ParameterizedTest
    @CsvSource({"owner, 4", "local, 4", "test, 4", "selector, 4", "word, 14", "kept, 14"})
    void anIdleWaiterHardlyWakes(String scheme, int mostLooks) {
        Script own = new Script();
        try (Bmi one = Bmi.builder().knob("bmi.wait", "block").attach(Script.class, own).open()) {
            PeerAddress peer = one.lookup(scheme + "://x");
            CompletionContext its = one.openContext();
            its.postReceive(peer, buffer, 1);
            ScriptedMethod target = own.method(scheme);
            int before = target.progressCalls.get();
            assertThat(its.testContext(Completions.ofCapacity(1), 1000)).isZero();
            assertThat(target.progressCalls.get() - before).isLessThanOrEqualTo(mostLooks);
        }
    }

    /**
     * The end of a sleep by its own event, not by the slice after which every sleep is looked at:
     * more rounds with each method take less than that than do not, as on a busy machine some do.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "test",
                "word",
                "selector",
                "word word2",
                "word selector",
                "local",
                "owner",
                "word owner selector",
                "owner owner2",
                "kept",
                "kept word",
                "kept owner"
            })
    void eventsEndASleepWithoutDelay(String schemes) {
        Script own = new Script();
        try (Bmi several = Bmi.builder().attach(Script.class, own).open()) {
            CompletionContext its = several.openContext();
            List<PeerAddress> peers = new ArrayList<>();
            for (String scheme : schemes.split(" ")) {
                peers.add(several.lookup(scheme + "://x"));
            }
            for (PeerAddress from : peers) {
                assertWokenQuickly(its, from, own.method(from.scheme()));
            }
        }
    }

    private void assertWokenQuickly(
            CompletionContext its, PeerAddress from, ScriptedMethod target) {
        List<Long> tookNs = new ArrayList<>();
        int lead = 0; // of the rounds that were quick, over the others
        while (tookNs.size() < ROUNDS && lead < LEAD) {
            long id = its.postReceive(from, buffer, 1);
            Call<Long> call =
                    start(
                            () -> {
                                its.test(id, Completions.ofCapacity(1), LONG_MS);
                                return System.nanoTime();
                            });
            call.asleep();
            long before = System.nanoTime();
            if (target.waitable() != null) {
                target.remote(() -> target.complete(id));
            } else {
                target.complete(id);
            }
            long ns = call.result() - before;
            tookNs.add(ns);
            lead += ns < QUICK_NS ? 1 : -1;
        }
        assertThat(lead).as("quick more often than not, of %s", tookNs).isEqualTo(LEAD);
    }

    @Test
    void methodBecomesActiveOnTheFirstLookup() {
        assertThat(script.isOpen("word")).isFalse();
        PeerAddress first = bmi.lookup("word://x");
        ScriptedMethod word = script.method("word");
        assertThat(word.listens()).isEmpty();
        bmi.lookup("word://y");
        assertThat(script.method("word")).isSameAs(word);
        assertThat(bmi.lookup("word://x")).isSameAs(first);
        assertThat(word.host().configuration()).isSameAs(bmi.configuration());
        assertThat(word.host().attachment(Script.class)).isSameAs(script);
        assertThat(word.host().attachment(String.class)).isNull();
    }

    @Test
    void methodThatIsActivatedWhileSomebodyWaitsIsServedByThatWait() {
        Completions mine = Completions.ofCapacity(1);
        Call<Integer> call = start(() -> context.testContext(mine, LONG_MS)).asleep();
        for (String scheme : List.of("word", "selector")) {
            PeerAddress other = bmi.lookup(scheme + "://x");
            ScriptedMethod its = script.method(scheme);
            eventually(() -> its.waitsBegun.get() == 1);
            long id = context.postReceive(other, buffer, 1);
            its.remote(() -> its.complete(id));
            assertThat(call.result()).isEqualTo(1);
            call = start(() -> context.testContext(mine, LONG_MS)).asleep();
        }
        method.complete(receive());
        assertThat(call.result()).isEqualTo(1);
    }

    @Test
    void methodsCanBeActivatedAtOnceByEitherName() {
        Script own = new Script();
        try (Bmi eager =
                Bmi.builder()
                        .attach(Script.class, own)
                        .listen("test://a")
                        .listen("word://b")
                        .listen("test://c")
                        .method("bmi_selector")
                        .method("test")
                        .open()) {
            assertThat(own.test().listens()).containsExactly("test://a", "test://c");
            assertThat(own.method("word").listens()).containsExactly("word://b");
            assertThat(own.method("selector").listens()).isEmpty();
            assertThat(eager.isClosed()).isFalse();
        }
        assertThat(own.test().closed).isTrue();
    }

    @Test
    void failedOpenLeavesNothingBehind() {
        Script own = new Script();
        var builder = Bmi.builder().attach(Script.class, own).method("test");
        assertCode(ErrorCode.ENOPROTOOPT, () -> builder.method("nope").open());
        assertThat(own.test().closed).isTrue();
        assertCode(ErrorCode.ENOPROTOOPT, () -> Bmi.builder().method("bmi_nope").open());
        assertCode(ErrorCode.ENOPROTOOPT, () -> Bmi.builder().method("absent").open());
        assertCode(ErrorCode.EINVAL, () -> Bmi.builder().listen("nothing").open());
        assertCode(ErrorCode.ENOPROTOOPT, () -> Bmi.builder().listen("foo://x").open());
        assertCode(ErrorCode.EINVAL, () -> Bmi.builder().knob("no.such", "1").open());
        assertCode(ErrorCode.EINVAL, () -> Bmi.builder().knob("test.answer", "101").open());
    }

    @ParameterizedTest
    @ValueSource(strings = {"test://a,word://b", "test://a,nonsense://b", "test://a,test://b"})
    void aListOfListenAddressesInOneIsRefused(String several) {
        assertCode(ErrorCode.EINVAL, Bmi.builder().listen(several)::open);
    }

    @Test
    void methodThatCannotOpenMayBeTriedAgain() {
        script.onOpen =
                m -> {
                    throw new IllegalStateException("not yet");
                };
        assertThatThrownBy(() -> bmi.lookup("word://x")).hasMessage("not yet");
        assertThatThrownBy(() -> bmi.lookup("word://x")).hasMessage("not yet");
        script.onOpen = m -> {};
        assertThat(PostResult.isPending(context.postReceive(bmi.lookup("word://x"), buffer, 1)))
                .isTrue();
    }

    @Test
    void withoutMethodsIdleTimeIsHonouredWithoutSpinning() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        try (Bmi idle = Bmi.open()) {
            CompletionContext its = idle.openContext();
            UnexpectedMessages messages = UnexpectedMessages.ofCapacity(1);
            long cpuBefore = threads.getCurrentThreadCpuTime();
            assertThat(elapsedMs(() -> its.testContext(done, 300))).isGreaterThanOrEqualTo(299);
            assertThat(elapsedMs(() -> idle.testUnexpected(messages, 300)))
                    .isGreaterThanOrEqualTo(299);
            assertThat(threads.getCurrentThreadCpuTime() - cpuBefore).isLessThan(200_000_000L);
            assertThat(its.testContext(done, 0)).isZero();
            assertThat(idle.testUnexpected(messages, 0)).isZero();
        }
    }

    @Test
    void firstLookupEndsAWaitThatBeganWithoutMethods() {
        Script own = new Script();
        try (Bmi idle = Bmi.builder().attach(Script.class, own).open()) {
            CompletionContext its = idle.openContext();
            Call<Integer> call =
                    start(() -> its.testContext(Completions.ofCapacity(1), LONG_MS)).asleep();
            long id = its.postReceive(idle.lookup("word://x"), buffer, 1);
            own.method("word").remote(() -> own.method("word").complete(id));
            assertThat(call.result()).isEqualTo(1);
        }
    }
}
