package org.jbmi.rig.perf.worker;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.ErrorCode;
import org.junit.jupiter.api.Test;

/** What ends a measurement is named as other commands name it. */
class RefusalsTest {
    @Test
    void theCodeIsTold() {
        assertThatThrownBy(() -> Refusals.check(ErrorCode.EMSGSIZE.negativeValue()))
                .hasMessage("A post was refused: EMSGSIZE.");
        assertThatThrownBy(() -> Refusals.checkDone(ErrorCode.EPIPE.negativeValue()))
                .hasMessage("A message failed: EPIPE.");
    }
}
