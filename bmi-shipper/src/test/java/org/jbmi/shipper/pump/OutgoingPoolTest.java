package org.jbmi.shipper.pump;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** A close waits until no message is in use: only what was taken counts. */
class OutgoingPoolTest {
    @Test
    void aMessageThatCannotBeMadeIsNotInUse() {
        OutgoingPool pool = new OutgoingPool(-1); // no array has such a size, as in a full heap
        assertThatThrownBy(pool::take).isInstanceOf(NegativeArraySizeException.class);
        assertThat(pool.inUse()).isZero();
    }

    @Test
    void aMessageIsInUseUntilItIsReturned() {
        OutgoingPool pool = new OutgoingPool(1_000);
        Outgoing first = pool.take();
        pool.take();
        pool.give(first);
        assertThat(pool.inUse()).isEqualTo(1);
        assertThat(pool.take()).isSameAs(first);
        assertThat(pool.inUse()).isEqualTo(2);
    }
}
