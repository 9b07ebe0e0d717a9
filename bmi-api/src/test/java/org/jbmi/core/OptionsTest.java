package org.jbmi.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.CancelOutcome;
import org.jbmi.ErrorCode;
import org.jbmi.Option;
import org.jbmi.Options;
import org.jbmi.Options.Numbering;
import org.jbmi.PeerAddress;
import org.junit.jupiter.api.Test;

import java.util.List;

/** Options: who answers, and every way to be refused. */
class OptionsTest extends ScriptedTest {
    @Test
    void numbersAreThoseOfTheTwoLibraries() {
        record Row(int standalone, int orangeFs, String name, boolean set, boolean get) {}
        List<Row> table =
                List.of(
                        new Row(1, 1, "BMI_DROP_ADDR", true, false),
                        new Row(2, 2, "BMI_CHECK_INIT", false, true),
                        new Row(3, 3, "BMI_CHECK_MAXSIZE", false, true),
                        new Row(4, 4, "BMI_GET_METH_ADDR", false, true),
                        new Row(5, 5, "BMI_INC_ADDR_REF", true, false),
                        new Row(6, 6, "BMI_DEC_ADDR_REF", true, false),
                        new Row(7, 7, "BMI_DROP_ADDR_QUERY", false, true),
                        new Row(8, 8, "BMI_FORCEFUL_CANCEL_MODE", true, false),
                        new Row(9, 9, "BMI_TRUSTED_CONNECTION", true, false),
                        new Row(10, 10, "BMI_GET_UNEXP_SIZE", false, true),
                        new Row(11, 11, "BMI_TCP_BUFFER_SEND_SIZE", true, false),
                        new Row(12, 12, "BMI_TCP_BUFFER_RECEIVE_SIZE", true, false),
                        new Row(13, 13, "BMI_TCP_CLOSE_SOCKET", true, false),
                        new Row(14, 14, "BMI_OPTIMISTIC_BUFFER_REG", true, false),
                        new Row(15, 15, "BMI_TCP_CHECK_UNEXPECTED", true, true),
                        new Row(16, -1, "BMI_ZOID_POST_TIMEOUT", true, true),
                        new Row(17, 16, "BMI_TRANSPORT_METHODS_STRING", false, true),
                        new Row(18, -1, "BMI_TCP_GET_PORT", false, true));
        assertThat(Options.all()).hasSameSizeAs(table);
        for (int i = 0; i < table.size(); i++) {
            Row row = table.get(i);
            Option<?> option = Options.all().get(i);
            assertThat(option.name()).isEqualTo(row.name);
            assertThat(option.standaloneNumber()).isEqualTo(row.standalone);
            assertThat(option.orangeFsNumber()).isEqualTo(row.orangeFs);
            assertThat(option.settable()).as(row.name).isEqualTo(row.set);
            assertThat(option.gettable()).as(row.name).isEqualTo(row.get);
            assertThat(Options.byNumber(Numbering.STANDALONE, row.standalone)).isSameAs(option);
            if (row.orangeFs > 0) {
                assertThat(Options.byNumber(Numbering.ORANGEFS, row.orangeFs)).isSameAs(option);
            }
        }
        for (Numbering numbering : Numbering.values()) {
            for (int number : new int[] {-1, 0, 19, 1000}) {
                assertThat(Options.byNumber(numbering, number)).isNull();
            }
        }
        assertThat(Options.byNumber(Numbering.ORANGEFS, 17)).isNull();
        assertThat(Options.byNumber(Numbering.ORANGEFS, 18)).isNull();
    }

    @Test
    void coreAnswersWhatIsItsOwn() {
        assertThat(bmi.getOption(Options.CHECK_INITIALIZED)).isTrue();
        assertThat(bmi.getOption(Options.TRANSPORT_METHODS))
                .contains("test", "local", "word", "selector");
        assertThat(bmi.getOption(Options.MAX_EXPECTED_BYTES)).isEqualTo(1 << 20);
        assertThat(bmi.getOption(Options.MAX_UNEXPECTED_BYTES)).isEqualTo(4096);
        PeerAddress local = bmi.lookup("local://x");
        assertThat(bmi.getOption(Options.MAX_EXPECTED_BYTES)).as("least").isEqualTo(1 << 16);
        assertThat(bmi.getOption(Options.MAX_UNEXPECTED_BYTES)).isEqualTo(1024);
        assertThat(bmi.getOption(peer, Options.MAX_EXPECTED_BYTES)).isEqualTo(1 << 20);
        assertThat(bmi.getOption(local, Options.MAX_UNEXPECTED_BYTES)).isEqualTo(1024);
        assertThat(bmi.getOption(peer, Options.METHOD_ADDRESS)).isSameAs(method.address("peer"));
        assertThat(bmi.getOption(peer, Options.DROP_ADDRESS_QUERY)).isTrue();
        method.mayDrop = false;
        assertThat(bmi.getOption(peer, Options.DROP_ADDRESS_QUERY)).isFalse();
    }

