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

    /** Otherwise servers that come and go would fill the log. */
    @Test
    void whatIsRecordedOfABusyHostDoesNotDependOnTheProcess() {
        for (boolean isServed : new boolean[] {true, false}) {
            String one = recorded(Refusals.ofServer(isServed, 1));
            assertThat(one)
                    .contains(isServed ? "server already" : "memory of the last server")
                    .isEqualTo(recorded(Refusals.ofServer(isServed, 2)))
                    .isEqualTo(recorded(Refusals.ofServer(isServed, 0)));
        }
        assertThat(recorded(Refusals.ofSecondServer(1)))
                .isEqualTo(recorded(Refusals.ofSecondServer(2)));
    }

    @Test
    void norOnHowManySessionsAreKept() {
        Object[] peers = {this, null, this, null};
        Object[] fewer = {this, this, this, null};
        assertThat(Refusals.noRoom(peers)).isNotEqualTo(Refusals.noRoom(fewer));
        assertThat(recorded(new BmiException(ErrorCode.ENOBUFS, Refusals.noRoom(peers))))
                .isEqualTo("This host has no room for another client.")
                .isEqualTo(recorded(new BmiException(ErrorCode.ENOBUFS, Refusals.noRoom(fewer))));
    }

    @Test
    void norOnTheNameOfASegmentThatCannotBeMade() {
        String why = Refusals.LOAN + " cannot start: cannot reserve 9 bytes for segment zbmi-1-%s.";
        assertThat(recorded(new BmiException(ErrorCode.ENOSPC, why.formatted("a"))))
                .contains(Refusals.LOAN, "ENOSPC")
                .isEqualTo(recorded(new BmiException(ErrorCode.ENOSPC, why.formatted("b"))));
    }
}
