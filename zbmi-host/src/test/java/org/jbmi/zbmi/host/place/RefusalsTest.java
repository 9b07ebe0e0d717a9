package org.jbmi.zbmi.host.place;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.zbmi.protocol.handshake.Refused;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is recorded of a refusal. */
@Timeout(30)
class RefusalsTest {

    private static String recorded(BmiException refusal) {
        String sentence = String.valueOf(refusal.getMessage());
        return Refusals.recorded(new Refused(refusal.code().negativeValue(), sentence));
    }

    @Test
    void aHostThatLendsNoMemorySaysSo() {
        assertThat(recorded(Refusals.ofLoan("ring")))
                .startsWith("This host lends no memory")
                .contains("zoid.commandChannel=ring");
        assertThatThrownBy(() -> Refusals.requireLender(null))
                .isInstanceOfSatisfying(
                        BmiException.class,
                        e -> assertThat(recorded(e)).isEqualTo("This host lends no memory."));
        assertThat(Refusals.requireLender("one")).isEqualTo("one");
    }

    @Test
    void aNameThatAPeerMadeUpIsNotRecorded() {
        String sentence = "There is no transport \"This host lends no memory\".";
        assertThat(recorded(new BmiException(ErrorCode.EPROTONOSUPPORT, sentence)))
                .isEqualTo("It asked for a transport that this host does not have.");
    }
}
