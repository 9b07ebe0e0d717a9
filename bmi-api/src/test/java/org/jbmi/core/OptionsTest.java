package org.jbmi.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.CancelOutcome;
import org.jbmi.ErrorCode;
import org.jbmi.Option;
import org.jbmi.Option.Numbering;
import org.jbmi.Options;
import org.jbmi.PeerAddress;
import org.jbmi.scripted.ScriptedProvider;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** Options: who answers, and every way to be refused. */
class OptionsTest extends ScriptedTest {
    private static final Option<Integer> NUMBER = ScriptedProvider.NUMBER;
    private static final Option<Boolean> FLAG = ScriptedProvider.FLAG;

    @Test
    void theOptionsOfAllMethodsAreListedInTheirOrder() {
        assertThat(bmi.options())
                .containsExactly(
                        Options.MAX_EXPECTED_BYTES,
                        FLAG,
                        Options.MAX_UNEXPECTED_BYTES,
                        Options.CHECK_UNEXPECTED,
                        NUMBER);
        assertThat(Options.all())
                .map(Option::name)
                .containsExactly(
                        "BMI_CHECK_MAXSIZE", "BMI_GET_UNEXP_SIZE", "BMI_TCP_CHECK_UNEXPECTED");
    }

    @Test
    void anOptionIsFoundByNameAndByEitherNumber() {
        assertThat(bmi.option("TEST_NUMBER", Integer.class)).isSameAs(NUMBER);
        assertCode(ErrorCode.EINVAL, () -> bmi.option("TEST_NUMBER", Long.class));
        assertCode(ErrorCode.ENOSYS, () -> bmi.option("TEST_NO_SUCH", Long.class));
        assertThat(bmi.option(Numbering.STANDALONE, 16)).isSameAs(NUMBER);
        assertThat(bmi.option(Numbering.ORANGEFS, 16)).isNull();
        assertThat(bmi.option(Numbering.ORANGEFS, 17)).isSameAs(NUMBER);
        assertThat(bmi.option(Numbering.ORANGEFS, 3)).isSameAs(Options.MAX_EXPECTED_BYTES);
        for (Numbering numbering : Numbering.values()) {
            for (int number : new int[] {-1, 0, 1, 19, 1000}) {
                assertThat(bmi.option(numbering, number)).isNull();
            }
        }
    }

    @Test
    void coreAnswersWhatIsItsOwn() {
        assertThat(bmi.isActive()).isTrue();
        assertThat(bmi.methods()).contains("test", "local", "word", "selector");
        assertThat(bmi.getOption(Options.MAX_EXPECTED_BYTES)).isEqualTo(1 << 20);
        assertThat(bmi.getOption(Options.MAX_UNEXPECTED_BYTES)).isEqualTo(4096);
        PeerAddress local = bmi.lookup("local://x");
        assertThat(bmi.getOption(Options.MAX_EXPECTED_BYTES)).as("least").isEqualTo(1 << 16);
        assertThat(bmi.getOption(Options.MAX_UNEXPECTED_BYTES)).isEqualTo(1024);
        assertThat(bmi.getOption(peer, Options.MAX_EXPECTED_BYTES)).isEqualTo(1 << 20);
        assertThat(bmi.getOption(local, Options.MAX_UNEXPECTED_BYTES)).isEqualTo(1024);
        assertThat(peer.mayBeForgotten()).isTrue();
        method.mayDrop = false;
        assertThat(peer.mayBeForgotten()).isFalse();
    }

    @Test
    void withoutMethods() {
        try (Bmi idle = Bmi.open()) {
            assertThat(idle.isActive()).isFalse();
            assertCode(ErrorCode.ENETDOWN, () -> idle.getOption(Options.MAX_EXPECTED_BYTES));
            assertCode(ErrorCode.ENETDOWN, () -> idle.getOption(Options.MAX_UNEXPECTED_BYTES));
            assertCode(ErrorCode.ENOSYS, () -> idle.getOption(NUMBER));
            assertCode(ErrorCode.EINVAL, () -> idle.setOption(Options.CHECK_UNEXPECTED, true));
            assertCode(ErrorCode.EINVAL, () -> idle.setOption(FLAG, true));
            assertThat(idle.methods()).contains("test");
        }
    }