    @Test
    void withoutMethods() {
        try (Bmi idle = Bmi.open()) {
            assertThat(idle.getOption(Options.CHECK_INITIALIZED)).isFalse();
            assertCode(ErrorCode.ENETDOWN, () -> idle.getOption(Options.MAX_EXPECTED_BYTES));
            assertCode(ErrorCode.ENETDOWN, () -> idle.getOption(Options.MAX_UNEXPECTED_BYTES));
            assertCode(ErrorCode.ENOSYS, () -> idle.getOption(Options.TCP_PORT));
            assertCode(ErrorCode.EINVAL, () -> idle.setOption(Options.CHECK_UNEXPECTED, true));
            assertCode(ErrorCode.EINVAL, () -> idle.setOption(Options.FORCEFUL_CANCEL, true));
            assertThat(idle.getOption(Options.TRANSPORT_METHODS)).contains("test");
        }
    }

    @Test
    void whatNobodyKnowsIsNotThere() {
        assertCode(ErrorCode.ENOSYS, () -> bmi.getOption(Options.TCP_PORT));
        assertCode(ErrorCode.ENOSYS, () -> bmi.getOption(peer, Options.TCP_PORT));
        assertCode(ErrorCode.ENOSYS, () -> bmi.getOption(Options.METHOD_ADDRESS));
        assertCode(ErrorCode.ENOSYS, () -> bmi.getOption(Options.DROP_ADDRESS));
        assertCode(ErrorCode.ENOSYS, () -> bmi.getOption(peer, Options.INCREMENT_REFERENCE));
        assertCode(ErrorCode.ENOSYS, () -> bmi.setOption(Options.MAX_EXPECTED_BYTES, 5L));
        assertCode(ErrorCode.ENOSYS, () -> bmi.setOption(peer, Options.TCP_PORT, 5));
        // The next call works: nothing was left locked.
        assertThat(bmi.getOption(Options.CHECK_INITIALIZED)).isTrue();
    }

    @Test
    void wrongTypeIsRefused() {
        @SuppressWarnings({"unchecked", "rawtypes"})
        Option<Object> lax = (Option) Options.FORCEFUL_CANCEL;
        assertCode(ErrorCode.EINVAL, () -> bmi.setOption(lax, "yes"));
        assertThat(method.optionsSet).isEmpty();
    }

    @Test
    void settingsReachAllMethodsOrTheOneOfTheAddress() {
        bmi.lookup("local://x");
        bmi.setOption(Options.FORCEFUL_CANCEL, true);
        bmi.setOption(peer, Options.ZOID_POST_TIMEOUT_MS, 7);
        assertThat(method.optionsSet)
                .containsExactly("BMI_FORCEFUL_CANCEL_MODE=true", "peer:BMI_ZOID_POST_TIMEOUT=7");
        assertThat(script.method("local").optionsSet)
                .containsExactly("BMI_FORCEFUL_CANCEL_MODE=true");
        method.optionValues.put("BMI_ZOID_POST_TIMEOUT", 7);
        assertThat(bmi.getOption(peer, Options.ZOID_POST_TIMEOUT_MS)).isEqualTo(7);
        assertThat(bmi.getOption(Options.ZOID_POST_TIMEOUT_MS)).isEqualTo(7);
        Option<String> own = new Option<>("OWN", String.class, -1, -1, true, true);
        bmi.setOption(own, "x");
        assertThat(method.optionsSet).contains("OWN=x");
        assertCode(ErrorCode.ENOSYS, () -> bmi.getOption(own));
    }

    @Test
    void referencesAreCountedByOptionsToo() {
        method.deliver("sender", 1, 0, 1);
        var messages = org.jbmi.UnexpectedMessages.ofCapacity(1);
        bmi.testUnexpected(messages, 0);
        PeerAddress sender = messages.peer(0);
        messages.free(0);
        assertCode(
                ErrorCode.EINVAL, () -> bmi.setOption(sender, Options.DECREMENT_REFERENCE, true));
        bmi.setOption(sender, Options.INCREMENT_REFERENCE, true);
        bmi.setOption(sender, Options.DECREMENT_REFERENCE, true);
        assertCode(
                ErrorCode.EINVAL, () -> bmi.setOption(sender, Options.DECREMENT_REFERENCE, true));
        assertThat(method.droppedAddresses).hasSize(1);
        // Without an address there is nothing to count.
        bmi.setOption(Options.INCREMENT_REFERENCE, true);
    }

    @Test
    void dropForgetsAtOnceWhateverTheCount() {
        bmi.retain(peer);
        long id = receive();
        bmi.setOption(peer, Options.DROP_ADDRESS, true);
        assertThat(receive()).isEqualTo(ErrorCode.EPROTO.negativeValue());
        assertCode(ErrorCode.EINVAL, () -> bmi.getOption(peer, Options.MAX_EXPECTED_BYTES));
        assertCode(ErrorCode.EINVAL, () -> bmi.setOption(peer, Options.DROP_ADDRESS, true));
        PeerAddress again = bmi.lookup("test://peer");
        assertThat(again).isNotSameAs(peer);
        assertThat(bmi.reverseLookup(again)).contains("test://peer");
        assertThat(context.cancel(id)).isEqualTo(CancelOutcome.CANCELLED);
    }

    @Test
    void closedSocketForgetsItsAddress() {
        bmi.setOption(peer, Options.TCP_CLOSE_SOCKET, true);
        assertThat(method.optionsSet).containsExactly("peer:BMI_TCP_CLOSE_SOCKET=true");
        assertThat(receive()).isEqualTo(ErrorCode.EPROTO.negativeValue());
    }
}