    @Test
    void whatNobodyKnowsIsNotThere() {
        assertCode(ErrorCode.ENOSYS, () -> bmi.getOption(NUMBER));
        assertCode(ErrorCode.ENOSYS, () -> bmi.getOption(peer, NUMBER));
        assertCode(ErrorCode.ENOSYS, () -> bmi.getOption(FLAG));
        assertCode(ErrorCode.ENOSYS, () -> bmi.setOption(Options.MAX_EXPECTED_BYTES, 5L));
        assertCode(ErrorCode.ENOSYS, () -> bmi.setOption(peer, Options.MAX_EXPECTED_BYTES, 5L));
        // The next call works: nothing was left locked.
        assertThat(bmi.isActive()).isTrue();
    }

    @Test
    void wrongTypeIsRefused() {
        @SuppressWarnings({"unchecked", "rawtypes"})
        Option<Object> lax = (Option) FLAG;
        assertCode(ErrorCode.EINVAL, () -> bmi.setOption(lax, "yes"));
        assertThat(method.optionsSet).isEmpty();
    }

    @Test
    void settingsReachAllMethodsOrTheOneOfTheAddress() {
        bmi.lookup("local://x");
        bmi.setOption(FLAG, true);
        bmi.setOption(peer, NUMBER, 7);
        assertThat(method.optionsSet).containsExactly("TEST_FLAG=true", "peer:TEST_NUMBER=7");
        assertThat(script.method("local").optionsSet).containsExactly("TEST_FLAG=true");
        method.optionValues.put("TEST_NUMBER", 7);
        assertThat(bmi.getOption(peer, NUMBER)).isEqualTo(7);
        assertThat(bmi.getOption(NUMBER)).isEqualTo(7);
        Option<String> own = new Option<>("OWN", String.class, -1, -1, true, true);
        bmi.setOption(own, "x");
        assertThat(method.optionsSet).contains("OWN=x");
        assertCode(ErrorCode.ENOSYS, () -> bmi.getOption(own));
    }

    @Test
    void dropForgetsAtOnceWhateverTheCount() {
        peer.retain();
        long id = receive();
        peer.drop();
        assertThat(receive()).isEqualTo(ErrorCode.EPROTO.negativeValue());
        assertCode(ErrorCode.EINVAL, () -> bmi.getOption(peer, Options.MAX_EXPECTED_BYTES));
        assertCode(ErrorCode.EINVAL, peer::drop);
        assertCode(ErrorCode.EINVAL, peer::mayBeForgotten);
        PeerAddress again = bmi.lookup("test://peer");
        assertThat(again).isNotSameAs(peer);
        assertThat(bmi.reverseLookup(again)).contains("test://peer");
        assertThat(context.test(id, done, 0)).isEqualTo(1);
        assertThat(done.outcome(0)).isEqualTo(ErrorCode.ECANCEL);
    }

    @Test
    void dropEndsTheOperationsOfThatHandleOnce() {
        PeerAddress other = bmi.lookup("test://other");
        long kept = context.postReceive(other, buffer, 1);
        List<Long> ids = List.of(receive(), receive(), receive());
        peer.drop();
        assertThat(method.disconnected).containsExactly(method.address("peer"));
        PeerAddress again = bmi.lookup("test://peer");
        long next = context.postReceive(again, buffer, 1);
        List<Long> ended = new ArrayList<>();
        while (context.testContext(done, 0) > 0) {
            for (int k = 0; k < done.count(); k++) {
                assertThat(done.outcome(k)).isEqualTo(ErrorCode.ECANCEL);
                ended.add(done.id(k));
            }
        }
        assertThat(ended).containsExactlyInAnyOrderElementsOf(ids);
        assertThat(context.cancel(kept)).isEqualTo(CancelOutcome.CANCELLED);
        assertThat(context.cancel(next)).isEqualTo(CancelOutcome.CANCELLED);
    }
}
